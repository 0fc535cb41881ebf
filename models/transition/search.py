"""Search for the best derivation: greedy, beam and best-first (Sagae & Tsujii 2007, section 2.2).

Search knows configurations and scores, nothing of features. Where only one
action is legal it is taken and nothing is scored. Ties go to the configuration found first, then to the action with
the smaller number.

Best-first search is bounded: from each configuration the ``width`` most probable actions are followed, and after
``POPS`` configurations for each step of a derivation the one that has come farthest (of equals, the most probable) is
completed greedily. Such fall-backs are counted.
"""

from __future__ import annotations

import heapq

import numpy as np

from treevote.kernels import Bools, Doubles, Ints, Longs, kernel
from treevote.models.features.firing import MAX_FEATURES, scratch
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.templates import TemplateTable
from treevote.models.features.weights import Weights, log_probabilities, score
from treevote.models.transition.arc_standard import REDUCE_LEFT, SHIFT, Actions, advance, forced, is_final, legal
from treevote.models.transition.configuration import (
    ACTION,
    BELOW,
    CONFIGURATION_WIDTH,
    PREVIOUS,
    TOKEN,
    TOP,
    TREE_WIDTH,
    Arena,
    initial,
)
from treevote.models.transition.features import fire

POPS = 8


@kernel
def best_legal(scores: Ints, mask: Bools) -> int:
    """Return the legal action with the highest score."""
    best = -1
    for action in range(len(scores)):
        if mask[action] and (best < 0 or scores[action] > scores[best]):
            best = action
    return best


@kernel
def write_tree(space: Arena, actions: Actions, final: int, heads: Ints, deprels: Ints) -> None:
    """Write the tree of a final configuration, following its derivation back.

    Parameters
    ----------
    space : Arena
    actions : Actions
    final : int
    heads, deprels : ndarray of int32, shape (n + 1,)
        Position of each head, and label of each arc; -1 for ROOT.
    """
    heads[0], deprels[0] = -1, -1
    here = final
    while space.configurations[here, PREVIOUS] >= 0:
        action = space.configurations[here, ACTION]
        here = space.configurations[here, PREVIOUS]
        if actions.kind[action] == SHIFT:
            continue
        upper = space.trees[space.configurations[here, TOP], TOKEN]
        lower = space.trees[space.configurations[space.configurations[here, BELOW], TOP], TOKEN]
        if actions.kind[action] == REDUCE_LEFT:
            heads[upper], deprels[upper] = lower, actions.label[action]
        else:
            heads[lower], deprels[lower] = upper, actions.label[action]


@kernel
def parse_greedy(
    actions: Actions,
    table: TemplateTable,
    weights: Weights,
    words: WordColumns,
    tokens: Ints,
    offsets: Longs,
    heads: Ints,
    deprels: Ints,
) -> None:
    """Parse every sentence, taking the best legal action each time.

    Parameters
    ----------
    actions : Actions
    table : TemplateTable
    weights : Weights
    words : WordColumns
    tokens : ndarray of int32, shape (n_slots,)
    offsets : ndarray of int64, shape (n_sentences + 1,)
    heads, deprels : ndarray of int32, shape (n_slots,)
        Receive the trees.
    """
    room = scratch(table)
    keys, rows = np.empty(MAX_FEATURES, np.uint64), np.empty(MAX_FEATURES, np.int64)
    scores, mask = np.empty(len(actions.kind), np.int32), np.empty(len(actions.kind), np.bool_)
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        n = last - first - 1
        space = Arena(np.empty((2 * n + 1, CONFIGURATION_WIDTH), np.int32), np.empty((3 * n + 2, TREE_WIDTH), np.int32))
        initial(space, n)
        for here in range(2 * n):
            legal(space, actions, here, n, mask)
            action = forced(mask)
            if action < 0:
                count = fire(space, here, n, tokens[first:last], words, table, room, keys)
                score(weights, keys, count, rows, scores)
                action = best_legal(scores, mask)
            advance(space, actions, here, here + 1, n + 1 + here, action)
        write_tree(space, actions, 2 * n, heads[first:last], deprels[first:last])


