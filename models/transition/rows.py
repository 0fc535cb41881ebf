"""Training rows: the features of the configurations on the oracle's way to the gold trees, and its actions.

Where only one action is legal there is nothing to learn, and no row.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Ints, Keys, Longs, kernel
from treevote.models.features import rows as training_rows
from treevote.models.features.firing import MAX_FEATURES, scratch
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.rows import BATCH_KEYS, Batch, Rows
from treevote.models.features.templates import TemplateTable
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
from treevote.models.transition.features import fire


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
    return training_rows.rows_of(functools.partial(derivations, treebank, words, actions, table), cutoff, treebank.name)


def derivations(treebank: Treebank, words: WordColumns, actions: Actions, table: TemplateTable) -> Iterator[Batch]:
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
    buffer = np.empty(BATCH_KEYS + 2 * longest * MAX_FEATURES, np.uint64)
    n_rows = 2 * treebank.n_tokens
    lengths, gold = np.empty(n_rows, np.int32), np.empty(n_rows, np.int32)
    sentence = 0
    while sentence < treebank.n_sentences:
        sentence, n_keys, n_rows = derive(
            space, actions, classes, treebank.tokens, treebank.heads, treebank.deprels, treebank.offsets, sentence,
            words, table, buffer, lengths, gold,
        )  # fmt: skip
        yield buffer[:n_keys], lengths[:n_rows], gold[:n_rows]


def class_table(actions: Actions, n_labels: int) -> Ints:
    """Return the class of each (kind, label), -1 where there is none; shape (3, n_labels)."""
    classes = np.full((3, max(1, n_labels)), -1, np.int32)
    for action in range(1, len(actions.kind)):
        classes[actions.kind[action], actions.label[action]] = action
    classes[SHIFT] = 0
    return classes


@kernel
def walk(space: Arena, actions: Actions, classes: Ints, heads: Ints, deprels: Ints, taken: Ints) -> None:
    """Write the configurations on the oracle's way to a gold tree, from row 0 on, and the action taken in each.

    ``taken``, shape (at least 2 * n,), receives the actions, -1 where only one is legal.
    """
    n = len(heads) - 1
    right_dependents, mask = count_right_dependents(heads), np.empty(len(actions.kind), np.bool_)
    initial(space, n)
    for here in range(2 * n):
        kind = oracle(space, here, heads, right_dependents)
        action = classes[kind, oracle_label(space, here, kind, deprels)]
        legal(space, actions, here, n, mask)
        taken[here] = action if forced(mask) < 0 else -1
        advance(space, actions, here, here + 1, n + 1 + here, action)


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
    """Walk through sentences from ``sentence`` on until ``BATCH_KEYS`` keys are there.

    Returns
    -------
    sentence, n_keys, n_rows : int
        The next sentence, and how much was written into ``keys``, and into ``lengths`` and ``gold``.
    """
    room, taken = scratch(table), np.empty(len(space.configurations), np.int32)
    n_keys, n_rows = 0, 0
    while sentence < len(offsets) - 1 and n_keys < BATCH_KEYS:
        first, last = offsets[sentence], offsets[sentence + 1]
        n = last - first - 1
        walk(space, actions, classes, heads[first:last], deprels[first:last], taken)
        for here in range(2 * n):
            if taken[here] >= 0:
                lengths[n_rows] = fire(space, here, n, tokens[first:last], words, table, room, keys[n_keys:])
                gold[n_rows] = taken[here]
                n_keys += lengths[n_rows]
                n_rows += 1
        sentence += 1
    return sentence, n_keys, n_rows
