"""Training rows: the features of the pairs on the way to the gold trees, and their gold actions."""

from __future__ import annotations

import functools

from treevote.corpus.treebank import Treebank
from treevote.kernels import Bools, kernel
from treevote.models.learning.features.firing import MAX_FEATURES, scratch
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.rows import Buffers, Rows, Trees, rows_of_trees
from treevote.models.learning.features.templates import TemplateTable
from treevote.models.parsers.pipeline.configuration import LEFT, RIGHT, begin, take, words_left
from treevote.models.parsers.pipeline.features import fire
from treevote.models.parsers.pipeline.oracle import goes_on, gold_action, tree_of


def rows_of(
    treebank: Treebank, words: WordColumns, table: TemplateTable, policy: int, waits: Bools, cutoff: int
) -> Rows:
    """Return the training rows of projective trees; ``waits`` are flags for the existence of WaitLeft and WaitRight."""
    extract = functools.partial(derive, Trees.of(treebank), words, table, policy, waits)
    return rows_of_trees(extract, MAX_FEATURES, treebank, cutoff)


@kernel
def derive(
    trees: Trees, words: WordColumns, table: TemplateTable, policy: int, waits: Bools, buffers: Buffers
) -> tuple[int, int]:
    """Write a batch of rows for the gold trees, as `treevote.models.learning.features.rows.batches` expects."""
    space, offsets = scratch(table), trees.offsets
    at, keys, lengths, actions = buffers
    n_keys, n_pairs = 0, 0
    while at[0] < len(offsets) - 1:
        sentence = int(at[0])
        first, last = offsets[sentence], offsets[sentence + 1]
        remaining, tree = words_left(last - first - 1), tree_of(trees.heads[first:last])
        focus, missing, pair = begin(remaining), tree.arcs, 0
        while goes_on(focus, missing):
            action = gold_action(remaining, focus, tree, waits)
            if pair >= at[1]:
                if n_keys + MAX_FEATURES > len(keys) or n_pairs == len(lengths):
                    at[1] = pair
                    return n_keys, n_pairs
                lengths[n_pairs] = fire(remaining, focus, trees.tokens[first:last], words, table, space, keys[n_keys:])
                actions[n_pairs] = action
                n_keys += lengths[n_pairs]
                n_pairs += 1
            if action in (LEFT, RIGHT):
                missing -= 1
            focus = take(remaining, focus, policy, len(remaining), action)
            pair += 1
        at[0], at[1] = sentence + 1, 0
    return n_keys, n_pairs
