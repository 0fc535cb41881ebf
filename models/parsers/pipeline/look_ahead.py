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
from treevote.models.learning.features.firing import Context
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.partial_scores import Parts, ScoreCache, empty_cache, score_parts
from treevote.models.learning.features.weights import LOWEST, Weights, log_probabilities
from treevote.models.parsers.given_arcs import NOTHING, GivenArcs, given_in
from treevote.models.parsers.pipeline.configuration import (
    AFTER,
    BEFORE,
    L_VALENCY,
    LEFT,
    RIGHT,
    Focus,
    begin,
    entry,
    take,
    undo,
    words_left,
    write_heads,
)
from treevote.models.parsers.pipeline.features import find_places, globals_of

_SLACK = 1e-9  # more than the rounding error of a sum


class Model(NamedTuple):
    """A model of actions, with the settings of the look ahead."""

    weights: Weights
    parts: Parts
    words: WordColumns
    policy: int  # START_OVER, STAY or STEP_BACK
    rounds: int  # maximum number of rounds over a sentence
    depth: int  # number of actions in a sequence
    certain: float  # the highest confidence: 1.0 if it is a probability, 0.0 if it is the logarithm of one


class Workspace(NamedTuple):
    """Scratch arrays of one thread, and the paths of the look ahead: a binary tree in the order of a heap."""

    cache: ScoreCache
    scores: Ints  # shape (n_actions,): scores of all actions on a pair
    logs: Doubles  # shape (n_actions,): the logarithms of their probabilities
    mask: Bools  # shape (n_actions,): all actions are legal
    actions: Longs  # shape (2**depth - 1, 2): the two best actions at each node, -1 in nodes not reached yet
    gains: Doubles  # shape (2**depth - 1, 2): their confidence, -inf if there is one action alone
    chosen: Longs  # shape (1,): the branch of the best sequence at the root
    given: GivenArcs  # of the sentence


def workspace_for(model: Model) -> Workspace:
    """Return the arrays for a model."""
    n_nodes, n_actions = 2**model.depth - 1, len(model.weights.bias)
    scores, logs, mask = np.empty(n_actions, np.int32), np.empty(n_actions, np.float64), np.ones(n_actions, np.bool_)
    actions, gains = np.full((n_nodes, 2), -1, np.int64), np.empty((n_nodes, 2), np.float64)
    chosen = np.zeros(1, np.int64)
    return Workspace(empty_cache(model.parts, n_actions), scores, logs, mask, actions, gains, chosen, NOTHING)


@kernel
def with_given(space: Workspace, given: GivenArcs) -> Workspace:
    """Return the same arrays for a sentence in which something is given."""
    cache, scores, logs, mask, actions, gains, chosen, _ = space
    return Workspace(cache, scores, logs, mask, actions, gains, chosen, given)


@leaf
def score_actions(model: Model, tokens: Ints, remaining: Ints, focus: Focus, space: Workspace) -> None:
    """Write the scores of all actions on the pair at the focus point, and the logarithms of their probabilities.

    An action that contradicts a given arc has the lowest score, and the logarithm -inf.
    """
    find_places(remaining, focus, model.parts.places, space.cache.places)
    context = Context(globals_of(remaining, focus), remaining, L_VALENCY, tokens, model.words)
    score_parts(model.parts, space.cache, model.weights, context, space.scores)
    log_probabilities(space.scores, space.mask, model.weights.scale, space.logs)
    if len(space.given.heads) > 0:
        a, b = focus.a, entry(remaining, focus.a, AFTER)
        if not is_free(remaining, space.given, b, a):
            space.scores[LEFT], space.logs[LEFT] = LOWEST, -np.inf
        if not is_free(remaining, space.given, a, b):
            space.scores[RIGHT], space.logs[RIGHT] = LOWEST, -np.inf


@leaf
def is_free(remaining: Ints, given: GivenArcs, word: int, head: int) -> bool:
    """Tell whether a word may get a head: it has all its given dependents, and no other given head."""
    return bool(
        (given.heads[word] < 0 or given.heads[word] == head)
        and given.leftmost[word] > remaining[word, BEFORE]
        and given.rightmost[word] < remaining[word, AFTER]
    )


