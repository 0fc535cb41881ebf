"""The temperature of a max-margin model: what its scores are divided by to be the logarithms of odds.

Search multiplies probabilities. Those of a max-margin learner are the softmax of its scores over a temperature that
gives the oracle's actions on held-out trees the highest likelihood, so that it is sure where it is right (after
Platt 1999; one temperature for all classes keeps their order, see `treevote.models.learners.temperature`).
"""

from __future__ import annotations

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Doubles, Ints, Longs, kernel
from treevote.models.features.firing import MAX_FEATURES, scratch
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.linear_guide import NEVER
from treevote.models.features.templates import TemplateTable
from treevote.models.features.weights import Weights, score
from treevote.models.transition.arc_standard import Actions, legal
from treevote.models.transition.configuration import Arena, arena
from treevote.models.transition.features import fire
from treevote.models.transition.rows import class_table, walk

IMPOSSIBLE = -1e9
"""Score of an action that is not legal."""


def temperature_of(
    treebank: Treebank, words: WordColumns, actions: Actions, table: TemplateTable, weights: Weights
) -> float:
    """Return the temperature for a linear model, in its learner's units.

    Parameters
    ----------
    treebank : Treebank
        Projective trees that the model was not trained on, with labels and words of its training.
    words : WordColumns
        For ``treebank.words``.
    actions : Actions
    table : TemplateTable
    weights : Weights

    Returns
    -------
    float
        1 where the trees leave no choice, or need actions that the model has never seen.
    """
    from treevote.models.learners.temperature import fit_temperature

    longest = int(np.diff(treebank.offsets).max(initial=1)) - 1
    scores = np.empty((2 * treebank.n_tokens, len(actions.kind)))
    gold = np.empty(len(scores), np.int32)
    n_rows = score_derivations(
        arena(longest), actions, class_table(actions, len(treebank.labels)), treebank.tokens, treebank.heads,
        treebank.deprels, treebank.offsets, words, table, weights, scores, gold,
    )  # fmt: skip
    known = np.flatnonzero(weights.bias[gold[:n_rows]] > NEVER)
    return fit_temperature(scores[known], gold[known]) if len(known) else 1.0


@kernel
def score_derivations(
    space: Arena,
    actions: Actions,
    classes: Ints,
    tokens: Ints,
    heads: Ints,
    deprels: Ints,
    offsets: Longs,
    words: WordColumns,
    table: TemplateTable,
    weights: Weights,
    scores: Doubles,
    gold: Ints,
) -> int:
    """Write the scores of all actions on the oracle's way to the trees, and its actions; where there is a choice.

    Returns
    -------
    int
        How many rows of ``scores``, shape (2 * n_tokens, n_actions), and ``gold`` were written.
    """
    room, mask = scratch(table), np.empty(len(actions.kind), np.bool_)
    keys, rows = np.empty(MAX_FEATURES, np.uint64), np.empty(MAX_FEATURES, np.int64)
    own, taken = np.empty(len(actions.kind), np.int32), np.empty(len(space.configurations), np.int32)
    n_rows = 0
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        n = last - first - 1
        walk(space, actions, classes, heads[first:last], deprels[first:last], taken)
        for here in range(2 * n):
            if taken[here] >= 0:
                count = fire(space, here, n, tokens[first:last], words, table, room, keys)
                score(weights, keys, count, rows, own)
                legal(space, actions, here, n, mask)
                for k in range(len(mask)):
                    scores[n_rows, k] = own[k] * weights.scale if mask[k] else IMPOSSIBLE
                gold[n_rows] = taken[here]
                n_rows += 1
    return n_rows
