"""From projective trees to a guide: the oracle's rows, a learner fitted to them, and structured training."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Ints, kernel
from treevote.models.learning.features.firing import MAX_FEATURES, scratch
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.linear_guide import LinearGuide, coefficients_of
from treevote.models.learning.features.rows import Buffers, Rows, Trees, check_frequent, fit, rows_of_trees
from treevote.models.learning.features.templates import TemplateTable
from treevote.models.learning.learners.pairs import PairsSVM
from treevote.models.parsers.transition.arc_standard import Actions, class_table, derive_gold
from treevote.models.parsers.transition.features import fire
from treevote.models.parsers.transition.log_linear import LogLinear
from treevote.models.parsers.transition.pair_guide import PairGuide
from treevote.models.parsers.transition.structured_training import Passes, train_structured
from treevote.parallel import Progress
from treevote.protocols import Learner


class Task(NamedTuple):
    """Settings of the training of guides."""

    learner: Callable[[], Learner]
    words: WordColumns  # those of the treebank
    actions: Actions
    table: TemplateTable
    cutoff: int
    prune: float
    progress: Progress | None = None
    passes: Passes | None = None  # of structured training, which is for linear learners


def train_guide(treebank: Treebank, task: Task, name: str = "training") -> LinearGuide | PairGuide:
    """Train a guide on projective trees, with progress under ``name``; raises as `check_frequent` and `fit`."""
    n_actions = len(task.actions.kind)
    rows = rows_of(treebank, task.words, task.actions, task.table, task.cutoff)
    if len(np.unique(rows.classes)) < 2:
        return LinearGuide.constant(rows.classes[:1], n_actions)
    check_frequent(rows, task.cutoff, treebank.name)
    keys, learner = rows.keys, task.learner()
    fit(learner, rows, task.progress, name)
    del rows  # the largest part of the memory
    if isinstance(learner, PairsSVM):
        return PairGuide.trained(learner, keys, n_actions)
    coefficients = coefficients_of(learner, n_actions)
    del learner
    if task.passes is not None:
        model = LogLinear.of(task.actions, task.words, task.table, keys, coefficients)
        del coefficients
        coefficients = train_structured(treebank, model, task.passes, task.progress)
    return LinearGuide.packing(coefficients, keys, task.prune)


def rows_of(treebank: Treebank, words: WordColumns, actions: Actions, table: TemplateTable, cutoff: int) -> Rows:
    """Return training rows: the features of the configurations on the oracle's way to projective trees, its actions.

    Where only one action is legal there is nothing to learn, and no row. Raises as `features.rows.rows_of`.
    """
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
