"""Search for the best derivation: greedy, beam and best-first (Sagae & Tsujii 2007, section 2.2).

Given arcs restrict the actions, and leave their probabilities as they are: a derivation is no better for being forced.
Where only one action is legal, it is taken without scores. Ties go to the configuration found first, then to the action
with the smaller number. An action that leaves given arcs reachable may force a poor one later: so beam search has a
wider margin in sentences with given heads, and greedy search goes some actions back where they forbid its choice.

Derivations that differ only in words that are off the stack have nearly the same future. So a beam keeps the best of
those with the same words on the stack and in the queue, each with the same outermost dependents: others follow it.
Huang & Sagae (2010, section 3) merge those with equal features; here, labels and inner dependents may differ.

Best-first search is bounded: from each configuration the ``width`` most probable actions are followed, and after
``POPS`` configurations for each step of a derivation the one with the most actions (on ties, the most probable) is
completed greedily. Such fall-backs are counted.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Doubles, Ints, Longs, kernel, leaf
from treevote.models.learning.features.partial_scores import ScoreCache
from treevote.models.learning.features.rows import Trees
from treevote.models.learning.features.weights import best_class, highest, log_probabilities, normalize, only_class
from treevote.models.parsers.given_arcs import GivenArcs, given_in
from treevote.models.parsers.transition.arc_standard import advance, is_final, legal, write_tree
from treevote.models.parsers.transition.configuration import PREVIOUS, Workspace, has_twin, initial, workspace
from treevote.models.parsers.transition.features import Model, score_configuration
from treevote.models.parsers.transition.reachability import reachable

POPS = 8

WIDER = 2.0
"""Factor of the margin in a sentence with given heads: what leaves them reachable may force a poor action later."""

RIVALS, CONCEDED, BACK = 2, 1.0, 2
"""Beam size, margin in units of the scores, and actions that are taken back, where given arcs forbid what a greedy
parser would choose."""


class Scratch(NamedTuple):
    """Arrays that a search writes; those of derivations have the shape (width,), the others (n_actions,)."""

    beam: Longs  # configurations, the best first
    totals: Doubles  # log-probability of each, or minus its regret
    next_from: Longs
    next_action: Longs
    next_totals: Doubles
    scores: Ints
    mask: Bools  # legal actions
    allowed: Bools  # those of them that leave the given arcs reachable


@kernel
def scratch(width: int, n_actions: int) -> Scratch:
    """Return arrays for a search."""
    return Scratch(
        np.empty(width, np.int64),
        np.empty(width, np.float64),
        np.empty(width, np.int64),
        np.empty(width, np.int64),
        np.empty(width, np.float64),
        np.empty(n_actions, np.int32),
        np.empty(n_actions, np.bool_),
        np.empty(n_actions, np.bool_),
    )


@kernel
def parse_beam(model: Model, cache: ScoreCache, given: GivenArcs, trees: Trees, width: int, margin: float) -> None:
    """Parse every sentence, keeping the ``width`` most probable derivations after each action.

    The probability of a derivation is the product of those of its actions. A derivation is dropped if its
    log-probability is lower than that of the best by more than ``margin``. Heads and labels of ``trees`` are
    written; they hold the given arcs.
    """
    tokens, heads, deprels, offsets = trees
    arrays = scratch(width, len(model.actions.kind))
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        own, n = given_in(given, first, last), last - first - 1
        space = workspace(n, 2 * n * width)
        initial(space, n)
        reach = margin * WIDER if (own.heads >= 0).any() else margin
        best, _ = follow(model, cache, space, own, tokens[first:last], arrays, 0, 1, 2 * n, reach, False)
        write_tree(space, model.actions, best, heads[first:last], deprels[first:last])


@kernel
def parse_greedily(model: Model, cache: ScoreCache, given: GivenArcs, trees: Trees) -> None:
    """Parse every sentence, taking the best legal action each time.

    Where given arcs forbid it, the search goes some actions back, and takes the derivation with the least regret: the
    sum, over its actions, of what they score less than the best legal one.
    """
    tokens, heads, deprels, offsets = trees
    arrays = scratch(RIVALS, len(model.actions.kind))
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        own, n = given_in(given, first, last), last - first - 1
        # with given arcs, for each action one that was forbidden and those of the search around it as well
        space = workspace(n, 2 * n if len(own.heads) == 0 else 2 * n * (2 + RIVALS * (BACK + 1)))
        initial(space, n)
        here = int(np.int64(0))  # numba would compile the search twice: for a constant, and for a number
        used = steps = here + 1
        done, reach = 0, 0.0
        while done < 2 * n:
            best, used = follow(model, cache, space, own, tokens[first:last], arrays, here, used, steps, reach, True)
            regret, back = -arrays.totals[0], min(BACK, done)
            if regret > 0.0 and steps == 1 and back > 0:
                for _ in range(back):
                    here = space.configurations[here, PREVIOUS]
                steps, reach = back + 1, min(CONCEDED, regret)
            else:
                here, done, steps, reach = best, done + 1, 1, 0.0
        write_tree(space, model.actions, here, heads[first:last], deprels[first:last])


@leaf
def follow(
    model: Model,
    cache: ScoreCache,
    space: Workspace,
    given: GivenArcs,
    tokens: Ints,
    arrays: Scratch,
    start: int,
    used: int,
    steps: int,
    margin: float,
    by_regret: bool,
) -> tuple[int, int]:
    """Take ``steps`` actions from configuration ``start``, and return the best configuration and the next free row.

    Configurations are written from row ``used`` on. The best is the most probable, or that with the least regret.
    """
    beam, totals, next_from, next_action, next_totals, scores, mask, allowed = arrays
    n, scale, width = len(tokens) - 1, model.weights.scale, len(beam)
    beam[0], totals[0] = start, 0.0
    size = 1
    for step in range(steps):
        kept = 0
        for i in range(size):
            if kept == width and totals[i] <= next_totals[kept - 1]:
                break
            legal(space, model.actions, beam[i], n, mask)
            reachable(space, model.actions, given, beam[i], mask, allowed)
            only = only_class(mask)
            if only >= 0:
                kept = insert(totals[i], beam[i], only, kept, next_totals, next_from, next_action)
                continue
            score_configuration(model, cache, space, beam[i], tokens, scores)
            best, shift = (highest(scores, mask), 0.0) if by_regret else normalize(scores, mask, scale)
            least = (highest(scores, allowed) - best) * scale - margin
            for action in range(len(mask)):
                log = (scores[action] - best) * scale
                if allowed[action] and log >= least:  # the best one of this configuration is better by more
                    total = totals[i] + (log - shift)
                    kept = insert(total, beam[i], action, kept, next_totals, next_from, next_action)
        size = 0
        for k in range(kept if step < steps - 1 else 1):
            if next_totals[k] < next_totals[0] - margin:
                break
            advance(space, model.actions, next_from[k], used, n + used, next_action[k])
            if not has_twin(space, beam, size, used):
                beam[size], totals[size] = used, next_totals[k]
                used, size = used + 1, size + 1
    return beam[0], used


@leaf
def insert(total: float, here: int, action: int, kept: int, totals: Doubles, origins: Longs, chosen: Longs) -> int:
    """Insert a candidate into the list of the best, highest first, and return the new length of the list."""
    width = len(totals)
    if kept == width and total <= totals[width - 1]:
        return kept
    at = kept if kept < width else width - 1
    while at > 0 and totals[at - 1] < total:
        totals[at], origins[at], chosen[at] = totals[at - 1], origins[at - 1], chosen[at - 1]
        at -= 1
    totals[at], origins[at], chosen[at] = total, here, action
    return min(kept + 1, width)


@kernel
def parse_best_first(model: Model, cache: ScoreCache, given: GivenArcs, trees: Trees, width: int) -> int:
    """Parse as `parse_beam`, always going on from the most probable configuration; return the number of fall-backs."""
    tokens, heads, deprels, offsets = trees
    actions, scale, n_actions = model.actions, model.weights.scale, len(model.actions.kind)
    arrays, logs, fallbacks = scratch(1, n_actions), np.empty(n_actions, np.float64), 0
    scores, mask, allowed = arrays.scores, arrays.mask, arrays.allowed
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        own, n = given_in(given, first, last), last - first - 1
        limit = 2 * n * POPS
        space = workspace(n, limit + 2 * n + 1)
        initial(space, n)
        steps = np.zeros(limit + 2, np.int64)
        heap = [(0.0, 0, -1, -1)]  # minus log-probability, order of entry, configuration left, action taken
        entries, here, farthest = 1, 0, 0
        while here <= limit:
            cost, _, origin, action = heapq.heappop(heap)
            if origin >= 0:
                advance(space, actions, origin, here, n + here, action)
                steps[here] = steps[origin] + 1
            if steps[here] > steps[farthest]:
                farthest = here
            if is_final(space, here, n):
                break
            legal(space, actions, here, n, mask)
            reachable(space, actions, own, here, mask, allowed)
            if only_class(mask) < 0:
                score_configuration(model, cache, space, here, tokens[first:last], scores)
            log_probabilities(scores, mask, scale, logs)
            for _ in range(width):
                action = best_class(scores, allowed)
                if action < 0:
                    break
                allowed[action] = False
                heapq.heappush(heap, (cost - logs[action], entries, here, action))
                entries += 1
            here += 1
        if here > limit:
            fallbacks += 1
            left = 2 * n - steps[farthest]
            here, _ = follow(model, cache, space, own, tokens[first:last], arrays, farthest, limit + 1, left, 0.0, True)
        write_tree(space, actions, here, heads[first:last], deprels[first:last])
    return fallbacks
