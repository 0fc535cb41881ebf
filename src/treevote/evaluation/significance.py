"""Significance of differences between two systems: two paired tests over sentences, and Holm's correction.

Both are two-sided and count the observed outcome as one of the samples, so p is never 0, and 1 for systems with equal
counts. Whole sentences are drawn, since the tokens of one are not independent.

The random numbers are those of NumPy's PCG64, ``np.random.Generator(np.random.PCG64(seed))``. The law: the same seed,
number of sentences and release of NumPy give the same samples on every machine, whatever is counted. So systems that
are sampled with the same seed are compared on the same sentences. NumPy keeps the stream of PCG64 for good, but may
change between releases how a ``Generator`` draws from it. Sums are whole numbers, which floats hold exactly up to
2**24 and doubles up to 2**53: they do not depend on the order of the additions.

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

from treevote.kernels import Doubles, Ints, Longs

TOLERANCE = 1e-9  # differences of rates in percent that are closer than this are equal
BLOCK = 1 << 20  # maximum number of cells, sentences times permutations, that are in memory at a time


def rates(sums: Longs) -> Doubles:
    """Return rates in percent of ``[..., 0]`` right of ``[..., 1]``; ``nan`` of nothing."""
    result = np.full(sums.shape[:-1], np.nan)
    np.divide(100.0 * sums[..., 0], sums[..., 1], out=result, where=sums[..., 1] > 0)
    return result


def bootstrap_p(difference: float, samples: Doubles) -> float:
    """Return p of the paired bootstrap: the share of samples as far from the observed difference as that is from 0.

    ``samples`` have the difference of the two rates in samples of the same sentences. A difference of ``nan`` gives 1.

    >>> bootstrap_p(2.0, np.array([1.5, 2.0, 2.5])), bootstrap_p(0.0, np.zeros(3))
    (0.25, 1.0)
    """
    counted = samples[~np.isnan(samples)]
    extreme = int(np.count_nonzero(~(np.abs(counted - difference) < abs(difference) - TOLERANCE)))
    return (1 + extreme) / (1 + len(counted))


def randomization_p(first: Longs, second: Longs, permutations: int, seed: int) -> Doubles:
    """Return p of the randomization test, shape (n_metrics,): the share of random swaps with as large a difference.

    ``first`` and ``second`` are right items and all items of each sentence, shape (n_sentences, n_metrics, 2).
    """
    n, width, _ = first.shape
    moved = swapped_sums((second - first).reshape(n, 2 * width), permutations, seed).reshape(permutations, width, 2)
    return swaps_p(first.sum(axis=0), second.sum(axis=0), moved)


def swaps_p(first: Longs, second: Longs, moved: Longs) -> Doubles:
    """Return p of the randomization test, shape (n_metrics,), from sums over random swaps.

    ``first`` and ``second``, shape (n_metrics, 2), are right items and all items over all sentences; ``moved``, shape
    (n_permutations, n_metrics, 2), are counts of the second minus those of the first over the swapped sentences.
    """
    observed = np.abs(rates(first) - rates(second))
    differences = np.abs(rates(first + moved) - rates(second - moved))
    extreme = np.sum(~(differences < observed - TOLERANCE), axis=0, dtype=np.int64)
    return np.asarray((1 + extreme) / (1 + len(moved)), np.float64)


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values corrected for testing them all."""
    p, corrected = np.array(values, np.float64), np.empty(len(values))
    order = np.argsort(p, kind="stable")
    corrected[order] = np.maximum.accumulate(np.minimum(np.arange(len(p), 0, -1) * p[order], 1.0))
    return list(map(float, corrected))


def bootstrap_sums(counts: Ints | Longs, samples: int, seed: int) -> Longs:
    """Return sums over bootstrap samples of sentences: (n_sentences, n_counts) to (samples, n_counts).

    All are 0 for fewer than two sentences: how much one differs from others cannot be known, and a rate of nothing is
    left out of an interval and a p-value.
    """
    random = np.random.Generator(np.random.PCG64(seed))
    n, terms = len(counts), counts.astype(np.float64)
    if n < 2:
        return np.zeros((samples, counts.shape[1]), np.int64)
    sums = np.empty((samples, counts.shape[1]))
    for row in sums:
        times_drawn = np.bincount(random.integers(n, size=n), minlength=n)
        np.matmul(times_drawn.astype(np.float64), terms, out=row)
    return sums.astype(np.int64)


def swapped_sums(counts: Ints | Longs, permutations: int, seed: int) -> Longs:
    """Return sums over sentences, each taken with p = 1/2: (n_sentences, n_counts) to (permutations, n_counts)."""
    random = np.random.Generator(np.random.PCG64(seed))
    exact = np.float32 if np.abs(counts).sum(axis=0).max(initial=0) < 1 << 24 else np.float64
    n, terms = len(counts), counts.astype(exact)
    n_bytes = (n + 7) // 8
    height = max(1, BLOCK // max(n, 1))
    sums = np.empty((permutations, counts.shape[1]), exact)
    for first in range(0, permutations, height):
        block = sums[first : first + height]
        coins = np.frombuffer(random.bytes(len(block) * n_bytes), np.uint8).reshape(len(block), n_bytes)
        np.matmul(np.unpackbits(coins, axis=1, count=n).astype(exact), terms, out=block)
    return sums.astype(np.int64)
