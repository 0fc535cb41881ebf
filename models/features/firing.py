"""Which templates fire: from the values of atoms to 64-bit feature keys."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Ints, Keys, Longs, kernel
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.templates import TemplateTable
from treevote.models.features.trie import fire_trie, key_at, mix

MAX_FEATURES = 4096
"""Features of one configuration, at the most; conjunctions of long FEATS are cut there, in template order.

Templates without them all have room: there are at most `treevote.models.features.templates.MAX_TEMPLATES`.
"""


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
def fire_templates(words: WordColumns, table: TemplateTable, room: Scratch, keys: Keys) -> int:
    """Write the features that the values in ``room`` make fire into ``keys`` and return how many there are.

    Parameters
    ----------
    words : WordColumns
    table : TemplateTable
    room : Scratch
        Its ``values`` are known: 0 where there is none, for ``feat`` the word plus 1.
    keys : ndarray of uint64, shape (MAX_FEATURES,)
        Receives the features.
    """
    count = fire_trie(table.nodes, room.values, room.nodes, keys)
    for i in range(len(table.sets)):
        first, second, start = table.sets[i, 1], table.sets[i, 2], key_at(table.sets[i, 0], room.nodes)
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
