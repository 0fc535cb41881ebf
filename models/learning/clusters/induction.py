"""Clusters from text, or from word vectors: divide the words into classes, make a tree of the classes.

In a text words and their followers are counted. The exchange of words between classes
(`treevote.models.learning.clusters.exchange`) and the mergers of classes
(`treevote.models.learning.clusters.hierarchy`) raise and keep the same quantity, the average mutual information of
neighbouring classes (Brown et al. 1992).

Vectors are scaled to length 1, so that their distances are those of their directions. k-means in mini-batches (Sculley
2010) is that of scikit-learn; Ward's method (1963), of SciPy, makes the tree of the centres.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError
from treevote.kernels import Floats, Longs
from treevote.models.learning.clusters.clusters import Clusters
from treevote.models.learning.clusters.exchange import exchange
from treevote.models.learning.clusters.hierarchy import paths, paths_of
from treevote.models.learning.vectors.bigrams import OTHERS, BigramCounts
from treevote.parallel import Progress

MAX_CLASSES = 2_000


def induce(
    text: Iterable[Treebank], *, n_classes: int = 128, least: int = 2, progress: Progress | None = None
) -> tuple[Clusters, Longs, int]:
    """Make clusters of the words of a text; return them, how often each word occurs, and the number of all tokens.

    Trees and tags are not read. Memory grows with the number of different bigrams, not with the length of the text.
    There are at most as many classes as words; words that occur less often than ``least`` have no cluster. InputError
    if there are no others, ConfigError if a number is out of range.
    """
    if not 1 <= n_classes <= MAX_CLASSES:
        raise ConfigError(f"the number of classes should be in 1..{MAX_CLASSES}, found {n_classes}")
    if least < 1:
        raise ConfigError(f"the least number of occurrences should be at least 1, found {least}")
    counts = BigramCounts()
    for treebank in text:
        counts.add(treebank)
    words, bigrams = counts.bigrams(least)
    if not words:
        times, lower = ("once", "") if least == 1 else (f"{least:,} times", ", or lower --least")
        raise InputError(f"expected words that occur at least {times}, found none", remedy=f"give more text{lower}")
    n_classes = min(n_classes, len(words))
    class_of = exchange(bigrams, n_classes, OTHERS, progress)
    path_of = paths(bigrams.pairs(class_of, n_classes + OTHERS), n_classes)
    own = tuple(path_of[k] for k in class_of[: len(words)].tolist())
    return Clusters(tuple(words), own), bigrams.counts[: len(words)], counts.n_tokens


def cluster_vectors(words: Sequence[str], vectors: Floats, *, n_classes: int = 128, seed: int = 0) -> Clusters:
    """Return the clusters of different words, in at most ``n_classes``, by vectors, shape (n_words, n_dimensions)."""
    from scipy.cluster.hierarchy import ward
    from scipy.spatial.distance import pdist
    from sklearn.cluster import MiniBatchKMeans
    from threadpoolctl import threadpool_limits

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    distinct = set[bytes]()
    for unit in units:
        distinct.add((unit + 0).tobytes())  # there is a 0 below 0
        if len(distinct) == n_classes:
            break
    with threadpool_limits(1):  # sums of several threads would depend on their number
        means = MiniBatchKMeans(len(distinct), random_state=seed, batch_size=4096).fit(units)
    classes, own = np.unique(means.labels_, return_inverse=True)
    if len(classes) < 2:
        return Clusters(tuple(words), ("0",) * len(words))
    centres = np.asarray(means.cluster_centers_, np.float64)[classes]
    tree = ward(pdist(centres))  # given the centres, it may take as many as there are dimensions for distances
    path_of = paths_of(tree[:, :2].astype(np.int64), len(classes))
    return Clusters(tuple(words), tuple(path_of[k] for k in own.tolist()))