@leaf
def expand(model: Model, tokens: Ints, remaining: Ints, focus: Focus, space: Workspace, node: int) -> None:
    """Write the two best actions on a pair and their confidence, unless the node has them already."""
    if space.actions[node, 0] >= 0:
        return
    score_actions(model, tokens, remaining, focus, space)
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
        space.gains[node, branch] = np.exp(log) if model.certain > 0 and log > -np.inf else log


@leaf
def follow(
    model: Model,
    tokens: Ints,
    remaining: Ints,
    focus: Focus,
    space: Workspace,
    node: int,
    depth: int,
    total: float,
    best: float,
) -> float:
    """Return the highest sum of a sequence through ``node``, or ``best``, that of other sequences, if it is higher.

    ``total`` is the sum of the actions before ``node``. At the root the branch of the best sequence is kept.
    """
    if depth == 0 or focus.a == 0:
        return max(best, total + depth * model.certain)
    expand(model, tokens, remaining, focus, space, node)
    for branch in range(2):
        longer = total + space.gains[node, branch]
        if longer + (depth - 1) * model.certain < best - _SLACK:
            break
        action = space.actions[node, branch]
        following = take(remaining, focus, model.policy, model.rounds, action)
        found = follow(model, tokens, remaining, following, space, 2 * node + 1 + branch, depth - 1, longer, best)
        undo(remaining, focus, action)
        if node == 0 and found > best:
            space.chosen[0] = branch
        best = found
    return best


@leaf
def predict(model: Model, tokens: Ints, remaining: Ints, focus: Focus, space: Workspace) -> int:
    """Return the first action of the best sequence, and keep the paths below it."""
    space.chosen[0] = 0
    root = int(np.int64(0))  # numba would compile the search twice: for a constant, and for a number
    follow(model, tokens, remaining, focus, space, root, model.depth, 0.0, -np.inf)
    chosen = space.chosen[0]
    action = space.actions[root, chosen]
    move_to_root(space, model.depth, chosen)
    return int(action)


@leaf
def move_to_root(space: Workspace, depth: int, chosen: int) -> None:
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
def join(model: Model, tokens: Ints, remaining: Ints, space: Workspace) -> None:
    """Join the words that remain into one tree, the most probable arc first.

    For treebanks with one root, this completes a parse that is still in parts after the rounds. A pair is scored when
    it becomes adjacent, and again when one of its words gets a new dependent: at most three times for each word.
    """
    end = len(remaining) - 1
    actions, gains = np.full(end, -1, np.int64), np.empty(end, np.float64)  # of the pair at each word; -1: not scored
    while remaining[remaining[0, AFTER], AFTER] < end:
        a = best = entry(remaining, 0, AFTER)
        while remaining[a, AFTER] < end:
            if actions[a] < 0:
                score_actions(model, tokens, remaining, Focus(a, -1, -1, 1, 0), space)
                actions[a] = RIGHT if space.logs[RIGHT] > space.logs[LEFT] else LEFT
                gains[a] = space.logs[actions[a]]
            if gains[a] > gains[best]:
                best = a
            a = entry(remaining, a, AFTER)
        head = best if actions[best] == LEFT else entry(remaining, best, AFTER)
        take(remaining, Focus(best, -1, -1, 1, 0), model.policy, model.rounds, int(actions[best]))
        actions[head] = actions[remaining[head, BEFORE]] = -1


@kernel
def parse(
    model: Model, workspace: Workspace, tokens: Ints, offsets: Longs, single_root: bool, given: GivenArcs, heads: Ints
) -> int:
    """Find the heads of all sentences, and return the number of sentences that the rounds left in parts.

    With a single root, these parts are joined. Otherwise the head of each part is ROOT, and the number is 0.
    """
    unfinished = 0
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        remaining, own = words_left(last - first - 1), tokens[first:last]
        space = with_given(workspace, given_in(given, first, last))
        focus = begin(remaining)
        for node in range(len(space.actions)):
            space.actions[node, 0] = space.actions[node, 1] = -1
        while focus.a > 0:
            focus = take(remaining, focus, model.policy, model.rounds, predict(model, own, remaining, focus, space))
        if single_root and remaining[remaining[0, AFTER], AFTER] < len(remaining) - 1:
            unfinished += 1
            join(model, own, remaining, space)
        write_heads(remaining, heads[first:last])
    return unfinished
