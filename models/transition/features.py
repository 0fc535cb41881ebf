"""The features of a configuration: templates applied to its stack and queue."""

from __future__ import annotations

from treevote.kernels import Index, Ints, Keys, leaf
from treevote.models.features.atoms import FAR, bin_distance
from treevote.models.features.firing import Globals, Scratch, fire_templates
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.partial_scores import Kept, Parts, score_parts
from treevote.models.features.stack_and_queue import LEFT, LEFT2, NEXT, PREV, QUEUE, RIGHT, STACK
from treevote.models.features.templates import TemplateTable
from treevote.models.features.weights import Weights
from treevote.models.transition.configuration import (
    ACTION,
    BELOW,
    FRONT,
    L1,
    L1_LABEL,
    L2,
    L2_LABEL,
    L_VALENCY,
    PREVIOUS,
    R1,
    R1_LABEL,
    R2,
    R2_LABEL,
    TOKEN,
    TOP,
    Arena,
)


@leaf
def fire(
    space: Arena, here: int, n: int, tokens: Ints, words: WordColumns, table: TemplateTable, room: Scratch, keys: Keys
) -> int:
    """Write the features of configuration ``here`` into ``keys`` and return their number."""
    find_places(space, here, n, table.places, room.places)
    return fire_templates(others_of(space, here), space.trees, L_VALENCY, tokens, words, table, room, keys)


@leaf
def score_configuration(
    space: Arena,
    here: int,
    n: int,
    tokens: Ints,
    words: WordColumns,
    parts: Parts,
    weights: Weights,
    kept: Kept,
    scores: Ints,
) -> None:
    """Write the scores of all actions in configuration ``here``."""
    find_places(space, here, n, parts.places, kept.places)
    score_parts(parts, kept, weights, others_of(space, here), space.trees, L_VALENCY, tokens, words, scores)


@leaf
def others_of(space: Arena, here: int) -> Globals:
    """Return the values of the atoms without a place."""
    configurations, trees = space.configurations, space.trees
    now = configurations[Index(here)]
    below, before, distance = now[BELOW], now[PREVIOUS], 0
    if below >= 0:
        top = trees[Index(now[TOP]), TOKEN]
        distance = bin_distance(top - trees[Index(configurations[Index(below), TOP]), TOKEN], FAR)
    action2 = configurations[Index(before), ACTION] + 1 if before >= 0 else 0
    return Globals(distance, now[ACTION] + 1, action2)


@leaf
def find_places(space: Arena, here: int, n: int, steps: Ints, places: Ints) -> None:
    """Write position, subtree and label at each place, as in `treevote.models.features.firing.Scratch`."""
    configurations, trees = space.configurations, space.trees
    for p in range(len(steps)):
        step, start = steps[p, 0], steps[p, 1]
        token, tree, label = -1, -1, -1
        if step == STACK:
            item = here
            while start > 0 and item >= 0:
                item = configurations[Index(item), BELOW]
                start -= 1
            if item >= 0:
                tree = configurations[Index(item), TOP]
                token = trees[Index(tree), TOKEN]
        elif step == QUEUE:
            if configurations[Index(here), FRONT] + start <= n:
                token = configurations[Index(here), FRONT] + start
                tree = token
        elif step == NEXT:
            if 0 <= places[Index(start), 0] < n:
                token = places[Index(start), 0] + 1
        elif step == PREV:
            if places[Index(start), 0] > 0:
                token = places[Index(start), 0] - 1
        elif places[Index(start), 1] >= 0:
            parent = trees[Index(places[Index(start), 1])]
            if step == LEFT:
                tree, label = parent[L1], parent[L1_LABEL]
            elif step == LEFT2:
                tree, label = parent[L2], parent[L2_LABEL]
            elif step == RIGHT:
                tree, label = parent[R1], parent[R1_LABEL]
            else:
                tree, label = parent[R2], parent[R2_LABEL]
            if tree >= 0:
                token = trees[Index(tree), TOKEN]
        places[p, 0] = token
        places[p, 1] = tree
        places[p, 2] = label