@kernel
def parse_beam(
    actions: Actions,
    table: TemplateTable,
    weights: Weights,
    words: WordColumns,
    tokens: Ints,
    offsets: Longs,
    heads: Ints,
    deprels: Ints,
    width: int,
    margin: float,
) -> None:
    """Parse every sentence, keeping the ``width`` most probable derivations after each action.

    The probability of a derivation is the product of those of its actions. Parameters as for ``parse_greedy``.
    """
    n_classes = len(actions.kind)
    room = scratch(table)
    keys, rows = np.empty(MAX_FEATURES, np.uint64), np.empty(MAX_FEATURES, np.int64)
    scores, mask = np.empty(n_classes, np.int32), np.empty(n_classes, np.bool_)
    logs = np.empty(n_classes, np.float64)
    beam, totals = np.empty(width, np.int64), np.empty(width, np.float64)
    next_from, next_action = np.empty(width, np.int64), np.empty(width, np.int64)
    next_totals = np.empty(width, np.float64)
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        n = last - first - 1
        space = Arena(
            np.empty((2 * n * width + 1, CONFIGURATION_WIDTH), np.int32),
            np.empty((n + 1 + 2 * n * width, TREE_WIDTH), np.int32),
        )
        initial(space, n)
        beam[0], totals[0] = 0, 0.0
        used, size = 1, 1
        for _ in range(2 * n):
            kept = 0
            for i in range(size):
                if kept == width and totals[i] <= next_totals[kept - 1]:
                    break
                if totals[i] < totals[0] - margin:
                    break
                legal(space, actions, beam[i], n, mask)
                only = forced(mask)
                if only >= 0:
                    kept = enter(totals[i], beam[i], only, kept, next_totals, next_from, next_action)
                    continue
                count = fire(space, beam[i], n, tokens[first:last], words, table, room, keys)
                score(weights, keys, count, rows, scores)
                log_probabilities(scores, mask, weights.scale, logs)
                for action in range(n_classes):
                    if mask[action]:
                        kept = enter(
                            totals[i] + logs[action], beam[i], action, kept, next_totals, next_from, next_action
                        )
            for i in range(kept):
                advance(space, actions, next_from[i], used, n + used, next_action[i])
                beam[i] = used
                totals[i] = next_totals[i]
                used += 1
            size = kept
        write_tree(space, actions, beam[0], heads[first:last], deprels[first:last])


@kernel
def enter(total: float, here: int, action: int, kept: int, totals: Doubles, origins: Longs, chosen: Longs) -> int:
    """Enter a candidate into the list of the best, highest first, and return how many the list then holds."""
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
def parse_best_first(
    actions: Actions,
    table: TemplateTable,
    weights: Weights,
    words: WordColumns,
    tokens: Ints,
    offsets: Longs,
    heads: Ints,
    deprels: Ints,
    width: int,
) -> int:
    """Parse every sentence, always going on from the most probable configuration; return the number of fall-backs.

    Parameters as for ``parse_greedy``.
    """
    n_classes = len(actions.kind)
    room = scratch(table)
    keys, rows = np.empty(MAX_FEATURES, np.uint64), np.empty(MAX_FEATURES, np.int64)
    scores, mask = np.empty(n_classes, np.int32), np.empty(n_classes, np.bool_)
    logs = np.empty(n_classes, np.float64)
    fallbacks = 0
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        n = last - first - 1
        limit = 2 * n * POPS
        space = Arena(
            np.empty((limit + 2 * n + 2, CONFIGURATION_WIDTH), np.int32),
            np.empty((limit + 3 * n + 3, TREE_WIDTH), np.int32),
        )
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
            if forced(mask) < 0:
                count = fire(space, here, n, tokens[first:last], words, table, room, keys)
                score(weights, keys, count, rows, scores)
            log_probabilities(scores, mask, weights.scale, logs)
            for _ in range(width):
                action = best_legal(scores, mask)
                if action < 0:
                    break
                mask[action] = False
                heapq.heappush(heap, (cost - logs[action], entries, here, action))
                entries += 1
            here += 1
        if here > limit:
            fallbacks += 1
            here = farthest
            there = limit + 1
            while not is_final(space, here, n):
                legal(space, actions, here, n, mask)
                if forced(mask) < 0:
                    count = fire(space, here, n, tokens[first:last], words, table, room, keys)
                    score(weights, keys, count, rows, scores)
                advance(space, actions, here, there, n + there, best_legal(scores, mask))
                here, there = there, there + 1
        write_tree(space, actions, here, heads[first:last], deprels[first:last])
    return fallbacks
