"""The look ahead (Chang, Do & Roth 2006, section 2.4, Algorithm 2), and the parser's loop around it.

Each step searches sequences of ``depth`` actions, with the two actions of the highest confidence at each pair. It takes
the first action of the sequence with the highest sum of confidences. The paths below that action are kept, so the next
step scores new pairs only at their ends. A sequence is abandoned as soon as its sum cannot become the highest. Depth 1
takes the action with the highest confidence.

Ties of sums go to the sequence with the better first action, then to that with the better second; ties of actions go to
the smaller number. Steps after the end of a parse count with the highest confidence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Doubles, Ints, Longs, kernel, leaf
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.partial_scores import Kept, Parts, nothing_kept
from treevote.models.features.weights import Weights, log_probabilities
from treevote.models.pipeline.configuration import (
    AFTER,
    BEFORE,
    LEFT,
    RIGHT,
    STEP_BACK,
    Focus,
    begin,
    entry,
    room,
    take,
    undo,
    write_heads,
)
from treevote.models.pipeline.features import score_pair

MAX_DEPTH = 4

_SLACK = 1e-9  # more than the rounding error of a sum


class Model(NamedTuple):
    """A model of actions, with the settings of the look ahead.

    Attributes
    ----------
    policy : int
        START_OVER, STAY or STEP_BACK.
    rounds : int
        Maximum number of rounds over a sentence.
    depth : int
        Number of actions in a sequence.
    certain : float
        The highest confidence: 1.0 if it is a probability, 0.0 if it is the logarithm of one.
    """

    weights: Weights
    parts: Parts
    words: WordColumns
    policy: int
    rounds: int
    depth: int
    certain: float


class Space(NamedTuple):
    """Scratch arrays of one thread, and the paths of the look ahead: a binary tree in the order of a heap.

    Attributes
    ----------
    kept : Kept
        Scores of parts of the templates.
    scores : ndarray of int32, shape (n_actions,)
        Scores of all actions on a pair.
    logs : ndarray of float64, shape (n_actions,)
        The logarithms of their probabilities.
    mask : ndarray of bool, shape (n_actions,)
        All actions are legal.
    actions : ndarray of int64, shape (2**depth - 1, 2)
        The two best actions at each node, -1 in nodes that were not reached yet.
    gains : ndarray of float64, shape (2**depth - 1, 2)
        Their confidence.
    """

    kept: Kept
    scores: Ints
    logs: Doubles
    mask: Bools
    actions: Longs
    gains: Doubles


def space_for(model: Model) -> Space:
    """Return the arrays for a model."""
    n_nodes, n_actions = 2**model.depth - 1, len(model.weights.bias)
    return Space(
        nothing_kept(model.parts, n_actions),
        np.empty(n_actions, np.int32),
        np.empty(n_actions, np.float64),
        np.ones(n_actions, np.bool_),
        np.full((n_nodes, 2), -1, np.int64),
        np.empty((n_nodes, 2), np.float64),
    )


@leaf
def score_actions(model: Model, tokens: Ints, T: Ints, focus: Focus, space: Space) -> None:
    """Write the scores of all actions on a pair, and the logarithms of their probabilities."""
    score_pair(T, focus, tokens, model.words, model.parts, model.weights, space.kept, space.scores)
    log_probabilities(space.scores, space.mask, model.weights.scale, space.logs)


@leaf
def expand(model: Model, tokens: Ints, T: Ints, focus: Focus, space: Space, node: int) -> None:
    """Write the two best actions on a pair and their confidence, unless the node has them already."""
    if space.actions[node, 0] >= 0:
        return
    score_actions(model, tokens, T, focus, space)
    scores = space.scores
    first, second = (0, 1) if scores[0] >= scores[1] else (1, 0)
    for action in range(2, len(scores)):
        if scores[action] > scores[first]:
            first, second = action, first
        elif scores[action] > scores[second]:
            second = action
    space.actions[node, 0], space.actions[node, 1] = first, second
    for branch in range(2):
        log = space.logs[space.actions[node, branch]]
        space.gains[node, branch] = np.exp(log) if model.certain > 0 else log


@leaf
def follow(
    model: Model, tokens: Ints, T: Ints, focus: Focus, space: Space, node: int, depth: int, total: float, best: float
) -> float:
    """Return the highest sum of a sequence through ``node``, or ``best``, that of other sequences, if it is higher.

    ``total`` is the sum of the actions before ``node``.
    """
    if depth == 0 or focus.a == 0:
        return max(best, total + depth * model.certain)
    expand(model, tokens, T, focus, space, node)
    for branch in range(2):
        longer = total + space.gains[node, branch]
        if longer + (depth - 1) * model.certain < best - _SLACK:
            break
        action = space.actions[node, branch]
        following = take(T, focus, model.policy, model.rounds, action)
        best = follow(model, tokens, T, following, space, 2 * node + 1 + branch, depth - 1, longer, best)
        undo(T, focus, action)
    return best


@leaf
def predict(model: Model, tokens: Ints, T: Ints, focus: Focus, space: Space) -> int:
    """Return the first action of the best sequence, and keep the paths below it."""
    expand(model, tokens, T, focus, space, 0)
    chosen, best = 0, -np.inf
    for branch in range(2):
        gain, action = space.gains[0, branch], space.actions[0, branch]
        if gain + (model.depth - 1) * model.certain < best - _SLACK:
            break
        following = take(T, focus, model.policy, model.rounds, action)
        total = follow(model, tokens, T, following, space, 1 + branch, model.depth - 1, gain, best)
        undo(T, focus, action)
        if total > best:
            chosen, best = branch, total
    action = space.actions[0, chosen]
    keep(space, model.depth, chosen)
    return int(action)


@leaf
def keep(space: Space, depth: int, chosen: int) -> None:
    """Move the subtree of a branch to the root: each level moves up, and the last one becomes empty."""
    for level in range(depth - 1):
        width = 1 << level
        to, origin = width - 1, 2 * width - 1 + chosen * width
        for node in range(width):
            for branch in range(2):
                space.actions[to + node, branch] = space.actions[origin + node, branch]
                space.gains[to + node, branch] = space.gains[origin + node, branch]
    for node in range((1 << (depth - 1)) - 1, len(space.actions)):
        space.actions[node, 0] = space.actions[node, 1] = -1


@kernel
def join(model: Model, tokens: Ints, T: Ints, space: Space) -> None:
    """Join the words that are left in T into one tree, the most probable arc first.

    For treebanks with one root, this completes a parse that is still in parts after the rounds. A pair is scored when
    it becomes adjacent, and again when one of its words gets a new dependent: at most three times for each word.
    """
    end = len(T) - 1
    actions, gains = np.empty(end, np.int64), np.empty(end, np.float64)
    a = entry(T, 0, AFTER)
    while T[a, AFTER] < end:
        score_arcs(model, tokens, T, a, space, actions, gains)
        a = entry(T, a, AFTER)
    while T[T[0, AFTER], AFTER] < end:
        a = best = entry(T, 0, AFTER)
        while T[a, AFTER] < end:
            if gains[a] > gains[best]:
                best = a
            a = entry(T, a, AFTER)
        head = best if actions[best] == LEFT else entry(T, best, AFTER)
        take(T, Focus(best, -1, -1, 1, 0), STEP_BACK, 1, int(actions[best]))
        if T[head, BEFORE] > 0:
            score_arcs(model, tokens, T, T[head, BEFORE], space, actions, gains)
        if T[head, AFTER] < end:
            score_arcs(model, tokens, T, head, space, actions, gains)


@leaf
def score_arcs(model: Model, tokens: Ints, T: Ints, a: int, space: Space, actions: Longs, gains: Doubles) -> None:
    """Write the more probable of Left and Right on the pair at ``a``, and the logarithm of its probability."""
    score_actions(model, tokens, T, Focus(a, -1, -1, 1, 0), space)
    actions[a] = RIGHT if space.logs[RIGHT] > space.logs[LEFT] else LEFT
    gains[a] = space.logs[actions[a]]


@kernel
def parse(model: Model, space: Space, tokens: Ints, offsets: Longs, single_root: bool, heads: Ints) -> int:
    """Find the heads of all sentences, and return the number of sentences that the rounds left in parts.

    With a single root, these parts are joined. Otherwise the head of each part is ROOT, and the number is 0.
    """
    unfinished = 0
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        T, own = room(last - first - 1), tokens[first:last]
        focus = begin(T)
        for node in range(len(space.actions)):
            space.actions[node, 0] = space.actions[node, 1] = -1
        while focus.a > 0:
            focus = take(T, focus, model.policy, model.rounds, predict(model, own, T, focus, space))
        if single_root and T[T[0, AFTER], AFTER] < len(T) - 1:
            unfinished += 1
            join(model, own, T, space)
        write_heads(T, heads[first:last])
    return unfinished
