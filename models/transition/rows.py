"""Training rows: the features of the configurations on the oracle's way to the gold trees, and its actions.

Where only one action is legal there is nothing to learn, and no row.

The oracle runs twice over the treebank: to count the features, and to write the rows of those that are frequent
enough. Extraction is cheap, so this costs less than keeping the keys of all features would.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from treevote.errors import InputError
from treevote.kernels import Ints, Keys, Longs, kernel
from treevote.models.features.feature_index import count_keys, frequent_first, index_of, map_rows, rehash
from treevote.models.features.lexicon import WordColumns
from treevote.models.transition.arc_standard import (
    SHIFT,
    Actions,
    advance,
    count_right_dependents,
    forced,
    legal,
    oracle,
    oracle_label,
)
from treevote.models.transition.configuration import Arena, arena, initial
from treevote.models.transition.features import MAX_FEATURES, fire, scratch
from treevote.models.transition.templates import TemplateTable
from treevote.treebank import Treebank

_BATCH_KEYS = 1 << 21  # keys held at a time, 16 MiB


class Rows(NamedTuple):
    """A training set of (configuration, action) pairs in compressed sparse rows; all feature values are 1.

    Attributes
    ----------
    keys : ndarray of uint64, shape (n_features,)
        The key of each column, most frequent first.
    indptr : ndarray of int32, shape (n_rows + 1,)
    indices : ndarray of int32, shape (indptr[-1],)
        Columns.
    actions : ndarray of int32, shape (n_rows,)
        The oracle's action in each configuration.
    """

    keys: Keys
    indptr: Ints
    indices: Ints
    actions: Ints


def rows_of(treebank: Treebank, words: WordColumns, actions: Actions, table: TemplateTable, cutoff: int) -> Rows:
    """Return the training rows of a treebank of projective trees.

    Parameters
    ----------
    treebank : Treebank
    words : WordColumns
        For ``treebank.words``.
    actions : Actions
    table : TemplateTable
    cutoff : int
        Features seen fewer times are left out.

    Raises
    ------
    InputError
        If there are too many for 32-bit indices.
    """
    slots, counts, used = np.zeros(1 << 16, np.uint64), np.zeros(1 << 16, np.int32), 0
    for keys, _, _ in derivations(treebank, words, actions, table):
        while 2 * len(keys) > len(slots) or 0.7 * len(slots) - len(keys) < used > 0.3 * len(slots):
            new_slots, new_counts = np.zeros(2 * len(slots), np.uint64), np.zeros(2 * len(slots), np.int32)
            rehash(slots, counts, new_slots, new_counts)
            slots, counts = new_slots, new_counts
        used += count_keys(keys, slots, counts)
    columns = frequent_first(slots, counts, cutoff)
    index = index_of(columns, np.arange(len(columns)))
    lengths: list[Ints] = [np.zeros(1, np.int32)]
    indices: list[Ints] = [np.zeros(0, np.int32)]
    gold: list[Ints] = [np.zeros(0, np.int32)]
    for keys, batch_lengths, batch_actions in derivations(treebank, words, actions, table):
        batch_rows, kept = np.empty(len(keys), np.int64), np.empty(len(batch_lengths), np.int32)
        used = map_rows(keys, batch_lengths, index, batch_rows, kept)
        indices.append(batch_rows[:used].astype(np.int32))
        lengths.append(kept)
        gold.append(batch_actions)
    indptr = np.cumsum(np.concatenate(lengths), dtype=np.int64)
    if indptr[-1] > np.iinfo(np.int32).max:
        raise InputError(
            f"expected rows with at most 2**31 features in all, found {indptr[-1]}",
            path=treebank.name,
            remedy="give fewer sentences, or choose a higher cutoff or fewer templates",
        )
    return Rows(columns, indptr.astype(np.int32), np.concatenate(indices), np.concatenate(gold))


def derivations(
    treebank: Treebank, words: WordColumns, actions: Actions, table: TemplateTable
) -> Iterator[tuple[Keys, Ints, Ints]]:
    """Walk from every initial configuration to the gold tree, some sentences at a time.

    Yields
    ------
    keys : ndarray of uint64
        Features of the configurations, one after the other.
    lengths : ndarray of int32, shape (n_configurations,)
        How many each has.
    actions : ndarray of int32, shape (n_configurations,)
        The action taken in each.
    """
    classes = class_table(actions, len(treebank.labels))
    longest = int(np.diff(treebank.offsets).max(initial=1)) - 1
    space = arena(longest)
    buffer = np.empty(_BATCH_KEYS + 2 * longest * MAX_FEATURES, np.uint64)
    n_rows = 2 * treebank.n_tokens
    lengths, gold = np.empty(n_rows, np.int32), np.empty(n_rows, np.int32)
    sentence = 0
    while sentence < treebank.n_sentences:
        sentence, n_keys, n_rows = derive(
            space, actions, classes, treebank.tokens, treebank.heads, treebank.deprels, treebank.offsets, sentence,
            words, table, buffer, lengths, gold,
        )  # fmt: skip
        yield buffer[:n_keys], lengths[:n_rows].copy(), gold[:n_rows].copy()


def class_table(actions: Actions, n_labels: int) -> Ints:
    """Return the class of each (kind, label), -1 where there is none; shape (3, n_labels)."""
    classes = np.full((3, max(1, n_labels)), -1, np.int32)
    for action in range(1, len(actions.kind)):
        classes[actions.kind[action], actions.label[action]] = action
    classes[SHIFT] = 0
    return classes


@kernel
def derive(
    space: Arena,
    actions: Actions,
    classes: Ints,
    tokens: Ints,
    heads: Ints,
    deprels: Ints,
    offsets: Longs,
    sentence: int,
    words: WordColumns,
    table: TemplateTable,
    keys: Keys,
    lengths: Ints,
    gold: Ints,
) -> tuple[int, int, int]:
    """Walk through sentences from ``sentence`` on until ``_BATCH_KEYS`` keys are there.

    Returns
    -------
    sentence, n_keys, n_rows : int
        The next sentence, and how much was written into ``keys``, and into ``lengths`` and ``gold``.
    """
    room, mask = scratch(table), np.empty(len(actions.kind), np.bool_)
    n_keys, n_rows = 0, 0
    while sentence < len(offsets) - 1 and n_keys < _BATCH_KEYS:
        first, last = offsets[sentence], offsets[sentence + 1]
        n = last - first - 1
        tree_heads, tree_deprels, sentence_tokens = heads[first:last], deprels[first:last], tokens[first:last]
        right_dependents = count_right_dependents(tree_heads)
        initial(space, n)
        for here in range(2 * n):
            kind = oracle(space, here, tree_heads, right_dependents)
            action = classes[kind, oracle_label(space, here, kind, tree_deprels)]
            legal(space, actions, here, n, mask)
            if forced(mask) < 0:
                count = fire(space, here, n, sentence_tokens, words, table, room, keys[n_keys:])
                n_keys += count
                lengths[n_rows] = count
                gold[n_rows] = action
                n_rows += 1
            advance(space, actions, here, here + 1, n + 1 + here, action)
        sentence += 1
    return sentence, n_keys, n_rows
