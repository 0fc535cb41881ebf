"""From projective trees to a guide: the oracle's rows, a learner fitted to them, and its temperature.

Search multiplies probabilities. For a max-margin learner they are the softmax of its scores over a temperature, which
is fitted on sentences held out from a first training (after Platt 1999, with one temperature for all classes, so that
their order stays: see `treevote.models.learners.temperature`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.errors import InputError
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.linear_guide import LinearGuide, is_linear
from treevote.models.features.rows import check_frequent, fit
from treevote.models.features.templates import TemplateTable
from treevote.models.transition.arc_standard import Actions
from treevote.models.transition.calibration import temperature_of
from treevote.models.transition.guides import ClassifierGuide
from treevote.models.transition.rows import rows_of
from treevote.parallel import Progress
from treevote.protocols import Learner

HELD_OUT = 10
"""One sentence in so many is held out to fit a temperature."""


class Task(NamedTuple):
    """What a guide is trained for.

    Attributes
    ----------
    learner : callable
        Returns a new learner.
    words : WordColumns
        For the words of the treebank.
    actions : Actions
    table : TemplateTable
    cutoff : int
        Features seen fewer times are left out.
    prune : float
        As in `treevote.models.features.weights.pack`.
    progress : Progress, optional
        Told how far a learner is that can say so.
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
        What progress is told under.

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


def held_out_temperature(treebank: Treebank, task: Task) -> float:
    """Return the temperature of a linear learner on sentences that it was not trained on; 1 if they are too few."""
    held_out = np.arange(treebank.n_sentences) % HELD_OUT == HELD_OUT - 1
    if not held_out.any():
        return 1.0
    try:
        guide = train_guide(treebank.select(np.flatnonzero(~held_out)), task, "calibrating")
    except InputError:  # the rest has no frequent feature
        return 1.0
    if not isinstance(guide, LinearGuide) or not len(guide.keys):
        return 1.0
    held = treebank.select(np.flatnonzero(held_out))
    return temperature_of(held, task.words, task.actions, task.table, guide.weights)
