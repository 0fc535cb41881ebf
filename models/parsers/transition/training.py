"""From projective trees to a guide: the oracle's rows, a learner fitted to them, and structured training."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.linear_guide import LinearGuide, coefficients_of
from treevote.models.learning.features.rows import check_frequent, fit
from treevote.models.learning.features.templates import TemplateTable
from treevote.models.learning.learners.pairs import PairsSVM
from treevote.models.parsers.transition.arc_standard import Actions
from treevote.models.parsers.transition.log_linear import LogLinear
from treevote.models.parsers.transition.pair_guide import PairGuide
from treevote.models.parsers.transition.rows import rows_of
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
        coefficients = train_structured(treebank, model, task.passes, task.progress)
    return LinearGuide.packing(coefficients, keys, task.prune)
