"""From projective trees to a guide: the oracle's rows, a learner fitted to them, and structured training."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError
from treevote.models.features.feature_index import index_of
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.linear_guide import LinearGuide, coefficients_of, is_linear
from treevote.models.features.rows import Trees, check_frequent, fit
from treevote.models.features.templates import TemplateTable
from treevote.models.transition.arc_standard import Actions, class_table
from treevote.models.transition.guides import ClassifierGuide
from treevote.models.transition.rows import rows_of
from treevote.models.transition.structured_training import Sentences, train_structured
from treevote.parallel import Progress
from treevote.protocols import Learner


class Task(NamedTuple):
    """Settings of the training of guides: a factory of learners, the actions and templates, and thresholds.

    ``words`` are those of the treebank; ``cutoff`` and ``prune`` are as in `treevote.models.features.rows`. The last
    three are for structured training: ``epochs``, 0 for none, beam size and seed.
    """

    learner: Callable[[], Learner]
    words: WordColumns
    actions: Actions
    table: TemplateTable
    cutoff: int
    prune: float
    progress: Progress | None = None
    epochs: int = 0
    width: int = 1
    seed: int = 0


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
        If the learner refuses the rows or its options, or is not linear and structured training is asked for.
    ModelError
        If it is a classifier that cannot score single classes.
    """
    n_actions = len(task.actions.kind)
    rows = rows_of(treebank, task.words, task.actions, task.table, task.cutoff)
    if len(np.unique(rows.classes)) < 2:
        return LinearGuide.constant(rows.classes[:1], n_actions)
    check_frequent(rows, task.cutoff, treebank.name)
    keys, learner = rows.keys, task.learner()
    fit(learner, rows, task.progress, name)
    del rows  # the largest part of the memory
    if is_linear(learner):
        coefficients = coefficients_of(learner, n_actions)
        del learner
        if task.epochs:
            classes = class_table(task.actions, len(treebank.labels))
            slots = index_of(keys, np.arange(len(keys)))
            sentences = Sentences(Trees.of(treebank), task.words, task.actions, classes, task.table, slots)
            coefficients = train_structured(sentences, coefficients, task.epochs, task.width, task.seed, task.progress)
        return LinearGuide.packing(coefficients, keys, task.prune)
    if task.epochs:
        raise ConfigError("structured training needs a linear learner; set structured_epochs to 0, or choose another")
    return ClassifierGuide.of(learner, keys, n_actions)
