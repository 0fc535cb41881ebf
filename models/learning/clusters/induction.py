"""Clusters from text: count words and their followers, divide the words into classes, make a tree of the classes.

The exchange of words between classes (`treevote.models.learning.clusters.exchange`) and the mergers of classes
(`treevote.models.learning.clusters.hierarchy`) raise and keep the same quantity, the average mutual information of
neighbouring classes (Brown et al. 1992).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError
from treevote.kernels import Longs
from treevote.models.learning.clusters.clusters import Clusters
from treevote.models.learning.clusters.exchange import exchange
from treevote.models.learning.clusters.hierarchy import paths
from treevote.models.learning.vectors.bigrams import OTHERS, BigramCounts
from treevote.parallel import Progress

MAX_CLASSES = 2_000


class InducedClusters(NamedTuple):
    """Clusters, how often each of their words occurs, and the number of tokens of the text."""

    clusters: Clusters
    counts: Longs
    n_tokens: int


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
    class_of = exchange(bigrams, n_classes, OTHERS, progress)
    path_of = paths(bigrams.pairs(class_of, n_classes + OTHERS), n_classes)
    own = tuple(path_of[k] for k in class_of[: len(words)].tolist())
    return InducedClusters(Clusters(tuple(words), own), bigrams.counts[: len(words)], counts.n_tokens)
