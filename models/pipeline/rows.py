"""Training rows: the features of the pairs on the way to the gold trees, and the action that the gold tree asks for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treevote.errors import InputError
from treevote.kernels import Bools, Ints, Keys, Longs, kernel
from treevote.models.features.feature_index import count_keys, frequent_first, index_of, map_rows, rehash
from treevote.models.features.lexicon import WordColumns
from treevote.models.pipeline.configuration import LEFT, RIGHT, begin, room, take
from treevote.models.pipeline.features import fire
from treevote.models.pipeline.oracle import goes_on, gold_action, tree_of
from treevote.models.transition.features import MAX_FEATURES, scratch
from treevote.models.transition.rows import Rows
from treevote.models.transition.templates import TemplateTable
from treevote.treebank import Treebank

_BATCH_KEYS = 1 << 21  # keys held at a time, 16 MiB


def rows_of(
    treebank: Treebank, words: WordColumns, table: TemplateTable, policy: int, waits: Bools, cutoff: int
) -> Rows:
    """Return the training rows of a treebank of projective trees; parameters as `derivations`.

    Raises
    ------
    InputError
        If there are too many for 32-bit indices.
    """
    slots, counts, used = np.zeros(1 << 16, np.uint64), np.zeros(1 << 16, np.int32), 0
    for keys, _, _ in derivations(treebank, words, table, policy, waits):
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
    for keys, batch_lengths, batch_actions in derivations(treebank, words, table, policy, waits):
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
    treebank: Treebank, words: WordColumns, table: TemplateTable, policy: int, waits: Bools
) -> Iterator[tuple[Keys, Ints, Ints]]:
    """Let the gold action predictor build the trees, some pairs at a time.

    Parameters
    ----------
    treebank : Treebank
        Projective trees.
    words : WordColumns
        For ``treebank.words``.
    table : TemplateTable
    policy : int
    waits : ndarray of bool, shape (2,)
        Whether there is a WaitLeft, and a WaitRight.

    Yields
    ------
    keys : ndarray of uint64
        Features of the pairs, one after the other.
    lengths : ndarray of int32, shape (n_pairs,)
        How many each has.
    actions : ndarray of int32, shape (n_pairs,)
        The action taken on each.
    """
    keys = np.empty(_BATCH_KEYS + MAX_FEATURES, np.uint64)
    lengths, actions = np.empty(_BATCH_KEYS, np.int32), np.empty(_BATCH_KEYS, np.int32)
    sentence = skipped = 0
    while sentence < treebank.n_sentences:
        sentence, skipped, n_keys, n_pairs = derive(
            treebank.tokens, treebank.heads, treebank.offsets, sentence, skipped, words, table, policy, waits, keys,
            lengths, actions,
        )  # fmt: skip
        yield keys[:n_keys], lengths[:n_pairs].copy(), actions[:n_pairs].copy()


@kernel
def derive(
    tokens: Ints,
    heads: Ints,
    offsets: Longs,
    sentence: int,
    done: int,
    words: WordColumns,
    table: TemplateTable,
    policy: int,
    waits: Bools,
    keys: Keys,
    lengths: Ints,
    actions: Ints,
) -> tuple[int, int, int, int]:
    """Go on from pair ``done`` of a sentence as long as there is room for one more.

    Returns
    -------
    sentence, done, n_keys, n_pairs : int
        Where to go on, and how much was written into ``keys``, and into ``lengths`` and ``actions``.
    """
    space = scratch(table)
    n_keys, n_pairs = 0, 0
    while sentence < len(offsets) - 1:
        first, last = offsets[sentence], offsets[sentence + 1]
        T, tree = room(last - first - 1), tree_of(heads[first:last])
        focus, missing, pair = begin(T), tree.arcs, 0
        while goes_on(focus, missing):
            action = gold_action(T, focus, tree, waits)
            if pair >= done:
                if n_keys + MAX_FEATURES > len(keys) or n_pairs == len(lengths):
                    return sentence, pair, n_keys, n_pairs
                lengths[n_pairs] = fire(T, focus, tokens[first:last], words, table, space, keys[n_keys:])
                actions[n_pairs] = action
                n_keys += lengths[n_pairs]
                n_pairs += 1
            if action in (LEFT, RIGHT):
                missing -= 1
            focus = take(T, focus, policy, len(T), action)
            pair += 1
        sentence, done = sentence + 1, 0
    return sentence, 0, n_keys, n_pairs
