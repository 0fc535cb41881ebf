"""The features of a configuration: templates applied to its stack and queue."""

from __future__ import annotations

from typing import NamedTuple

from treevote.kernels import Floats, Index, Ints, Keys, leaf
from treevote.models.learning.features.atoms import FAR, bin_distance
from treevote.models.learning.features.firing import Context, Globals, Scratch, fire_templates
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.partial_scores import Parts, ScoreCache, score_parts
from treevote.models.learning.features.stack_and_queue import LEFT, NEXT, PREV, QUEUE, STACK
from treevote.models.learning.features.templates import TemplateTable
from treevote.models.learning.features.weights import DenseWeights, Weights
from treevote.models.parsers.transition.arc_standard import Actions
from treevote.models.parsers.transition.configuration import (
    ACTION,
    BELOW,
    FRONT,
    L1,
    L_VALENCY,
    PREVIOUS,
    TOKEN,
    TOP,
    Workspace,
    top_pair,
)


class Model(NamedTuple):
    """A linear model of actions: the actions, its templates in parts, weights, and the words of the sentences."""

    actions: Actions
    parts: Parts
    weights: Weights | DenseWeights
    words: WordColumns


@leaf
def fire(
    space: Workspace, here: int, tokens: Ints, words: WordColumns, table: TemplateTable, room: Scratch, keys: Keys
) -> int:
    """Write the features of configuration ``here`` into ``keys`` and return their number."""
    find_places(space, here, len(tokens) - 1, table.places, room.places)
    return fire_templates(Context(globals_of(space, here), space.trees, L_VALENCY, tokens, words), table, room, keys)


@leaf
def score_configuration(
    model: Model, cache: ScoreCache, space: Workspace, here: int, tokens: Ints, scores: Ints | Floats
) -> None:
    """Write the scores of all actions in configuration ``here``."""
    find_places(space, here, len(tokens) - 1, model.parts.places, cache.places)
    context = Context(globals_of(space, here), space.trees, L_VALENCY, tokens, model.words)
    score_parts(model.parts, cache, model.weights, context, scores)


@leaf
def globals_of(space: Workspace, here: int) -> Globals:
    """Return the values of the atoms without a place."""
    now, distance = space.configurations[Index(here)], 0
    if now[BELOW] >= 0:
        upper, lower = top_pair(space, here)
        distance = bin_distance(upper - lower, FAR)
    before = now[PREVIOUS]
    action2 = space.configurations[Index(before), ACTION] + 1 if before >= 0 else 0
    return Globals(distance, now[ACTION] + 1, action2)


@leaf
def find_places(space: Workspace, here: int, n: int, steps: Ints, places: Ints) -> None:
    """Write position, subtree and label at each place, as in `treevote.models.learning.features.firing.Scratch`."""
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
            column = Index(L1 + 2 * (step - LEFT))  # the steps LEFT, LEFT2, RIGHT, RIGHT2 are in the order of columns
            tree, label = parent[column], parent[column + Index(1)]
            if tree >= 0:
                token = trees[Index(tree), TOKEN]
        places[p, 0] = token
        places[p, 1] = tree
        places[p, 2] = label
