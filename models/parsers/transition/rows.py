"""Training rows: the features of the configurations on the oracle's way to the gold trees, and its actions.

Where only one action is legal there is nothing to learn, and no row.
"""

from __future__ import annotations

import functools

from treevote.corpus.treebank import Treebank
from treevote.kernels import Ints, kernel
from treevote.models.learning.features.firing import MAX_FEATURES, scratch
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.rows import Buffers, Rows, Trees, rows_of_trees
from treevote.models.learning.features.templates import TemplateTable
from treevote.models.parsers.transition.arc_standard import Actions, class_table, derive_gold
from treevote.models.parsers.transition.features import fire


def rows_of(treebank: Treebank, words: WordColumns, actions: Actions, table: TemplateTable, cutoff: int) -> Rows:
    """Return the training rows of a treebank of projective trees; raises as `features.rows.rows_of`."""
    classes = class_table(actions, len(treebank.labels))
    extract = functools.partial(derive, Trees.of(treebank), actions, classes, words, table)
    return rows_of_trees(extract, MAX_FEATURES, treebank, cutoff)


@kernel
def derive(
    trees: Trees, actions: Actions, classes: Ints, words: WordColumns, table: TemplateTable, buffers: Buffers
) -> tuple[int, int]:
    """Write a batch of rows for the gold trees, as `treevote.models.learning.features.rows.batches` expects."""
    room, offsets = scratch(table), trees.offsets
    at, keys, lengths, gold = buffers
    n_keys, n_rows = 0, 0
    while at[0] < len(offsets) - 1:
        sentence = int(at[0])
        tokens = trees.tokens[offsets[sentence] : offsets[sentence + 1]]
        space, taken, _ = derive_gold(trees, sentence, actions, classes)
        for here in range(at[1], len(taken)):
            if taken[here] >= 0:
                if n_keys + MAX_FEATURES > len(keys) or n_rows == len(lengths):
                    at[1] = here
                    return n_keys, n_rows
                lengths[n_rows] = fire(space, here, tokens, words, table, room, keys[n_keys:])
                gold[n_rows] = taken[here]
                n_keys += lengths[n_rows]
                n_rows += 1
        at[0], at[1] = sentence + 1, 0
    return n_keys, n_rows
