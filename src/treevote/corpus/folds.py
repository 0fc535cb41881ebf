"""Folds of a treebank, for cross-validation: sentence ``i`` is in fold ``i % n_folds``."""

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


def rejoined(folds: Sequence[Treebank], name: str = "") -> Treebank:
    """Return the sentences of all folds, given in the order of `folds_of`, in their own order."""
    numbers = [held_out for _, held_out in folds_of(sum(map(len, folds)), len(folds))]
    return Treebank.concatenate(folds, name).select(np.argsort(np.concatenate(numbers)))
