"""The temperature of a max-margin model: the divisor that turns its scores into logarithms of odds.

Search multiplies probabilities. Those of a max-margin learner are ``softmax(s / T)``, with the temperature T that gives
the oracle's actions on held-out trees the highest likelihood, so that it is sure where it is right (after Platt 1999).
One temperature for all classes keeps the order of their scores. On its training rows a classifier is overconfident.

Source: Guo, Pleiss, Sun & Weinberger, "On calibration of modern neural networks", ICML 2017, section 4.2.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from treevote.corpus.treebank import Treebank
from treevote.errors import InputError
from treevote.kernels import Doubles, Ints, Longs, kernel
from treevote.models.learning.features.linear_guide import NEVER, LinearGuide
from treevote.models.learning.features.partial_scores import ScoreCache, divide, empty_cache
from treevote.models.learning.features.rich_templates import PARTS
from treevote.models.learning.features.rows import Trees
from treevote.models.parsers.transition.arc_standard import class_table, derive_gold, legal
from treevote.models.parsers.transition.features import Model, score_configuration
from treevote.models.parsers.transition.training import Task, train_guide

HELD_OUT = 10  # every sentence whose number is a multiple of this is held out to fit a temperature
IMPOSSIBLE = -1e9  # score of an action that is not legal


def held_out_temperature(treebank: Treebank, task: Task) -> float:
    """Return the temperature of a linear learner on sentences that it was not trained on; 1 if they are too few."""
    held_out = np.arange(treebank.n_sentences) % HELD_OUT == HELD_OUT - 1
    if not held_out.any():
        return 1.0
    try:
        guide = train_guide(treebank.select(~held_out), task, "calibrating")
    except InputError:  # the rest has no frequent feature
        return 1.0
    if not isinstance(guide, LinearGuide) or not len(guide.keys):
        return 1.0
    model = Model(task.actions, divide(task.table, PARTS), guide.weights, task.words)
    return temperature_of(treebank.select(held_out), model)


def temperature_of(treebank: Treebank, model: Model) -> float:
    """Return the temperature for a linear model, in its learner's units, on trees that it was not trained on.

    The trees are projective, with labels and words of the training. 1 where they leave no choice, or need actions that
    the model has never seen.
    """
    scores = np.empty((2 * treebank.n_tokens, len(model.actions.kind)))
    gold = np.empty(len(scores), np.int32)
    classes = class_table(model.actions, len(treebank.labels))
    cache = empty_cache(model.parts, len(model.actions.kind))
    n_rows = score_derivations(Trees.of(treebank), model, cache, classes, scores, gold)
    known = np.flatnonzero(model.weights.bias[gold[:n_rows]] > NEVER)
    return fit_temperature(scores[known], gold[known]) if len(known) else 1.0


@kernel
def score_derivations(trees: Trees, model: Model, cache: ScoreCache, classes: Ints, scores: Doubles, gold: Ints) -> int:
    """Write the scores of all actions on the oracle's way to the trees, and its actions, where there is a choice.

    Return the number of rows written to ``scores``, shape (2 * n_tokens, n_actions), and ``gold``.
    """
    actions, offsets, n_rows = model.actions, trees.offsets, 0
    own, mask = np.empty(len(actions.kind), np.int32), np.empty(len(actions.kind), np.bool_)
    for sentence in range(len(offsets) - 1):
        tokens = trees.tokens[offsets[sentence] : offsets[sentence + 1]]
        space, taken, _ = derive_gold(trees, sentence, actions, classes)
        for here in range(len(taken)):
            if taken[here] >= 0:
                score_configuration(model, cache, space, here, tokens, own)
                legal(space, actions, here, len(tokens) - 1, mask)
                for k in range(len(mask)):
                    scores[n_rows, k] = own[k] * model.weights.scale if mask[k] else IMPOSSIBLE
                gold[n_rows] = taken[here]
                n_rows += 1
    return n_rows


def fit_temperature(scores: Doubles, gold: Ints | Longs) -> float:
    """Return the temperature T, in 1e-6..1e6, of the highest likelihood under ``softmax(scores / T)``.

    ``scores``, shape (n_rows, n_classes), are finite; ``gold`` has the column of the correct class of each row.

    >>> overconfident = np.array([[4.0, 0.0], [0.0, 4.0], [4.0, 0.0], [4.0, 0.0]])
    >>> round(fit_temperature(overconfident, np.array([0, 1, 0, 1])), 2)  # so that 4 / T is log(3 / 1)
    3.64
    """
    rows = np.arange(len(scores))

    def loss(log_temperature: float) -> float:
        return -float(log_softmax(scores / np.exp(log_temperature), axis=1)[rows, gold].mean())

    # The loss is convex in 1 / T, so it has one valley in log T, too.
    found = minimize_scalar(loss, bounds=(np.log(1e-6), np.log(1e6)), method="bounded", options={"xatol": 1e-6})
    return float(np.exp(found.x))
