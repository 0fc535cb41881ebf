"""Arrays to which rows are added: a cache of words grows with every text, and must not be copied for each."""

from __future__ import annotations

import itertools
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Key = TypeVar("Key")
Scalar = TypeVar("Scalar", bound=np.generic)


def latest(numbered: dict[Key, int], n: int) -> list[Key]:
    """Return the last ``n`` keys of a dictionary, in their order."""
    return list(itertools.islice(reversed(numbered), n))[::-1]


class GrowingArray(Generic[Scalar]):
    """Rows of an array; its memory at least doubles when it is full, so a row is copied about twice in the mean.

    >>> array = GrowingArray(np.array([1, 2]))
    >>> before = array.rows
    >>> array.add(np.array([3]))
    >>> before.tolist(), array.rows.tolist()
    ([1, 2], [1, 2, 3])
    """

    def __init__(self, rows: NDArray[Scalar]) -> None:
        self._memory = rows.copy()
        self._n = len(rows)

    @property
    def rows(self) -> NDArray[Scalar]:
        """All rows so far; the view never changes."""
        return self._memory[: self._n]

    def add(self, rows: NDArray[Any]) -> None:
        """Add rows behind the others."""
        n = self._n + len(rows)
        if n > len(self._memory):
            memory = np.empty((max(n, 2 * len(self._memory)), *self._memory.shape[1:]), self._memory.dtype)
            memory[: self._n] = self.rows
            self._memory = memory
        self._memory[self._n : n] = rows
        self._n = n
