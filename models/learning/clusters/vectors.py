"""Clusters of word vectors: k-means divides the words into classes, Ward's method makes a tree of the classes.

Vectors are scaled to length 1, so that their distances are those of their directions. k-means in mini-batches (Sculley
2010) is that of scikit-learn, agglomerative clustering (Ward 1963) of the centres that of SciPy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treevote.kernels import Floats
from treevote.models.learning.clusters.clusters import Clusters
from treevote.models.learning.clusters.hierarchy import paths_of


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
    n_classes = len(distinct)
    if n_classes < 2:
        return Clusters(tuple(words), ("0",) * len(words))
    with threadpool_limits(1):  # sums of several threads would depend on their number
        means = MiniBatchKMeans(n_classes, random_state=seed, batch_size=4096).fit(units)
    classes, own = np.unique(means.labels_, return_inverse=True)
    if len(classes) < 2:
        return Clusters(tuple(words), ("0",) * len(words))
    centres = np.asarray(means.cluster_centers_, np.float64)[classes]
    tree = ward(pdist(centres))  # given the centres, it may take as many as there are dimensions for distances
    path_of = paths_of(tree[:, :2].astype(np.int64), len(classes))
    return Clusters(tuple(words), tuple(path_of[k] for k in own.tolist()))
