"""95 % intervals of rates.

A rate is a ratio of sums over sentences, whose tokens are right or wrong together. So a share is given Wilson's
interval (1927) at the effective sample size of clustered data (Korn & Graubard 1998): intervals for independent tokens
would be too narrow. An F1 whose precision and recall have different denominators is no share; it gets the percentiles
of a bootstrap over sentences (Efron 1979), see `treevote.evaluation.significance`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from treevote.evaluation.results import Rate
from treevote.kernels import Doubles, Longs, kernel

LEVEL = 0.95
_Z = 1.959963984540054  # quantile of the normal distribution at ``(1 + LEVEL) / 2``


class Moments(NamedTuple):
    """Sums over sentences with x right items of n, and of the products; ``sentences`` counts those with ``n > 0``."""

    x: int
    n: int
    xx: int
    xn: int
    nn: int
    sentences: int


def moments(right: Longs, whole: Longs) -> Moments:
    """Return the sums for counts by sentence, shape (n_sentences,) each."""
    squares = int(right @ right), int(right @ whole), int(whole @ whole)
    return Moments(int(right.sum()), int(whole.sum()), *squares, int(np.count_nonzero(whole)))


def effective_size(sums: Moments) -> float:
    """Return the number of independent tokens with the variance of these sentences, at most their number of tokens.

    The variance of the rate ``r = x / n`` is linearised: ``m / (m - 1) * sum (x_i - r n_i)**2 / n**2`` over ``m``
    sentences. Without a variance (all right, all wrong, one sentence) it is the number of tokens.

    >>> all_or_nothing = moments(np.array([5, 0, 5, 0]), np.array([5, 5, 5, 5]))
    >>> round(effective_size(all_or_nothing), 6)
    3.0
    """
    x, n, xx, xn, nn, m = sums
    if m < 2 or x in (0, n):
        return float(n)
    rate = x / n
    squares = max(xx - 2 * rate * xn + rate * rate * nn, 0.0)
    variance = m / (m - 1) * squares / n**2
    return min(rate * (1 - rate) / variance, float(n)) if variance > 0 else float(n)


def wilson(rate: float, size: float) -> tuple[float, float]:
    """Return Wilson's interval of a share, 0 to 1, among ``size`` independent cases; the share is never outside."""
    centre = rate + _Z**2 / (2 * size)
    half = _Z * math.sqrt(rate * (1 - rate) / size + _Z**2 / (4 * size**2))
    scale = 1 + _Z**2 / size
    return min(max((centre - half) / scale, 0.0), rate), max(min((centre + half) / scale, 1.0), rate)


def share(sums: Moments) -> Rate:
    """Return a share with Wilson's interval."""
    if not sums.n:
        return Rate(None, None, None, "wilson", 0, 0, 0)
    low, high = wilson(sums.x / sums.n, effective_size(sums))
    return Rate(100 * sums.x / sums.n, 100 * low, 100 * high, "wilson", sums.x, sums.n, sums.n)


def f1(correct: int, gold: int, system: int, samples: Doubles | None = None) -> Rate:
    """Return an F1 with the interval of its bootstrap samples, if given: rates in percent, None of nothing."""
    value = 100 * 2 * correct / (gold + system) if gold + system else None
    low, high = (None, None) if samples is None else percentiles(samples)
    return Rate(value, low, high, "bootstrap", correct, gold, system)


def percentiles(samples: Doubles) -> tuple[float | None, float | None]:
    """Return the ends of the middle 95 % of samples; those that are ``nan`` are left out."""
    counted = samples[~np.isnan(samples)]
    if not len(counted):
        return None, None
    low, high = np.quantile(counted, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


@kernel
def sum_by_key(key: Longs, right: Longs, sentence: Longs, n_keys: int) -> Longs:
    """Return the fields of `Moments` for the tokens of each key, shape (n_keys, 6).

    For each token are given a key in ``0..n_keys - 1``, or -1 to leave it out; 1 if it is right, else 0; and its
    sentence, in ascending order. Shapes are (n,).
    """
    sums, last = np.zeros((n_keys, 6), np.int64), np.full(n_keys, -1, np.int64)
    x, n = np.zeros(n_keys, np.int64), np.zeros(n_keys, np.int64)  # of the last sentence with a key
    for i in range(len(key)):
        k = key[i]
        if k < 0:
            continue
        if last[k] != sentence[i]:
            _add_sentence(sums[k], int(x[k]), int(n[k]))
            last[k], x[k], n[k] = sentence[i], 0, 0
        x[k] += right[i]
        n[k] += 1
    for k in range(n_keys):
        _add_sentence(sums[k], int(x[k]), int(n[k]))
    return sums


@kernel
def _add_sentence(sums: Longs, x: int, n: int) -> None:
    sums[0] += x
    sums[1] += n
    sums[2] += x * x
    sums[3] += x * n
    sums[4] += n * n
    sums[5] += n > 0
