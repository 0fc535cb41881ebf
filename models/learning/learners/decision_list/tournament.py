"""A tournament tree: the first maximum of numbers that change, in logarithmic time.

The leaves are the second half of an array. Entry i of the first half is the maximum of the entries 2 i and 2 i + 1.
"""

from __future__ import annotations

import numpy as np

from treevote.kernels import Ints, kernel, leaf

ABSENT = -1  # value of an empty leaf


def tournament(size: int) -> Ints:
    """Return an empty tournament of at least ``size`` leaves."""
    return np.full(2 << max(0, size - 1).bit_length(), ABSENT, np.int32)


@leaf
def value(numbers: Ints, place: int) -> int:
    """Return the number at a place."""
    return int(numbers[len(numbers) // 2 + place])


@leaf
def winner(numbers: Ints) -> int:
    """Return the place of the largest number, the first on ties."""
    half = len(numbers) // 2
    at = 1
    while at < half:
        at *= 2
        if numbers[at] < numbers[at + 1]:
            at += 1
    return at - half


@leaf
def change(numbers: Ints, place: int, number: int) -> None:
    """Change the number at a place."""
    at = len(numbers) // 2 + place
    numbers[at] = number
    while at > 1:
        at //= 2
        larger = max(numbers[2 * at], numbers[2 * at + 1])
        if numbers[at] == larger:
            return
        numbers[at] = larger


@kernel
def enlarged(numbers: Ints) -> Ints:
    """Return a tournament of the same numbers with twice the leaves."""
    half = len(numbers) // 2
    larger = np.full(2 * len(numbers), ABSENT, np.int32)
    larger[2 * half : 3 * half] = numbers[half:]
    for at in range(2 * half - 1, 0, -1):
        larger[at] = max(larger[2 * at], larger[2 * at + 1])
    return larger
