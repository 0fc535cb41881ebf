"""Which templates fire: from the values of atoms to 64-bit feature keys."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Doubles, Ints, Keys, Longs, kernel
from treevote.models.features.atoms import MAX_VALENCY
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.stack_and_queue import DEPREL, DISTANCE, FEAT, LAST_ACTION, LVAL
from treevote.models.features.templates import COLUMN, TemplateTable
from treevote.models.features.trie import fire_trie, key_at, mix

MAX_FEATURES = 4096
"""Maximum number of features of one configuration; further conjunctions of long FEATS are left out, in template order.

Templates without such conjunctions always fit: there are at most `treevote.models.features.templates.MAX_TEMPLATES`.
"""


MAX_MEMBERS = 16
"""Maximum number of values of a multi-valued atom; further values are left out."""


class Scratch(NamedTuple):
    """Scratch arrays of one thread.

    Attributes
    ----------
    places : ndarray of int32, shape (n_places, 3)
        Position, subtree and label at each place of the templates, -1 for none.
    values : ndarray of int64, shape (n_atoms,)
        Value of each atom; for a multi-valued atom, the number of its values.
    members : ndarray of int32, shape (n_atoms, MAX_MEMBERS)
        The values of multi-valued atoms.
    nodes : ndarray of uint64, shape (n_nodes,)
        Key at each node of the trie, 0 for a node that does not fire.
    """

    places: Ints
    values: Longs
    members: Ints
    nodes: Keys


@kernel
def scratch(table: TemplateTable) -> Scratch:
    """Return scratch arrays for the templates of ``table``."""
    return Scratch(
        np.empty((len(table.places), 3), np.int32),
        np.empty(len(table.atoms), np.int64),
        np.empty((len(table.atoms), MAX_MEMBERS), np.int32),
        np.empty(len(table.nodes), np.uint64),
    )


class Workspace(NamedTuple):
    """Arrays for the features of a configuration and the scores of actions.

    Attributes
    ----------
    keys : ndarray of uint64, shape (MAX_FEATURES,)
        Features.
    rows : ndarray of int64, shape (MAX_FEATURES,)
        Their rows of weights.
    scores : ndarray of int32, shape (n_actions,)
    logs : ndarray of float64, shape (n_actions,)
        Logarithms of probabilities.
    mask : ndarray of bool, shape (n_actions,)
        Mask of the legal actions; at first, all are legal.
    """

    scratch: Scratch
    keys: Keys
    rows: Longs
    scores: Ints
    logs: Doubles
    mask: Bools


@kernel
def workspace(table: TemplateTable, n_actions: int) -> Workspace:
    """Return a workspace for the templates of ``table`` and a number of actions."""
    return Workspace(
        scratch(table),
        np.empty(MAX_FEATURES, np.uint64),
        np.empty(MAX_FEATURES, np.int64),
        np.empty(n_actions, np.int32),
        np.empty(n_actions, np.float64),
        np.ones(n_actions, np.bool_),
    )


@kernel
def fire_templates(
    distance: int,
    action: int,
    action2: int,
    valencies: Ints | Longs,
    tokens: Ints,
    words: WordColumns,
    table: TemplateTable,
    room: Scratch,
    keys: Keys,
) -> int:
    """Write the features of a configuration into ``keys``, shape (MAX_FEATURES,), and return their number.

    The places of ``room``, the scratch arrays, are filled in already. ``distance``, ``action`` and ``action2`` are the
    values of the atoms without a place; ``valencies`` has the numbers of dependents on the left and on the right of
    each subtree.
    """
    places, values = room.places, room.values
    for atom in range(len(table.atoms)):
        kind, place, column = table.atoms[atom]
        value = 0
        if place < 0:
            value = distance if kind == DISTANCE else action if kind == LAST_ACTION else action2
        elif places[place, 0] >= 0:
            word = tokens[places[place, 0]]
            if kind == COLUMN:
                value = words.values[word, column]
            elif kind == FEAT:
                if words.feats_offsets[word + 1] > words.feats_offsets[word]:
                    value = word + 1
            elif kind == DEPREL:
                value = places[place, 2] + 1
            elif places[place, 1] >= 0:
                value = min(valencies[places[place, 1], kind - LVAL], MAX_VALENCY) + 1
        values[atom] = value
    count = fire_trie(table.nodes, values, room.nodes, keys)
    for i in range(len(table.sets)):
        first, second, start = table.sets[i, 1], table.sets[i, 2], key_at(table.sets[i, 0], room.nodes)
        if start != 0 and values[first] > 0 and (second < 0 or values[second] > 0):
            count = fire_set(words, first, second, values, start, keys, count)
    return count


@kernel
def fire_set(
    words: WordColumns, first: int, second: int, values: Longs, start: np.uint64, keys: Keys, count: int
) -> int:
    """Write a feature for each value of the ``feat`` atom ``first``, or for each pair with one of ``second``."""
    word = values[first] - 1
    for i in range(words.feats_offsets[word], words.feats_offsets[word + 1]):
        if count == MAX_FEATURES:
            break
        key = mix(start, first, words.feats[i])
        if second < 0:
            keys[count] = key
            count += 1
        else:
            other = values[second] - 1
            begin, end = words.feats_offsets[other], words.feats_offsets[other + 1]
            for j in range(begin, min(end, begin + MAX_FEATURES - count)):
                keys[count] = mix(key, second, words.feats[j])
                count += 1
    return count
