"""Training rows: the features of the arcs of gold trees, and their labels."""

from __future__ import annotations

import functools

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import kernel
from treevote.models.learning.features.firing import scratch
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.rows import Buffers, Rows, Trees, rows_of_trees
from treevote.models.learning.features.templates import TemplateTable
from treevote.models.parsers.labelling.features import Sentence, fire, max_features
from treevote.models.parsers.labelling.surroundings import bottom_up, link


def rows_of(treebank: Treebank, words: WordColumns, table: TemplateTable, cutoff: int) -> Rows:
    """Return the training rows, whose classes are labels; raises as `features.rows.rows_of`."""
    extract = functools.partial(label_gold, Trees.of(treebank), words, table)
    return rows_of_trees(extract, max_features(table), treebank, cutoff)


@kernel
def label_gold(trees: Trees, words: WordColumns, table: TemplateTable, buffers: Buffers) -> tuple[int, int]:
    """Write a batch of rows for the arcs of gold trees, as `treevote.models.learning.features.rows.batches` expects.

    Arcs come in the order in which they are labelled, and each sees the labels of those before it.
    """
    at, keys, lengths, labels = buffers
    room, most, offsets = scratch(table), max_features(table), trees.offsets
    n_keys, n_arcs = 0, 0
    while at[0] < len(offsets) - 1:
        first, last = offsets[at[0]], offsets[at[0] + 1]
        links = link(trees.heads[first:last])
        order = bottom_up(links)
        known = np.full(last - first, -1, np.int32)
        tree = Sentence(trees.tokens[first:last], trees.heads[first:last], known, links)
        for arc in range(len(order) - 1):
            label = trees.deprels[first + order[arc]]
            if arc >= at[1]:
                if n_keys + most > len(keys) or n_arcs == len(lengths):
                    at[1] = arc
                    return n_keys, n_arcs
                lengths[n_arcs] = fire(tree, order[arc], words, table, room, keys[n_keys:])
                labels[n_arcs] = label
                n_keys += lengths[n_arcs]
                n_arcs += 1
            known[order[arc]] = label
        at[0], at[1] = at[0] + 1, 0
    return n_keys, n_arcs
