"""From projective trees to a guide: the oracle's rows, and a learner fitted to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.linear_guide import LinearGuide, is_linear
from treevote.models.features.rows import check_frequent, fit
from treevote.models.features.templates import TemplateTable
from treevote.models.transition.arc_standard import Actions
from treevote.models.transition.guides import ClassifierGuide
from treevote.models.transition.rows import rows_of
from treevote.parallel import Progress
from treevote.protocols import Learner


class Task(NamedTuple):
    """Settings of the training of guides: a factory of learners, the actions and templates, and thresholds.

    ``words`` are those of the treebank; ``cutoff`` and ``prune`` are as in `treevote.models.features.rows`.
    """

    learner: Callable[[], Learner]
    words: WordColumns
    actions: Actions
    table: TemplateTable
    cutoff: int
    prune: float
    progress: Progress | None = None


def train_guide(treebank: Treebank, task: Task, name: str = "training") -> LinearGuide | ClassifierGuide:
    """Train a guide on projective trees.

    Parameters
    ----------
    treebank : Treebank
    task : Task
    name : str, default="training"
        Name of the training in the progress.

    Raises
    ------
    InputError
        If no feature is frequent enough.
    ConfigError
        If the learner refuses the rows or its options.
    ModelError
        If it is a classifier that cannot score single classes.
    """
    n_actions = len(task.actions.kind)
    rows = rows_of(treebank, task.words, task.actions, task.table, task.cutoff)
    if len(np.unique(rows.classes)) < 2:
        return LinearGuide.constant(rows.classes[:1], n_actions)
    check_frequent(rows, task.cutoff, treebank.name)
    learner = task.learner()
    fit(learner, rows, task.progress, name)
    if is_linear(learner):
        return LinearGuide.trained(learner, rows.keys, n_actions, task.prune)
    return ClassifierGuide.of(learner, rows.keys, n_actions)
