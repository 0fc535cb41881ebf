"""Training rows: the features of the arcs of gold trees, and their labels.

Extraction runs twice over the treebank: to count the features, and to write the rows of those that are frequent
enough. It is cheap, so this costs less than keeping the keys of all features would.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treevote.errors import InputError
from treevote.kernels import Ints, Keys, Longs, kernel
from treevote.models.features.feature_index import count_keys, frequent_first, index_of, map_rows, rehash
from treevote.models.features.lexicon import WordColumns
from treevote.models.labelling.features import Sentence, fire, max_features, scratch
from treevote.models.labelling.surroundings import LINKS, bottom_up, link
from treevote.models.labelling.templates import ArcTemplates
from treevote.models.transition.rows import Rows
from treevote.treebank import Treebank

_BATCH_KEYS = 1 << 21  # keys held at a time, 16 MiB


def rows_of(treebank: Treebank, words: WordColumns, table: ArcTemplates, cutoff: int) -> Rows:
    """Return the training rows of a treebank; the ``actions`` of the rows are labels.

    Parameters
    ----------
    treebank : Treebank
        With trees.
    words : WordColumns
        For ``treebank.words``.
    table : ArcTemplates
    cutoff : int
        Features seen fewer times are left out.

    Raises
    ------
    InputError
        If there are too many for 32-bit indices.
    """
    slots, counts, used = np.zeros(1 << 16, np.uint64), np.zeros(1 << 16, np.int32), 0
    for keys, _, _ in labelled_arcs(treebank, words, table):
        while 2 * len(keys) > len(slots) or 0.7 * len(slots) - len(keys) < used > 0.3 * len(slots):
            new_slots, new_counts = np.zeros(2 * len(slots), np.uint64), np.zeros(2 * len(slots), np.int32)
            rehash(slots, counts, new_slots, new_counts)
            slots, counts = new_slots, new_counts
        used += count_keys(keys, slots, counts)
    columns = frequent_first(slots, counts, cutoff)
    index = index_of(columns, np.arange(len(columns)))
    lengths: list[Ints] = [np.zeros(1, np.int32)]
    indices: list[Ints] = [np.zeros(0, np.int32)]
    labels: list[Ints] = [np.zeros(0, np.int32)]
    for keys, batch_lengths, batch_labels in labelled_arcs(treebank, words, table):
        batch_rows, kept = np.empty(len(keys), np.int64), np.empty(len(batch_lengths), np.int32)
        used = map_rows(keys, batch_lengths, index, batch_rows, kept)
        indices.append(batch_rows[:used].astype(np.int32))
        lengths.append(kept)
        labels.append(batch_labels)
    indptr = np.cumsum(np.concatenate(lengths), dtype=np.int64)
    if indptr[-1] > np.iinfo(np.int32).max:
        raise InputError(
            f"expected rows with at most 2**31 features in all, found {indptr[-1]}",
            path=treebank.name,
            remedy="give fewer sentences, or choose a higher cutoff or fewer templates",
        )
    return Rows(columns, indptr.astype(np.int32), np.concatenate(indices), np.concatenate(labels))


def labelled_arcs(treebank: Treebank, words: WordColumns, table: ArcTemplates) -> Iterator[tuple[Keys, Ints, Ints]]:
    """Go through the arcs of all trees, some sentences at a time.

    Yields
    ------
    keys : ndarray of uint64
        Features of the arcs, one after the other.
    lengths : ndarray of int32, shape (n_arcs,)
        How many each has.
    labels : ndarray of int32, shape (n_arcs,)
        The label of each.
    """
    longest = int(np.diff(treebank.offsets).max(initial=1)) - 1
    buffer = np.empty(_BATCH_KEYS + longest * max_features(table), np.uint64)
    lengths, labels = np.empty(treebank.n_tokens, np.int32), np.empty(treebank.n_tokens, np.int32)
    sentence = 0
    while sentence < treebank.n_sentences:
        sentence, n_keys, n_arcs = extract(
            treebank.tokens, treebank.heads, treebank.deprels, treebank.offsets, sentence, words, table, buffer,
            lengths, labels,
        )  # fmt: skip
        yield buffer[:n_keys], lengths[:n_arcs].copy(), labels[:n_arcs].copy()


@kernel
def extract(
    tokens: Ints,
    heads: Ints,
    deprels: Ints,
    offsets: Longs,
    sentence: int,
    words: WordColumns,
    table: ArcTemplates,
    keys: Keys,
    lengths: Ints,
    labels: Ints,
) -> tuple[int, int, int]:
    """Extract the features of the arcs of sentences from ``sentence`` on until ``_BATCH_KEYS`` keys are there.

    Arcs come in the order in which they are labelled, and each sees the labels of those before it.

    Returns
    -------
    sentence, n_keys, n_arcs : int
        The next sentence, and how much was written into ``keys``, and into ``lengths`` and ``labels``.
    """
    room = scratch(table)
    n_keys, n_arcs = 0, 0
    while sentence < len(offsets) - 1 and n_keys < _BATCH_KEYS:
        first, last = offsets[sentence], offsets[sentence + 1]
        links, order = np.empty((last - first, len(LINKS)), np.int32), np.empty(last - first, np.int32)
        link(heads[first:last], links)
        bottom_up(links, order)
        known = np.full(last - first, -1, np.int32)
        tree = Sentence(tokens[first:last], heads[first:last], known, links)
        for dependent in order[:-1]:
            count = fire(tree, dependent, words, table, room, keys[n_keys:])
            n_keys += count
            known[dependent] = deprels[first + dependent]
            lengths[n_arcs] = count
            labels[n_arcs] = known[dependent]
            n_arcs += 1
        sentence += 1
    return sentence, n_keys, n_arcs
