"""A tournament tree: the first maximum of numbers that change, in logarithmic time.

The leaves are the second half of an array. Entry i of the first half is the maximum of the entries 2 i and 2 i + 1.
"""

from __future__ import annotations

import numpy as np

from treevote.kernels import Ints, kernel, leaf

ABSENT = -1
"""Value of an empty leaf."""


def tournament(size: int) -> Ints:
    """Return an empty tournament of at least ``size`` leaves.

    Examples
    --------
    >>> numbers = tournament(3)
    >>> for place, number in enumerate((5, 7, 7)):
    ...     enter(numbers, place, number)
    >>> winner(numbers), value(numbers, 1)
    (1, 7)
    """
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
def enter(numbers: Ints, place: int, number: int) -> None:
    """Change the number at a place."""
    at = len(numbers) // 2 + place
    numbers[at] = number
    while at > 1:
        at //= 2
        larger = max(numbers[2 * at], numbers[2 * at + 1])
        if numbers[at] == larger:
            return
        numbers[at] = larger


def enlarged(numbers: Ints) -> Ints:
    """Return a tournament of the same numbers with twice the leaves.

    Examples
    --------
    >>> numbers = tournament(1)
    >>> enter(numbers, 0, 4)
    >>> larger = enlarged(numbers)
    >>> len(larger) // len(numbers), value(larger, 0), winner(larger)
    (2, 4, 0)
    """
    half = len(numbers) // 2
    larger = np.full(2 * len(numbers), ABSENT, np.int32)
    larger[2 * half : 3 * half] = numbers[half:]
    _play(larger)
    return larger


@kernel
def _play(numbers: Ints) -> None:
    for at in range(len(numbers) // 2 - 1, 0, -1):
        numbers[at] = max(numbers[2 * at], numbers[2 * at + 1])
