"""Significance of differences between two systems: two paired tests over sentences, and Holm's correction.

Both are two-sided and count the observed outcome as one of the samples, so p is never 0, and 1 for systems with equal
counts. Whole sentences are drawn, since the tokens of one are not independent.

References
----------
B. Efron and R. Tibshirani, An Introduction to the Bootstrap, 1993, section 16.4.
P. Koehn, Statistical significance tests for machine translation evaluation, EMNLP 2004.
T. Berg-Kirkpatrick, D. Burkett and D. Klein, An empirical investigation of statistical significance in NLP, 2012.
E. Noreen, Computer-intensive Methods for Testing Hypotheses, 1989.
S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics, 1979.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treevote.evaluation.resampling import swapped_sums
from treevote.kernels import Doubles, Longs

TOLERANCE = 1e-9
"""Differences of rates in percent that are closer than this are equal."""


def rates(sums: Longs) -> Doubles:
    """Return rates in percent of ``[..., 0]`` right of ``[..., 1]``; ``nan`` of nothing.

    Examples
    --------
    >>> rates(np.array([[1, 2], [0, 0]])).tolist()
    [50.0, nan]
    """
    result = np.full(sums.shape[:-1], np.nan)
    np.divide(100.0 * sums[..., 0], sums[..., 1], out=result, where=sums[..., 1] > 0)
    return result


def bootstrap_p(difference: float, samples: Doubles) -> float:
    """Return p of the paired bootstrap: the share of samples as far from the observed difference as that is from 0.

    Parameters
    ----------
    difference : float
        Observed difference of the two rates; ``nan`` gives 1.
    samples : ndarray of float64
        The difference in samples of the same sentences for both systems.

    Examples
    --------
    >>> bootstrap_p(2.0, np.array([1.5, 2.0, 2.5])), bootstrap_p(0.0, np.zeros(3))
    (0.25, 1.0)
    """
    counted = samples[~np.isnan(samples)]
    extreme = int(np.count_nonzero(~(np.abs(counted - difference) < abs(difference) - TOLERANCE)))
    return (1 + extreme) / (1 + len(counted))


def randomization_p(first: Longs, second: Longs, permutations: int, seed: int) -> Doubles:
    """Return p of the randomization test, shape (n_metrics,): the share of random swaps with as large a difference.

    Parameters
    ----------
    first, second : ndarray of int64, shape (n_sentences, n_metrics, 2)
        Right items and all items, in each sentence.
    permutations, seed : int
        Number and seed of the random swaps.

    Examples
    --------
    >>> always, never = np.ones((10, 1, 2), np.int64), np.array([[[0, 1]]] * 10)
    >>> bool(randomization_p(always, never, 10_000, 0)[0] < 0.005), randomization_p(always, always, 99, 0).tolist()
    (True, [1.0])
    """
    n, width, _ = first.shape
    moved = swapped_sums((second - first).reshape(n, 2 * width), permutations, seed).reshape(permutations, width, 2)
    return swaps_p(first.sum(axis=0), second.sum(axis=0), moved)


def swaps_p(first: Longs, second: Longs, moved: Longs) -> Doubles:
    """Return p of the randomization test, shape (n_metrics,), from sums over random swaps.

    Parameters
    ----------
    first, second : ndarray of int64, shape (n_metrics, 2)
        Right items and all items, over all sentences.
    moved : ndarray of int64, shape (n_permutations, n_metrics, 2)
        Counts of the second minus those of the first, over the swapped sentences.
    """
    observed = np.abs(rates(first) - rates(second))
    differences = np.abs(rates(first + moved) - rates(second - moved))
    extreme = np.sum(~(differences < observed - TOLERANCE), axis=0, dtype=np.int64)
    return np.asarray((1 + extreme) / (1 + len(moved)), np.float64)


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values corrected for testing them all.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected = [0.0] * len(values)
    highest = 0.0
    for rank, i in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = corrected[i] = max(highest, min((len(values) - rank) * values[i], 1.0))
    return corrected
