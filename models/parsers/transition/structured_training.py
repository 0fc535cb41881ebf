"""Structured training of an LR parser: beam search over whole sentences learns from its own errors.

A learner of single actions sees the configurations on the oracle's way alone, each for itself. Structured training goes
on from its weights. Each training sentence is parsed with the present weights; the update takes the derivation that is
ahead of the gold one by most, after any number of actions ("max-violation": Huang, Fayong & Guo 2012, "Structured
perceptron with inexact search", section 4), up to that number of actions. Before, a derivation is given ``COST`` for
each wrong head and half of it for each wrong label, so the gold one must win by a margin (cost-augmented search:
Taskar, Guestrin & Koller 2004, "Max-margin Markov networks"; McDonald, Crammer & Pereira 2005). The beam keeps the best
of the derivations with the same stack and queue, as in search.

The update is a step up the gradient of ``log P(gold) - log P(wrong)``, where the probability of a derivation is the
product of those of its actions, as in search. The steps have one size, and the result is the average of the weights
after the first quarter of the training.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Ints, Longs, kernel, leaf
from treevote.models.learning.features.linear_guide import Coefficients
from treevote.models.learning.features.partial_scores import forget
from treevote.models.learning.features.rows import Trees
from treevote.models.parsers.transition.arc_standard import (
    REDUCE_LEFT,
    Actions,
    Gold,
    advance,
    class_table,
    derive_gold,
)
from treevote.models.parsers.transition.configuration import (
    ACTION,
    PREVIOUS,
    Workspace,
    has_twin,
    initial,
    top_pair,
    workspace,
)
from treevote.models.parsers.transition.log_linear import LogLinear, ascend, score
from treevote.models.parsers.transition.search import insert, scratch
from treevote.parallel import Progress

WIDTH = 8  # least size of a beam, which learns from errors that a narrower one does not meet
RATE = 0.01  # size of a step
COST = 1.0  # of a wrong head, in units of log-probability
UNSEEN = -1e4  # bias of actions that the learner of single actions never saw: they are never chosen
_PARTS = 4  # of an epoch, after each of which the weights enter the average


class Passes(NamedTuple):
    """Settings of structured training: passes over the sentences (at least 1), beam size, seed of their order."""

    epochs: int
    width: int
    seed: int


def train_structured(
    treebank: Treebank, model: LogLinear, passes: Passes, progress: Progress | None = None
) -> Coefficients:
    """Return the average of the weights while they learn from projective trees; those of the model are overwritten."""
    trees, classes, own = Trees.of(treebank), class_table(model.actions, len(treebank.labels)), model.coefficients
    own.bias[~own.seen] = UNSEEN
    total = Coefficients(np.zeros_like(own.weights), np.zeros_like(own.bias), own.seen)
    rng, averaged = np.random.default_rng(passes.seed), 0
    for epoch in range(passes.epochs):
        for part in np.array_split(rng.permutation(treebank.n_sentences), _PARTS):
            learn(trees, classes, model, part, passes.width, np.float32(RATE), COST)
            if 4 * (epoch + 1) > passes.epochs:
                np.add(total.weights, own.weights, out=total.weights)
                np.add(total.bias, own.bias, out=total.bias)
                averaged += 1
        if progress is not None:
            progress("structured", epoch + 1, passes.epochs)
    np.divide(total.weights, np.float32(averaged), out=total.weights)
    np.divide(total.bias, np.float32(averaged), out=total.bias)
    total.bias[~own.seen] = 0
    return total


@kernel
def learn(
    trees: Trees, classes: Ints, model: LogLinear, order: Longs, width: int, rate: np.float32, cost: float
) -> int:
    """Learn from trees in a given order, and return the number of updates; the weights change in place."""
    updates = 0
    for sentence in order:
        first, last = trees.offsets[sentence], trees.offsets[sentence + 1]
        n, tokens = int(last - first - 1), trees.tokens[first:last]
        gold, _, tree = derive_gold(trees, sentence, model.actions, classes)
        space = workspace(n, 2 * n * width)
        wrong, steps = violation(model, space, gold, tree, tokens, width, cost)
        if steps > 0:
            updates += 1
            paths = np.empty((2, steps + 1), np.int64)  # of the gold derivation and the wrong one
            for at in range(steps, -1, -1):
                paths[0, at], paths[1, at] = at, wrong
                wrong = space.configurations[wrong, PREVIOUS]
            common = 0
            while space.configurations[paths[1, common + 1], ACTION] == gold.configurations[common + 1, ACTION]:
                common += 1
            for side in range(2):  # one call: its code takes the place of each
                own, step = (gold, rate) if side == 0 else (space, -rate)
                ascend(model, own, paths[side, common:], tokens, step)
            forget(model.cache)
    return updates


@kernel
def violation(
    model: LogLinear, space: Workspace, gold: Workspace, tree: Gold, tokens: Ints, width: int, cost: float
) -> tuple[int, int]:
    """Search for the derivation that is ahead of the gold one by most; the first on ties.

    ``gold`` has the configurations on the oracle's way to ``tree``, ``space`` receives those of the search. Return the
    last configuration of the derivation in ``space`` and its number of actions, 0 if the gold one is never behind.
    """
    actions, mask, logs, n = model.actions, model.mask, model.logs, len(tokens) - 1
    beam, totals, next_from, next_action, next_totals, _, _, _ = scratch(width, 0)
    initial(space, n)
    beam[0], totals[0] = 0, 0.0
    used, size, on_gold_way, gold_total = 1, 1, 0, np.float64(0.0)
    worst, wrong, steps = 0.0, -1, 0
    for step in range(2 * n):
        action = gold.configurations[step + 1, ACTION]
        kept, gold_is_scored = 0, False
        for i in range(size + 1):  # the last one is the configuration on the oracle's way, unless it was scored
            in_beam = i < size
            if in_beam and kept == width and totals[i] + cost <= next_totals[kept - 1]:
                continue
            if not in_beam and gold_is_scored:
                break
            here = beam[i] if in_beam else step
            choice = score(model, space if in_beam else gold, here, tokens)
            if not in_beam or here == on_gold_way:
                gold_is_scored = True
                gold_total += logs[action] if choice else 0.0
            for other in range(len(mask) if in_beam else 0):
                if mask[other]:
                    total = totals[i]
                    if choice:
                        if kept == width and total + (logs[other] + cost) <= next_totals[kept - 1]:
                            continue  # also with the highest cost
                        total += logs[other] + np.float64(cost) * errors(space, actions, here, other, tree)
                    kept = insert(total, here, other, kept, next_totals, next_from, next_action)
        next_on_gold_way, size = -1, 0
        for k in range(kept):
            advance(space, actions, next_from[k], used, n + used, next_action[k])
            if has_twin(space, beam, size, used):
                continue
            if next_from[k] == on_gold_way and next_action[k] == action:
                next_on_gold_way = used
            beam[size], totals[size] = used, next_totals[k]
            used, size = used + 1, size + 1
        on_gold_way = next_on_gold_way
        if beam[0] != on_gold_way and totals[0] - gold_total > worst:
            worst, wrong, steps = totals[0] - gold_total, beam[0], step + 1
    return int(wrong), int(steps)


@leaf
def errors(space: Workspace, actions: Actions, here: int, action: int, tree: Gold) -> float:
    """Return 1 if an action makes an arc with a wrong head, 1/2 if only its label is wrong, else 0."""
    if action == 0:
        return 0.0
    upper, lower = top_pair(space, here)
    head, dependent = (lower, upper) if actions.kind[action] == REDUCE_LEFT else (upper, lower)
    if tree.heads[dependent] != head:
        return 1.0
    return 0.0 if tree.deprels[dependent] == actions.label[action] else 0.5
