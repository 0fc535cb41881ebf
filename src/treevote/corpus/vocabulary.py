"""Vocabularies: distinct words and labels, and columns of their numbers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from treevote.kernels import Ints, Longs

Item = TypeVar("Item")


def encode(items: Iterable[Item], vocabulary: dict[Item, int]) -> Ints:
    """Return the index of each item in a vocabulary, extended by new items, and -1 at the end.

    Indexed by a column in which -1 is none, the result gives -1 for none.

    >>> vocabulary = {"nsubj": 0}
    >>> encode(["root", "nsubj"], vocabulary).tolist(), vocabulary
    ([1, 0, -1], {'nsubj': 0, 'root': 1})
    """
    entries = list(items)
    new = itertools.filterfalse(vocabulary.__contains__, dict.fromkeys(entries))
    vocabulary.update(zip(new, itertools.count(len(vocabulary))))
    return np.array([*map(vocabulary.__getitem__, entries), -1], np.int32)


def common_labels(treebanks: Sequence[Any], part: Callable[[str], str] = str) -> tuple[dict[str, int], Ints]:
    """Return one vocabulary of the labels of k treebanks of the same size, and the deprels as indices in it.

    The deprels are an array of shape (k, n_slots), -1 for none. Of each label the ``part`` that counts is used.

    >>> from treevote.corpus.treebank import Treebank
    >>> one = Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj", "root"])])
    >>> two = Treebank.of([(["dogs", "bark"], [0, 1], ["root", "obj"])])
    >>> common_labels([one, two])[1].tolist()
    [[-1, 0, 1], [-1, 1, 2]]
    """
    vocabulary: dict[str, int] = {}
    columns = [encode(map(part, treebank.labels), vocabulary)[treebank.deprels] for treebank in treebanks]
    return vocabulary, np.stack(columns)


def used(column: Ints | Longs) -> tuple[list[int], Ints]:
    """Return the numbers from 0 in a column, in order of first appearance, and the column of their places; -1 stays."""
    numbers = [number for number in dict.fromkeys(column.tolist()) if number >= 0]
    places = np.full(max(numbers, default=-1) + 2, -1, np.int32)
    places[numbers] = np.arange(len(numbers))
    return numbers, places[column]
