"""The temperature of a max-margin model: the divisor that turns its scores into logarithms of odds.

Search multiplies probabilities. Those of a max-margin learner are the softmax of its scores over a temperature that
gives the oracle's actions on held-out trees the highest likelihood, so that it is sure where it is right (after
Platt 1999; one temperature for all classes keeps their order, see `treevote.models.learners.temperature`).
"""

from __future__ import annotations

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.errors import InputError
from treevote.kernels import Doubles, Ints, kernel
from treevote.models.features.linear_guide import NEVER, LinearGuide
from treevote.models.features.partial_scores import Kept, divide, nothing_kept
from treevote.models.features.rich_templates import PARTS
from treevote.models.features.rows import Trees
from treevote.models.transition.arc_standard import class_table, gold_of, legal, walk
from treevote.models.transition.configuration import arena
from treevote.models.transition.features import score_configuration
from treevote.models.transition.search import Model
from treevote.models.transition.training import Task, train_guide

HELD_OUT = 10
"""Every sentence whose number is a multiple of this is held out to fit a temperature."""

IMPOSSIBLE = -1e9
"""Score of an action that is not legal."""


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
    model = Model(task.actions, divide(task.table, PARTS), guide.weights, task.words)
    return temperature_of(treebank.select(np.flatnonzero(held_out)), model)


def temperature_of(treebank: Treebank, model: Model) -> float:
    """Return the temperature for a linear model, in its learner's units.

    Parameters
    ----------
    treebank : Treebank
        Projective trees that the model was not trained on, with labels and words of its training.
    model : Model
        Its words are those of the treebank.

    Returns
    -------
    float
        1 where the trees leave no choice, or need actions that the model has never seen.
    """
    from treevote.models.learners.temperature import fit_temperature

    scores = np.empty((2 * treebank.n_tokens, len(model.actions.kind)))
    gold = np.empty(len(scores), np.int32)
    classes = class_table(model.actions, len(treebank.labels))
    kept = nothing_kept(model.parts, len(model.actions.kind))
    n_rows = score_derivations(Trees.of(treebank), model, kept, classes, scores, gold)
    known = np.flatnonzero(model.weights.bias[gold[:n_rows]] > NEVER)
    return fit_temperature(scores[known], gold[known]) if len(known) else 1.0


@kernel
def score_derivations(trees: Trees, model: Model, kept: Kept, classes: Ints, scores: Doubles, gold: Ints) -> int:
    """Write the scores of all actions on the oracle's way to the trees, and its actions, where there is a choice.

    Returns the number of rows written to ``scores``, shape (2 * n_tokens, n_actions), and ``gold``.
    """
    actions, parts, weights, words = model
    own, offsets, n_rows = np.empty(len(actions.kind), np.int32), trees.offsets, 0
    mask = np.empty(len(actions.kind), np.bool_)
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        n = last - first - 1
        space, taken = arena(n), np.empty(2 * n, np.int32)
        walk(space, actions, gold_of(trees.heads[first:last], trees.deprels[first:last], classes), taken)
        for here in range(2 * n):
            if taken[here] >= 0:
                score_configuration(space, here, n, trees.tokens[first:last], words, parts, weights, kept, own)
                legal(space, actions, here, n, mask)
                for k in range(len(mask)):
                    scores[n_rows, k] = own[k] * weights.scale if mask[k] else IMPOSSIBLE
                gold[n_rows] = taken[here]
                n_rows += 1
    return n_rows
