"""Sums of counts over random samples of sentences, for the bootstrap and the randomization test.

The random numbers are those of NumPy's PCG64, ``np.random.Generator(np.random.PCG64(seed))``. The law: the same seed,
number of sentences and release of NumPy give the same samples on every machine, whatever is counted. So systems that
are sampled with the same seed are compared on the same sentences. NumPy keeps the stream of PCG64 for good, but may
change between releases how a ``Generator`` draws from it. Sums are whole numbers, which floats hold exactly up to
2**24 and doubles up to 2**53: they do not depend on the order of the additions.
"""

from __future__ import annotations

import numpy as np

from treevote.kernels import Ints, Longs

BLOCK = 1 << 20
"""Maximum number of cells, sentences times permutations, that are in memory at a time."""


def bootstrap_sums(counts: Ints | Longs, samples: int, seed: int) -> Longs:
    """Return the sums of counts over bootstrap samples of the sentences, shape (samples, n_counts).

    Parameters
    ----------
    counts : ndarray of int, shape (n_sentences, n_counts)
        With at least one sentence.
    samples, seed : int
        Number and seed of the samples.

    Examples
    --------
    >>> bootstrap_sums(np.array([[1, 10], [1, 20]], np.int32), 3, seed=0)[:, 0].tolist()
    [2, 2, 2]
    """
    random = _generator(seed)
    n, terms = len(counts), counts.astype(np.float64)
    sums = np.empty((samples, counts.shape[1]))
    for row in sums:
        times_drawn = np.bincount(random.integers(n, size=n), minlength=n)
        np.matmul(times_drawn.astype(np.float64), terms, out=row)
    return sums.astype(np.int64)


def swapped_sums(counts: Ints | Longs, permutations: int, seed: int) -> Longs:
    """Return the sums of counts over random halves of the sentences, shape (permutations, n_counts).

    Each sentence is in a half with probability 1/2.

    Parameters
    ----------
    counts : ndarray of int, shape (n_sentences, n_counts)
    permutations, seed : int
        Number and seed of the halves.

    Examples
    --------
    >>> sums = swapped_sums(np.array([[1], [2], [4]], np.int32), 1000, seed=0)
    >>> sorted(set(sums[:, 0].tolist()))
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    random = _generator(seed)
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


def _generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))
