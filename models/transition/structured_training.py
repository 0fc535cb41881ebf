"""Structured training of an LR parser: beam search over whole sentences learns from its own errors.

A learner of single actions sees the configurations on the oracle's way alone, each for itself. Structured training goes
on from its weights. Each training sentence is parsed with the present weights; the update takes the derivation that is
ahead of the gold one by most, after any number of actions ("max-violation": Huang, Fayong & Guo 2012, "Structured
perceptron with inexact search", section 4), up to that number of actions. Before, a derivation is given ``COST`` for
each wrong head and half of it for each wrong label, so the gold one must win by a margin (cost-augmented search:
Taskar, Guestrin & Koller 2004, "Max-margin Markov networks"; McDonald, Crammer & Pereira 2005).

The probability of a derivation stays the product of the probabilities of its actions, so search is the same as before.
The update is a step up the gradient of ``log P(gold) - log P(wrong)``. The steps have one size, and the result is the
average of the weights after the first quarter of the training.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Doubles, Floats, Ints, Keys, Longs, kernel, leaf
from treevote.models.features.feature_index import find_rows
from treevote.models.features.firing import MAX_FEATURES, scratch
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.linear_guide import Coefficients
from treevote.models.features.rows import Trees
from treevote.models.features.templates import TemplateTable
from treevote.models.transition.arc_standard import REDUCE_LEFT, Actions, advance, forced, gold_of, legal, walk
from treevote.models.transition.configuration import (
    ACTION,
    BELOW,
    CONFIGURATION_WIDTH,
    PREVIOUS,
    TOKEN,
    TOP,
    TREE_WIDTH,
    Arena,
    arena,
    initial,
)
from treevote.models.transition.features import fire
from treevote.models.transition.search import enter
from treevote.parallel import Progress

RATE = 0.01
"""Size of a step."""

COST = 1.0
"""Cost of a wrong head, in units of log-probability."""

UNSEEN = -1e4
"""Bias of actions that the learner of single actions never saw: they are never chosen."""

_PARTS = 4  # of an epoch, after each of which the weights enter the average
_LEAST = 1e-3  # smaller gradients are treated as 0


class Sentences(NamedTuple):
    """The training data: gold trees, their words, and what gives them features.

    Attributes
    ----------
    trees : Trees
        Projective.
    words : WordColumns
    actions : Actions
    classes : ndarray of int32
        As `treevote.models.transition.arc_standard.class_table` returns them.
    table : TemplateTable
    slots : ndarray of uint64
        Index from the key of a feature to its row of the weights.
    """

    trees: Trees
    words: WordColumns
    actions: Actions
    classes: Ints
    table: TemplateTable
    slots: Keys


class Scratch(NamedTuple):
    """Arrays for the scores of one configuration; ``logs`` are log-probabilities, of legal actions only."""

    room: tuple[Ints, Longs, Ints, Keys]
    keys: Keys
    rows: Longs
    mask: Bools
    logs: Floats


def train_structured(
    sentences: Sentences,
    start: Coefficients,
    epochs: int,
    width: int,
    seed: int,
    progress: Progress | None = None,
) -> Coefficients:
    """Train weights on whole sentences.

    Parameters
    ----------
    sentences : Sentences
    start : Coefficients
        Weights to begin with; they are overwritten.
    epochs : int
        Passes over the sentences, at least 1.
    width : int
        Beam size.
    seed : int
        Seed of the order of the sentences.
    progress : callable, optional

    Returns
    -------
    Coefficients
        The average.
    """
    start.bias[~start.seen] = UNSEEN
    total = Coefficients(np.zeros_like(start.weights), np.zeros_like(start.bias), start.seen)
    rng, averaged = np.random.default_rng(seed), 0
    for epoch in range(epochs):
        for part in np.array_split(rng.permutation(len(sentences.trees.offsets) - 1), _PARTS):
            learn(sentences, start, part, width, np.float32(RATE), COST)
            if 4 * (epoch + 1) > epochs:
                np.add(total.weights, start.weights, out=total.weights)
                np.add(total.bias, start.bias, out=total.bias)
                averaged += 1
        if progress is not None:
            progress("structured", epoch + 1, epochs)
    np.divide(total.weights, np.float32(averaged), out=total.weights)
    np.divide(total.bias, np.float32(averaged), out=total.bias)
    total.bias[~start.seen] = 0
    return total


@kernel
def learn(
    sentences: Sentences, coefficients: Coefficients, order: Longs, width: int, rate: np.float32, cost: float
) -> int:
    """Learn from sentences in a given order, and return the number of updates."""
    trees, actions = sentences.trees, sentences.actions
    n_actions, updates = len(actions.kind), 0
    scratch_arrays = Scratch(
        scratch(sentences.table),
        np.empty(MAX_FEATURES, np.uint64),
        np.empty(MAX_FEATURES, np.int64),
        np.empty(n_actions, np.bool_),
        np.empty(n_actions, np.float32),
    )
    for sentence in order:
        first, last = trees.offsets[sentence], trees.offsets[sentence + 1]
        n = int(last - first - 1)
        tokens, heads, deprels = trees.tokens[first:last], trees.heads[first:last], trees.deprels[first:last]
        gold, taken = arena(n), np.empty(2 * n, np.int32)
        walk(gold, actions, gold_of(heads, deprels, sentences.classes), taken)
        space = Arena(
            np.empty((2 * n * width + 1, CONFIGURATION_WIDTH), np.int32),
            np.empty((n + 1 + 2 * n * width, TREE_WIDTH), np.int32),
        )
        wrong, step = violation(
            sentences, coefficients, scratch_arrays, space, gold, tokens, heads, deprels, width, cost
        )
        if step > 0:
            updates += 1
            path = np.empty(step + 1, np.int64)
            for at in range(step, -1, -1):
                path[at] = wrong
                wrong = space.configurations[wrong, PREVIOUS]
            common = 0
            while space.configurations[path[common + 1], ACTION] == gold.configurations[common + 1, ACTION]:
                common += 1
            climb(sentences, coefficients, scratch_arrays, gold, np.arange(step + 1), common, tokens, rate)
            climb(sentences, coefficients, scratch_arrays, space, path, common, tokens, -rate)
    return updates


@kernel
def violation(
    sentences: Sentences,
    coefficients: Coefficients,
    arrays: Scratch,
    space: Arena,
    gold: Arena,
    tokens: Ints,
    heads: Ints,
    deprels: Ints,
    width: int,
    cost: float,
) -> tuple[int, int]:
    """Search for the derivation that is ahead of the gold one by most; the first on ties.

    ``gold`` has the configurations on the oracle's way, ``space`` receives those of the search. Returns the last
    configuration of the derivation in ``space`` and its number of actions, 0 if the gold derivation is never behind.
    """
    actions, n = sentences.actions, len(heads) - 1
    here, total = np.empty(width, np.int64), np.empty(width, np.float64)
    origins, chosen, totals = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(width, np.float64)
    initial(space, n)
    here[0], total[0] = 0, 0.0
    used, size, on_gold_way, gold_total = 1, 1, 0, 0.0
    worst, wrong, steps = 0.0, -1, 0
    for step in range(2 * n):
        action = gold.configurations[step + 1, ACTION]
        if score(sentences, coefficients, arrays, gold, step, tokens) > 0:
            gold_total += arrays.logs[action]
        kept = 0
        for i in range(size):
            if score(sentences, coefficients, arrays, space, here[i], tokens) == 0:
                only = forced(arrays.mask)
                kept = enter(total[i], here[i], only, kept, totals, origins, chosen)
                continue
            for other in range(len(arrays.mask)):
                if arrays.mask[other]:
                    extra = cost * errors(space, actions, here[i], other, heads, deprels)
                    there = total[i] + arrays.logs[other] + extra
                    kept = enter(there, here[i], other, kept, totals, origins, chosen)
        next_on_gold_way = -1
        for i in range(kept):
            advance(space, actions, origins[i], used + i, n + used + i, chosen[i])
            if origins[i] == on_gold_way and chosen[i] == action:
                next_on_gold_way = used + i
            here[i], total[i] = used + i, totals[i]
        on_gold_way, size, used = next_on_gold_way, kept, used + kept
        if here[0] != on_gold_way and total[0] - gold_total > worst:
            worst, wrong, steps = total[0] - gold_total, here[0], step + 1
    return int(wrong), int(steps)


@leaf
def score(
    sentences: Sentences, coefficients: Coefficients, arrays: Scratch, space: Arena, here: int, tokens: Ints
) -> int:
    """Write the log-probabilities of the legal actions, and return the number of features; 0 if there is no choice."""
    keys, rows, mask, logs = arrays.keys, arrays.rows, arrays.mask, arrays.logs
    weights, n = coefficients.weights, len(tokens) - 1
    legal(space, sentences.actions, here, n, mask)
    if forced(mask) >= 0:
        return 0
    count = fire(space, here, n, tokens, sentences.words, sentences.table, arrays.room, keys)
    found = find_rows(keys, count, sentences.slots, rows)
    for k in range(len(logs)):
        logs[k] = coefficients.bias[k]
    for i in range(found):
        row = weights[rows[i]]
        for k in range(len(logs)):
            logs[k] += row[k]
    best, total = -np.inf, 0.0
    for k in range(len(logs)):
        if mask[k] and logs[k] > best:
            best = logs[k]
    for k in range(len(logs)):
        if mask[k]:
            total += np.exp(logs[k] - best)
    shift = np.float32(best + np.log(total))
    for k in range(len(logs)):
        logs[k] -= shift
    return found + 1


@leaf
def errors(space: Arena, actions: Actions, here: int, action: int, heads: Ints, deprels: Ints) -> float:
    """Return 1 if an action makes an arc with a wrong head, 1/2 if only its label is wrong, else 0."""
    if action == 0:
        return 0.0
    configuration = space.configurations[here]
    upper = space.trees[configuration[TOP], TOKEN]
    lower = space.trees[space.configurations[configuration[BELOW], TOP], TOKEN]
    head, dependent = (lower, upper) if actions.kind[action] == REDUCE_LEFT else (upper, lower)
    if heads[dependent] != head:
        return 1.0
    return 0.0 if deprels[dependent] == actions.label[action] else 0.5


@leaf
def climb(
    sentences: Sentences,
    coefficients: Coefficients,
    arrays: Scratch,
    space: Arena,
    path: Longs,
    first: int,
    tokens: Ints,
    rate: np.float32,
) -> None:
    """Move the weights up the gradient of the log-probability of the actions from ``path[first]`` on."""
    rows, mask, logs, bias = arrays.rows, arrays.mask, arrays.logs, coefficients.bias
    for at in range(first, len(path) - 1):
        found = score(sentences, coefficients, arrays, space, path[at], tokens)
        if found == 0:
            continue
        action = space.configurations[path[at + 1], ACTION]
        for k in range(len(logs)):
            slope = np.float32(0)
            if mask[k]:
                slope = (np.float32(1) if k == action else np.float32(0)) - np.exp(logs[k])
            logs[k] = rate * slope if abs(slope) > _LEAST else np.float32(0)
            bias[k] += logs[k]
        for i in range(found - 1):
            row = coefficients.weights[rows[i]]
            for k in range(len(logs)):
                row[k] += logs[k]
