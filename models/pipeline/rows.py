"""Training rows: the features of the pairs on the way to the gold trees, and the action that the gold tree asks for."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Bools, Ints, Keys, Longs, kernel
from treevote.models.features import rows as training_rows
from treevote.models.features.firing import MAX_FEATURES, scratch
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.rows import BATCH_KEYS, Batch, Rows
from treevote.models.features.templates import TemplateTable
from treevote.models.pipeline.configuration import LEFT, RIGHT, begin, room, take
from treevote.models.pipeline.features import fire
from treevote.models.pipeline.oracle import goes_on, gold_action, tree_of


def rows_of(
    treebank: Treebank, words: WordColumns, table: TemplateTable, policy: int, waits: Bools, cutoff: int
) -> Rows:
    """Return the training rows of a treebank of projective trees; parameters as `derivations`.

    Raises
    ------
    InputError
        If there are too many for 32-bit indices.
    """
    return training_rows.rows_of(
        functools.partial(derivations, treebank, words, table, policy, waits), cutoff, treebank.name
    )


def derivations(
    treebank: Treebank, words: WordColumns, table: TemplateTable, policy: int, waits: Bools
) -> Iterator[Batch]:
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
    keys = np.empty(BATCH_KEYS + MAX_FEATURES, np.uint64)
    lengths, actions = np.empty(BATCH_KEYS, np.int32), np.empty(BATCH_KEYS, np.int32)
    sentence = skipped = 0
    while sentence < treebank.n_sentences:
        sentence, skipped, n_keys, n_pairs = derive(
            treebank.tokens, treebank.heads, treebank.offsets, sentence, skipped, words, table, policy, waits, keys,
            lengths, actions,
        )  # fmt: skip
        yield keys[:n_keys], lengths[:n_pairs], actions[:n_pairs]


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
