"""Parts of a treebank: folds for cross-validation, sentence ``i`` in fold ``i % n_folds``; and runs of sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Longs


def folds_of(n_sentences: int, n_folds: int) -> Iterator[tuple[Longs, Longs]]:
    """Yield for each fold the sentences to train on, and those that are held out."""
    fold = np.arange(n_sentences) % n_folds
    for number in range(n_folds):
        yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)


def runs_of(offsets: Longs, n_slots: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last sentence, exclusive, of runs with at most so many slots, or of one sentence.

    >>> list(runs_of(np.array([0, 2, 4, 9, 10]), 4))
    [(0, 2), (2, 3), (3, 4)]
    """
    first = 0
    while first < len(offsets) - 1:
        last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + n_slots, "right")) - 1)
        yield first, last
        first = last


def rejoined(folds: Sequence[Treebank], name: str = "") -> Treebank:
    """Return the sentences of all folds, given in the order of `folds_of`, in their own order."""
    numbers = [held_out for _, held_out in folds_of(sum(map(len, folds)), len(folds))]
    return Treebank.concatenate(folds, name).select(np.argsort(np.concatenate(numbers)))
