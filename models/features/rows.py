"""Training rows for the learners of all parsers.

Features are extracted twice: to count them, and to write the rows of those that are frequent enough. Extraction is
cheap, so this costs less than keeping the keys of all features would.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from treevote.config import converted
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError, TreevoteError
from treevote.kernels import Ints, Keys, Longs
from treevote.models.features.feature_index import count_keys, frequent_first, index_of, map_rows, rehash
from treevote.parallel import Progress
from treevote.protocols import Learner
from treevote.settings import Count, Share

BATCH_KEYS = 1 << 21
"""Number of keys in memory at a time: 16 MiB."""

Batch: TypeAlias = tuple[Keys, Ints, Ints]
"""Keys of some rows, row after row; number of keys of each row; class of each row: an action, a label or a tag."""


Extract: TypeAlias = Callable[[Longs, Keys, Ints, Ints], tuple[int, int]]
"""Continues at a position (sentence, row of the sentence), which it advances; writes keys, lengths and classes of a
batch; returns the numbers of keys and rows."""


class Trees(NamedTuple):
    """The trees of a treebank, as its attributes of these names."""

    tokens: Ints
    heads: Ints
    deprels: Ints
    offsets: Longs

    @classmethod
    def of(cls, treebank: Treebank) -> Trees:
        """Return the trees of a treebank."""
        return cls(treebank.tokens, treebank.heads, treebank.deprels, treebank.offsets)


def batches(extract: Extract, n_sentences: int, most: int) -> Iterator[Batch]:
    """Extract rows of at most ``most`` keys each from all sentences, a batch at a time."""
    keys = np.empty(BATCH_KEYS + most, np.uint64)
    lengths, classes = np.empty(BATCH_KEYS, np.int32), np.empty(BATCH_KEYS, np.int32)
    at = np.zeros(2, np.int64)
    while at[0] < n_sentences:
        n_keys, n_rows = extract(at, keys, lengths, classes)
        yield keys[:n_keys], lengths[:n_rows], classes[:n_rows]


class Rows(NamedTuple):
    """A training set in compressed sparse rows; all feature values are 1.

    Attributes
    ----------
    keys : ndarray of uint64, shape (n_features,)
        The key of each column, most frequent first.
    indptr : ndarray of int32, shape (n_rows + 1,)
    indices : ndarray of int32, shape (indptr[-1],)
        Columns.
    classes : ndarray of int32, shape (n_rows,)
        The class of each row.
    """

    keys: Keys
    indptr: Ints
    indices: Ints
    classes: Ints


def rows_of(batches: Callable[[], Iterator[Batch]], cutoff: int, name: str) -> Rows:
    """Return training rows.

    Parameters
    ----------
    batches : callable
        Extracts the features, the same at each call. A batch is consumed before the next one is extracted.
    cutoff : int
        Features seen fewer times are left out.
    name : str
        Name of their treebank, for error messages.

    Raises
    ------
    InputError
        If there are too many features for 32-bit indices.

    Examples
    --------
    >>> batch = np.array([7, 9, 7], np.uint64), np.array([2, 1], np.int32), np.array([0, 1], np.int32)
    >>> rows = rows_of(lambda: iter([batch]), cutoff=2, name='toy')
    >>> rows.keys.tolist(), rows.indptr.tolist(), rows.indices.tolist(), rows.classes.tolist()
    ([7], [0, 1, 2], [0, 0], [0, 1])
    """
    slots, counts, used = np.zeros(1 << 16, np.uint64), np.zeros(1 << 16, np.int32), 0
    for keys, _, _ in batches():
        while 2 * len(keys) > len(slots) or 0.7 * len(slots) - len(keys) < used > 0.3 * len(slots):
            new_slots, new_counts = np.zeros(2 * len(slots), np.uint64), np.zeros(2 * len(slots), np.int32)
            rehash(slots, counts, new_slots, new_counts)
            slots, counts = new_slots, new_counts
        used += count_keys(keys, slots, counts)
    columns = frequent_first(slots, counts, cutoff)
    index = index_of(columns, np.arange(len(columns)))
    lengths: list[Ints] = [np.zeros(1, np.int32)]
    indices: list[Ints] = [np.zeros(0, np.int32)]
    classes: list[Ints] = [np.zeros(0, np.int32)]
    for keys, batch_lengths, batch_classes in batches():
        batch_rows, kept = np.empty(len(keys), np.int64), np.empty(len(batch_lengths), np.int32)
        used = map_rows(keys, batch_lengths, index, batch_rows, kept)
        indices.append(batch_rows[:used].astype(np.int32))
        lengths.append(kept)
        classes.append(batch_classes.copy())
    indptr = np.cumsum(np.concatenate(lengths), dtype=np.int64)
    if indptr[-1] > np.iinfo(np.int32).max:
        raise InputError(
            f"expected rows with at most 2**31 features in all, found {indptr[-1]}",
            path=name,
            remedy="give fewer sentences, or choose a higher cutoff or fewer templates",
        )
    return Rows(columns, indptr.astype(np.int32), np.concatenate(indices), np.concatenate(classes))


def check_thresholds(cutoff: int, prune: float) -> None:
    """Check the minimum count of a feature, and the threshold of weights as a share of the largest.

    Raises
    ------
    ConfigError
        If the count is not positive, or the share not in [0, 1).
    """
    converted(Count, cutoff, "cutoff")
    converted(Share, prune, "prune")


def check_frequent(rows: Rows, cutoff: int, name: str) -> None:
    """Check that some feature is frequent enough.

    Raises
    ------
    InputError
        If there is none.
    """
    if not len(rows.keys):
        raise InputError(
            f"expected features that occur {cutoff} times, found none",
            path=name,
            remedy="give more sentences, or choose a lower cutoff",
        )


def fit(learner: Learner, rows: Rows, progress: Progress | None, name: str) -> None:
    """Fit a learner to rows; learners that report progress do so under ``name``.

    Raises
    ------
    ConfigError
        If the learner refuses the rows or its options.
    """
    values = np.ones(len(rows.indices), getattr(learner, "values_dtype", np.float32))
    from scipy.sparse import csr_matrix  # slow to import, and not needed to parse

    X = csr_matrix((values, rows.indices, rows.indptr), shape=(len(rows.classes), len(rows.keys)))

    def tell(done: int, total: int) -> None:
        if progress is not None:
            progress(name, done, total)

    told = {"progress": tell} if "progress" in inspect.signature(learner.fit).parameters else {}
    try:
        learner.fit(X, rows.classes, **told)
    except TreevoteError:
        raise
    except Exception as error:  # a classifier of scikit-learn may have any options
        raise ConfigError(f"{type(learner).__name__} cannot learn to parse ({error}); choose another") from error
