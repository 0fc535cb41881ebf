"""Training rows for the learners of all parsers.

Features are extracted twice: to count them, and to write the rows of those that are frequent enough. Extraction is
cheap, so this costs less than keeping the keys of all features would.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError, TreevoteError
from treevote.kernels import Ints, Keys, Longs
from treevote.models.learning.features.feature_index import count_keys, frequent_first, index_of, map_rows, rehash
from treevote.parallel import Progress
from treevote.protocols import Learner

BATCH_KEYS = 1 << 21  # number of keys in memory at a time: 16 MiB

Batch: TypeAlias = tuple[Keys, Ints, Ints]
"""Keys of some rows, row after row; number of keys of each row; class of each row: an action, a label or a tag."""


class Buffers(NamedTuple):
    """Arrays for a batch, and the position after it."""

    at: Longs  # sentence, and row of the sentence
    keys: Keys
    lengths: Ints
    classes: Ints


Extract: TypeAlias = Callable[[Buffers], tuple[int, int]]
"""Goes on at a position, which it advances; writes a batch; returns the numbers of its keys and rows."""


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
    keys, lengths = np.empty(BATCH_KEYS + most, np.uint64), np.empty(BATCH_KEYS, np.int32)
    buffers = Buffers(np.zeros(2, np.int64), keys, lengths, np.empty(BATCH_KEYS, np.int32))
    while buffers.at[0] < n_sentences:
        n_keys, n_rows = extract(buffers)
        yield keys[:n_keys], lengths[:n_rows], buffers.classes[:n_rows]


class Rows(NamedTuple):
    """A training set in compressed sparse rows; all feature values are 1."""

    keys: Keys  # the key of each column, most frequent first
    indptr: Ints
    indices: Ints
    classes: Ints  # the class of each row


def rows_of_trees(extract: Extract, most: int, treebank: Treebank, cutoff: int) -> Rows:
    """Return the training rows of a treebank, of at most ``most`` keys each; see `rows_of`."""
    return rows_of(lambda: batches(extract, treebank.n_sentences, most), cutoff, treebank.name)


def rows_of(batches: Callable[[], Iterator[Batch]], cutoff: int, name: str) -> Rows:
    """Return training rows with the features that are seen at least ``cutoff`` times.

    ``batches`` extracts the same features at each call; a batch is consumed before the next one is extracted.
    InputError, naming the treebank, if there are too many features for 32-bit indices.
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
        remedy = "give fewer sentences, or choose a higher cutoff or fewer templates"
        found = f"expected rows with at most 2**31 features in all, found {indptr[-1]}"
        raise InputError(found, path=name, remedy=remedy)
    return Rows(columns, indptr.astype(np.int32), np.concatenate(indices), np.concatenate(classes))


def check_frequent(rows: Rows, cutoff: int, name: str) -> None:
    """Raise InputError if no feature is frequent enough."""
    if not len(rows.keys):
        remedy = "give more sentences, or choose a lower cutoff"
        raise InputError(f"expected features that occur {cutoff} times, found none", path=name, remedy=remedy)


def fit(learner: Learner, rows: Rows, progress: Progress | None, name: str) -> None:
    """Fit a learner to rows, with progress under ``name``; ConfigError if it refuses the rows or its options."""
    values = np.ones(len(rows.indices), getattr(learner, "values_dtype", np.float32))
    from scipy.sparse import csr_matrix  # slow to import, and not needed to parse

    X = csr_matrix((values, rows.indices, rows.indptr), shape=(len(rows.classes), len(rows.keys)))
    told: dict[str, Any] = {}
    foreign: list[Exception] = []  # of the progress
    if progress is not None and "progress" in inspect.signature(learner.fit).parameters:

        def tell(done: int, total: int) -> None:
            try:
                progress(name, done, total)
            except Exception as error:
                foreign.append(error)
                raise

        told["progress"] = tell
    try:
        learner.fit(X, rows.classes, **told)
    except (TreevoteError, MemoryError, OSError):  # these are no fault of the options
        raise
    except Exception as error:  # a classifier of scikit-learn may have any options
        if error in foreign:
            raise
        raise ConfigError(
            f"{type(learner).__name__} cannot learn to parse ({error}); correct its options, or choose another"
        ) from error
