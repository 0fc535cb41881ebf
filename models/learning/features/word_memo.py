"""A cache of words as numbers, since the words of a text recur: its arrays grow, and are not copied for each text."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from treevote.corpus.sentence import ROOT, Word
from treevote.kernels import Ints
from treevote.models.learning.features.lexicon import Lexicon, WordColumns

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


def taken(idle: list[Key]) -> Key | None:
    """Take an item out of a list, so that no other thread has it; None if the list is empty."""
    try:
        return idle.pop()
    except IndexError:
        return None


class _Numbered:
    """Words by their rows, the rows as arrays and as columns, and the words that were asked for last."""

    def __init__(self, columns: WordColumns) -> None:
        self.rows: dict[Word, int] = {ROOT: 0}
        self.columns = columns
        self.arrays = [GrowingArray[Any](column) for column in columns]
        self.latest: Sequence[Word] = ()
        self.rows_of_latest = np.zeros(0, np.int32)


class WordMemo:
    """A cache of the numbers of words, emptied when it holds more than ``limit``; the numbers do not depend on it.

    Safe to use from several threads, in forked processes and after an interrupted call: rows are only ever added,
    returned arrays never change, and words that a call added in part are forgotten.
    """

    def __init__(self, lexicon: Lexicon, limit: int = 1 << 16) -> None:
        self.lexicon = lexicon
        self.limit = limit
        self._idle: list[_Numbered] = []  # a call takes one, and gives it back at its end

    def __reduce__(self) -> tuple[Callable[..., WordMemo], tuple[Lexicon, int]]:
        """Pickle the lexicon and the limit, without the cached words."""
        return WordMemo, (self.lexicon, self.limit)

    def encode(self, words: Sequence[Word]) -> tuple[Ints, WordColumns]:
        """Return the row of each word, shape (n_words,), in columns that may hold other words as well."""
        known = taken(self._idle)
        if known is None or (words is not known.latest and len(known.rows) > self.limit):
            known = _Numbered(self.lexicon.columns((ROOT,)))
        if words is not known.latest:
            self._add(known, words)
        found = known.rows_of_latest, known.columns  # before another thread may take it
        self._idle.append(known)
        return found

    def _add(self, known: _Numbered, words: Sequence[Word]) -> None:
        rows, first = known.rows, len(known.rows)
        numbers = [rows.setdefault(word, len(rows)) for word in words]
        if len(rows) > first:
            new = self.lexicon.columns(latest(rows, len(rows) - first))
            later = new._replace(feats_offsets=new.feats_offsets[1:] + known.columns.feats_offsets[-1])
            for array, rows_of_column in zip(known.arrays, later, strict=True):
                array.add(rows_of_column)
            known.columns = WordColumns(*(array.rows for array in known.arrays))
        known.latest, known.rows_of_latest = words, np.array(numbers, np.int32)
        known.rows_of_latest.flags.writeable = False
