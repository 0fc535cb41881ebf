"""The features of a configuration: templates looked up on its stack and queue, each a 64-bit key.

A key mixes the number of the template with the values of its atoms; two features share a key with
probability 2**-64, so keys stand for features everywhere (Shi et al. 2009 show that even far shorter keys
do no harm).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Ints, Keys, Longs, kernel
from treevote.models.features.lexicon import WordColumns
from treevote.models.transition.configuration import (
    ACTION,
    BELOW,
    FRONT,
    L1,
    L1_LABEL,
    L2,
    L2_LABEL,
    L_FRAME,
    L_VALENCY,
    PREVIOUS,
    R1,
    R1_LABEL,
    R2,
    R2_LABEL,
    R_FRAME,
    R_VALENCY,
    TOKEN,
    TOP,
    Arena,
)
from treevote.models.transition.templates import (
    COLUMN,
    DEPREL,
    DISTANCE,
    FEAT,
    LAST_ACTION,
    LEFT,
    LEFT2,
    LFRAME,
    LVAL,
    NEXT,
    PREV,
    QUEUE,
    RFRAME,
    RIGHT,
    RVAL,
    STACK,
    TemplateTable,
)

MAX_VALENCY = 6
MAX_FEATURES = 4096
"""Features of one configuration, at the most; conjunctions of long FEATS are cut there, in template order.

Templates without them all have room: there are at most `treevote.models.transition.templates.MAX_TEMPLATES`.
"""

_START = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(29)


class Scratch(NamedTuple):
    """Room to work in, for one thread.

    Attributes
    ----------
    places : ndarray of int32, shape (n_places, 3)
        Token, subtree and label at each place of the templates.
    values : ndarray of int64, shape (n_atoms,)
        Value of each atom.
    nodes : ndarray of uint64, shape (n_nodes,)
        Key at each node of the trie, 0 where it does not fire.
    """

    places: Ints
    values: Longs
    nodes: Keys


@kernel
def scratch(table: TemplateTable) -> Scratch:
    """Return room for the templates of ``table``."""
    return Scratch(
        np.empty((len(table.places), 3), np.int32),
        np.empty(len(table.atoms), np.int64),
        np.empty(len(table.nodes), np.uint64),
    )


@kernel
def mix(key: np.uint64, atom: int, value: int) -> np.uint64:
    """Return the key of a feature with one more atom."""
    key = (key ^ np.uint64((atom << 32) | value)) * _MULTIPLIER
    return key ^ (key >> _SHIFT)


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
    count = 0
    for node in range(len(table.nodes)):
        parent, atom = table.nodes[node, 0], table.nodes[node, 1]
        value = int(room.values[atom])
        start = np.uint64(room.nodes[parent]) if parent >= 0 else _START
        if value == 0 or start == 0:
            room.nodes[node] = 0
        else:
            key = mix(start, atom, value)
            room.nodes[node] = key
            keys[count] = key
            count += table.nodes[node, 2]
    for i in range(len(table.sets)):
        node, first, second = table.sets[i, 0], table.sets[i, 1], table.sets[i, 2]
        start = np.uint64(room.nodes[node]) if node >= 0 else _START
        if start != 0 and room.values[first] > 0 and (second < 0 or room.values[second] > 0):
            count = fire_set(words, first, second, room.values, start, keys, count)
    return count


@kernel
def fire_set(
    words: WordColumns, first: int, second: int, values: Longs, start: np.uint64, keys: Keys, count: int
) -> int:
    """Write a feature for each value of the ``feat`` atom ``first``, or for each pair with one of ``second``."""
    word = values[first] - 1
    for i in range(words.feats_offsets[word], words.feats_offsets[word + 1]):
        key = mix(start, first, words.feats[i])
        if second < 0:
            if count < MAX_FEATURES:
                keys[count] = key
                count += 1
        else:
            other = values[second] - 1
            for j in range(words.feats_offsets[other], words.feats_offsets[other + 1]):
                if count < MAX_FEATURES:
                    keys[count] = mix(key, second, words.feats[j])
                    count += 1
    return count


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
                if kind == LVAL:
                    value = min(tree[L_VALENCY], MAX_VALENCY) + 1
                elif kind == RVAL:
                    value = min(tree[R_VALENCY], MAX_VALENCY) + 1
                elif kind == LFRAME:
                    value = tree[L_FRAME] + 1
                elif kind == RFRAME:
                    value = tree[R_FRAME] + 1
        values[a] = value


@kernel
def bin_distance(distance: int) -> int:
    """Return the bin of a distance: 1, 2, 3, 4, then 5-6, 7-9 and 10 or more (bins 1..7)."""
    if distance <= 4:
        return distance
    if distance <= 6:
        return 5
    if distance <= 9:
        return 6
    return 7
