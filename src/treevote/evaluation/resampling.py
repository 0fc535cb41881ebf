"""Sums over random samples of sentences: the loops behind the bootstrap and the randomization test.

The random numbers are those of SplitMix64 (Steele, Lea & Flood 2014), which a seed repeats bit by bit on every
machine. Systems that are sampled with the same seed are sampled at the same sentences.
"""

from __future__ import annotations

import numpy as np

from treevote.kernels import Ints, Keys, Longs, kernel

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_LOW, _BYTE, _S8 = np.uint64(0xFFFFFFFF), np.uint64(255), np.uint64(8)


def bootstrap_sums(counts: Ints | Longs, samples: int, seed: int) -> Longs:
    """Return the sums of counts over samples of as many sentences, drawn with replacement.

    Parameters
    ----------
    counts : ndarray of int, shape (n_sentences, n_counts)
    samples : int
        Number of samples.
    seed : int
        Of the draws.

    Returns
    -------
    ndarray of int64, shape (samples, n_counts)

    Examples
    --------
    >>> bootstrap_sums(np.array([[1, 10], [1, 20]], np.int32), 3, seed=0)[:, 0].tolist()
    [2, 2, 2]
    """
    return _bootstrap_sums(np.ascontiguousarray(counts, np.int32), samples, _state(seed))


def swapped_sums(differences: Ints | Longs, permutations: int, seed: int) -> Longs:
    """Return the sums of differences over random halves of the sentences: each is in or out with probability 1/2.

    Parameters
    ----------
    differences : ndarray of int, shape (n_sentences, n_counts)
    permutations : int
        Number of random halves.
    seed : int
        Of the coin.

    Returns
    -------
    ndarray of int64, shape (permutations, n_counts)

    Examples
    --------
    >>> sums = swapped_sums(np.array([[1], [2], [4]], np.int32), 1000, seed=0)
    >>> sorted(set(sums[:, 0].tolist()))
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    return _swapped_sums(np.ascontiguousarray(differences, np.int32), permutations, _state(seed))


def _state(seed: int) -> Keys:
    return np.array(np.random.SeedSequence(seed).generate_state(1, np.uint64), np.uint64)


@kernel
def _next(state: Keys) -> np.uint64:
    state[0] += _GAMMA
    z: np.uint64 = state[0]
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@kernel
def _bootstrap_sums(counts: Ints, samples: int, state: Keys) -> Longs:
    n, width = counts.shape
    sums = np.zeros((samples, width), np.int64)
    for sample in range(samples):
        row = sums[sample]
        bits, halves = np.uint64(0), 0
        for _ in range(n):
            if halves == 0:
                bits, halves = _next(state), 2
            chosen = counts[np.int64(((bits & _LOW) * np.uint64(n)) >> _S32)]
            bits >>= _S32
            halves -= 1
            for k in range(width):
                row[k] += chosen[k]
    return sums


@kernel
def _swapped_sums(differences: Ints, permutations: int, state: Keys) -> Longs:
    n, width = differences.shape
    sums = np.zeros((permutations, width), np.int64)
    subsets = np.zeros((256, width), np.int64)  # sums over each subset of eight sentences
    for first in range(0, n, 8):
        for subset in range(1, 256):
            lowest = 0
            while not (subset >> lowest) & 1:
                lowest += 1
            for k in range(width):
                term = differences[first + lowest, k] if first + lowest < n else np.int32(0)
                subsets[subset, k] = subsets[subset & (subset - 1), k] + term
        bits, bytes_left = np.uint64(0), 0
        for i in range(permutations):
            if bytes_left == 0:
                bits, bytes_left = _next(state), 8
            chosen = subsets[np.int64(bits & _BYTE)]
            bits >>= _S8
            bytes_left -= 1
            for k in range(width):
                sums[i, k] += chosen[k]
    return sums
