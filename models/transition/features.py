"""The features of a configuration: templates looked up on its stack and queue."""

from __future__ import annotations

from treevote.kernels import Ints, Keys, Longs, kernel
from treevote.models.features.atoms import MAX_VALENCY, bin_distance
from treevote.models.features.firing import Scratch, fire_templates
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.stack_and_queue import (
    DEPREL,
    DISTANCE,
    FEAT,
    LAST_ACTION,
    LEFT,
    LEFT2,
    LVAL,
    NEXT,
    PREV,
    QUEUE,
    RIGHT,
    STACK,
)
from treevote.models.features.templates import COLUMN, TemplateTable
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
    R_VALENCY,
    TOKEN,
    TOP,
    Arena,
)


@kernel
def fire(
    space: Arena, here: int, n: int, tokens: Ints, words: WordColumns, table: TemplateTable, room: Scratch, keys: Keys
) -> int:
    """Write the features of configuration ``here`` into ``keys`` and return how many there are.

    Parameters
    ----------
    space : Arena
    here : int
    n : int
        Tokens of the sentence.
    tokens : ndarray of int32, shape (n + 1,)
        The word of each position.
    words : WordColumns
    table : TemplateTable
    room : Scratch
    keys : ndarray of uint64, shape (MAX_FEATURES,)
        Receives the features.
    """
    find_places(space, here, n, table, room.places)
    find_values(space, here, tokens, words, table, room.places, room.values)
    return fire_templates(words, table, room, keys)


@kernel
def find_places(space: Arena, here: int, n: int, table: TemplateTable, places: Ints) -> None:
    """Write token, subtree and label at each place of the templates; -1 where there is none."""
    configurations, trees = space.configurations, space.trees
    for p in range(len(table.places)):
        step, start = table.places[p]
        token, tree, label = -1, -1, -1
        if step == STACK:
            item = here
            while start > 0 and item >= 0:
                item = configurations[item, BELOW]
                start -= 1
            if item >= 0:
                tree = configurations[item, TOP]
                token = trees[tree, TOKEN]
        elif step == QUEUE:
            if configurations[here, FRONT] + start <= n:
                token = configurations[here, FRONT] + start
                tree = token
        elif step == NEXT:
            if 0 <= places[start, 0] < n:
                token = places[start, 0] + 1
        elif step == PREV:
            if places[start, 0] > 0:
                token = places[start, 0] - 1
        elif places[start, 1] >= 0:
            parent = trees[places[start, 1]]
            if step == LEFT:
                tree, label = parent[L1], parent[L1_LABEL]
            elif step == LEFT2:
                tree, label = parent[L2], parent[L2_LABEL]
            elif step == RIGHT:
                tree, label = parent[R1], parent[R1_LABEL]
            else:
                tree, label = parent[R2], parent[R2_LABEL]
            if tree >= 0:
                token = trees[tree, TOKEN]
        places[p, 0] = token
        places[p, 1] = tree
        places[p, 2] = label


@kernel
def find_values(
    space: Arena, here: int, tokens: Ints, words: WordColumns, table: TemplateTable, places: Ints, values: Longs
) -> None:
    """Write the value of each atom, 0 where there is none; for ``feat`` the word plus 1."""
    configurations, trees = space.configurations, space.trees
    for a in range(len(table.atoms)):
        kind, place, column = table.atoms[a]
        value = 0
        if kind == DISTANCE:
            below = configurations[here, BELOW]
            if below >= 0:
                top = trees[configurations[here, TOP], TOKEN]
                value = bin_distance(top - trees[configurations[below, TOP], TOKEN])
        elif kind >= LAST_ACTION:
            item = here
            if kind > LAST_ACTION:
                item = configurations[here, PREVIOUS]
            if item >= 0:
                value = configurations[item, ACTION] + 1
        elif places[place, 0] >= 0:
            if kind == COLUMN:
                value = words.values[tokens[places[place, 0]], column]
            elif kind == FEAT:
                word = tokens[places[place, 0]]
                if words.feats_offsets[word + 1] > words.feats_offsets[word]:
                    value = word + 1
            elif kind == DEPREL:
                value = places[place, 2] + 1
            elif places[place, 1] >= 0:
                tree = trees[places[place, 1]]
                value = min(tree[L_VALENCY if kind == LVAL else R_VALENCY], MAX_VALENCY) + 1
        values[a] = value
