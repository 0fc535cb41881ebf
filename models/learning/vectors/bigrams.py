"""Counts of bigrams: how often each form of a text follows each.

They are counted sentence by sentence, in memory that grows with the number of different bigrams and not with the text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Ints, Keys, Longs

OTHERS = 2  # numbers behind those of the words: rare words, and the end of a sentence
_PENDING = 1 << 22  # bigrams that wait to be added up


class Bigrams(NamedTuple):
    """Counts of the words, and of their bigrams in CSR form.

    The followers of word ``w`` are ``words[first[w] : first[w + 1]]``, with their ``times``.
    """

    counts: Longs  # shape (n_words,)
    first: Longs
    words: Ints
    times: Longs

    def reversed(self) -> Bigrams:
        """Return the same bigrams by their second word."""
        n_words = len(self.counts)
        before = np.repeat(np.arange(n_words, dtype=np.int32), np.diff(self.first))
        order = np.argsort(self.words, kind="stable")
        first = np.append(0, np.cumsum(np.bincount(self.words, minlength=n_words)))
        return Bigrams(self.counts, first, before[order], self.times[order])

    def pairs(self, class_of: Ints, n_classes: int) -> Longs:
        """Return how often each class follows each, shape (n_classes, n_classes), the first of a pair in the row."""
        first = np.repeat(class_of, np.diff(self.first)).astype(np.int64)
        keys = first * n_classes + class_of[self.words]
        return np.bincount(keys, self.times, n_classes**2).astype(np.int64).reshape(n_classes, n_classes)


class BigramCounts:
    """How often each form follows each at a distance, in the sentences that were added.

    The end of a sentence is form 0. ``fold`` makes one form of several: ``str.lower`` those in capitals and not.
    """

    def __init__(self, distance: int = 1, fold: Callable[[str], str] = str) -> None:
        self._distance, self._fold = distance, fold
        self._forms: dict[str, int] = {}
        self._keys: list[Keys] = [np.zeros(0, np.uint64)]
        self._times: list[Longs] = [np.zeros(0, np.int64)]
        self._pending = self.n_tokens = 0

    def add(self, treebank: Treebank) -> None:
        """Add the sentences of a treebank; their trees and tags are not read."""
        known, far, sentence = self._forms, self._distance, treebank.sentence_of
        own = (known.setdefault(self._fold(word.form), len(known) + 1) for word in treebank.words[1:])
        forms = np.array([0, *own], np.uint64)[treebank.tokens]
        later = np.zeros_like(forms)
        later[:-far] = np.where(sentence[far:] == sentence[:-far], forms[far:], 0)
        keys, times = np.unique(forms << np.uint64(32) | later, return_counts=True)
        self._keys.append(keys)
        self._times.append(times.astype(np.int64))
        self._pending += len(keys)
        self.n_tokens += treebank.n_tokens
        if self._pending > _PENDING:
            self._add_up()

    def _add_up(self) -> None:
        keys, number = np.unique(np.concatenate(self._keys), return_inverse=True)
        times = np.bincount(number, np.concatenate(self._times), len(keys)).astype(np.int64)
        self._keys, self._times, self._pending = [keys], [times], 0

    def bigrams(self, least: int) -> tuple[list[str], Bigrams]:
        """Return the forms that occur at least so often, the most frequent first, and their bigrams.

        Ties go to the form that occurred first. After the forms come rare words, as one, and the end of a sentence.
        """
        self._add_up()
        (keys,), (times,) = self._keys, self._times
        ends = (keys & np.uint64(0xFFFFFFFF)).astype(np.int64), (keys >> np.uint64(32)).astype(np.int64)
        counts = np.bincount(ends[1], times, len(self._forms) + 1).astype(np.int64)
        order = np.argsort(-counts[1:], kind="stable") + 1
        kept = order[counts[order] >= least]
        n_words = len(kept) + OTHERS
        new = np.full(len(counts), n_words - 2)
        new[kept], new[0] = np.arange(len(kept)), n_words - 1
        pairs, number = np.unique(new[ends[1]] * n_words + new[ends[0]], return_inverse=True)
        summed = np.bincount(number, times, len(pairs)).astype(np.int64)
        first = np.searchsorted(pairs // n_words, np.arange(n_words + 1))
        totals = np.bincount(pairs // n_words, summed, n_words).astype(np.int64)
        forms = list(self._forms)
        words = [forms[form - 1] for form in kept.tolist()]
        return words, Bigrams(totals, first, (pairs % n_words).astype(np.int32), summed)
