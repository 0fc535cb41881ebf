"""Clusters from text: count words and their followers, divide the words into classes, make a tree of the classes.

The exchange of words between classes (`treevote.models.learning.clusters.exchange`) and the mergers of classes
(`clusters.hierarchy`) raise and keep the same quantity, the average mutual information of neighbouring
classes (Brown et al. 1992).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError
from treevote.kernels import Keys, Longs
from treevote.models.learning.clusters.clusters import Clusters
from treevote.models.learning.clusters.exchange import Bigrams, exchange
from treevote.models.learning.clusters.hierarchy import paths
from treevote.parallel import Progress

MAX_CLASSES = 2_000
_PENDING = 1 << 22  # bigrams that wait to be added up
_OTHERS = 2  # the end of a sentence, and rare words


class InducedClusters(NamedTuple):
    """Clusters, how often each of their words occurs, and the number of tokens of the text."""

    clusters: Clusters
    counts: Longs
    n_tokens: int


class BigramCounts:
    """How often each form follows each in the sentences that were added; the end of a sentence is form 0."""

    def __init__(self) -> None:
        self._forms: dict[str, int] = {}
        self._keys: list[Keys] = []
        self._times: list[Longs] = []
        self._pending = 0
        self.n_tokens = 0

    def add(self, treebank: Treebank) -> None:
        """Add the sentences of a treebank; their trees and tags are not read."""
        known = self._forms
        own = (known.setdefault(word.form, len(known) + 1) for word in treebank.words[1:])
        numbers = np.array([0, *own], np.uint64)
        stream = np.append(numbers[treebank.tokens], np.uint64(0))
        keys, times = np.unique(stream[:-1] << np.uint64(32) | stream[1:], return_counts=True)
        self._keys.append(keys)
        self._times.append(times.astype(np.int64))
        self._pending += len(keys)
        self.n_tokens += treebank.n_tokens
        if self._pending > _PENDING:
            self._add_up()
            self._pending = 0

    def _add_up(self) -> None:
        keys, number = np.unique(np.concatenate(self._keys), return_inverse=True)
        times = np.bincount(number, np.concatenate(self._times), len(keys)).astype(np.int64)
        self._keys, self._times = [keys], [times]

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
        n_words = len(kept) + _OTHERS
        new = np.full(len(counts), n_words - 2)
        new[kept], new[0] = np.arange(len(kept)), n_words - 1
        pairs, number = np.unique(new[ends[1]] * n_words + new[ends[0]], return_inverse=True)
        summed = np.bincount(number, times, len(pairs)).astype(np.int64)
        first = np.searchsorted(pairs // n_words, np.arange(n_words + 1))
        totals = np.bincount(pairs // n_words, summed, n_words).astype(np.int64)
        forms = list(self._forms)
        words = [forms[form - 1] for form in kept.tolist()]
        return words, Bigrams(totals, first, (pairs % n_words).astype(np.int32), summed)


def induce(
    text: Iterable[Treebank], *, n_classes: int = 128, least: int = 2, progress: Progress | None = None
) -> InducedClusters:
    """Make clusters of the words of a text; its trees and tags are not read.

    Memory grows with the number of different bigrams, not with the length of the text. There are at most as many
    classes as words; words that occur less often than ``least`` have no cluster. InputError if there are no others,
    ConfigError if a number is out of range.
    """
    if not 1 <= n_classes <= MAX_CLASSES:
        raise ConfigError(f"the number of classes should be in 1..{MAX_CLASSES}, found {n_classes}")
    if least < 1:
        raise ConfigError(f"the least number of occurrences should be at least 1, found {least}")
    counts = BigramCounts()
    for treebank in text:
        counts.add(treebank)
    words, bigrams = counts.bigrams(least) if counts.n_tokens else ([], None)
    if bigrams is None or not words:
        times = "once" if least == 1 else f"{least} times"
        raise InputError(f"expected words that occur at least {times}, found none", remedy="give more text")
    n_classes = min(n_classes, len(words))
    class_of = exchange(bigrams, n_classes, _OTHERS, progress)
    path_of = paths(bigrams.pairs(class_of, n_classes + _OTHERS), n_classes)
    own = tuple(path_of[k] for k in class_of[: len(words)].tolist())
    return InducedClusters(Clusters(tuple(words), own), bigrams.counts[: len(words)], counts.n_tokens)
