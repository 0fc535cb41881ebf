"""Which templates fire: from the values of atoms to 64-bit feature keys."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Index, Ints, Keys, Longs, kernel, leaf
from treevote.models.learning.features.atoms import MAX_VALENCY, MISSING, agreement
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.stack_and_queue import AGREE, DEPREL, DISTANCE, FEAT, LAST_ACTION, LVAL, WORD
from treevote.models.learning.features.templates import COLUMN, TemplateTable
from treevote.models.learning.features.trie import fire_trie, key_at, mix

MAX_FEATURES = 4096
"""Maximum number of features of one configuration; further conjunctions of long FEATS are left out, in template order.
A parser applies it to each part of the templates, see `treevote.models.learning.features.partial_scores`.

Templates without such conjunctions always fit: there are at most `features.templates.MAX_TEMPLATES`.
"""

MAX_MEMBERS = 16  # maximum number of values of a multi-valued atom; further values are left out


class Scratch(NamedTuple):
    """Scratch arrays of one thread."""

    places: Ints  # shape (n_places, 3): position, subtree and label at each place of the templates, -1 for none
    values: Longs  # shape (n_atoms,): the value of each atom; for a multi-valued atom, the number of its values
    members: Ints  # shape (n_atoms, MAX_MEMBERS): the values of multi-valued atoms
    nodes: Keys  # shape (n_nodes,): the key at each node of the trie, 0 for a node that does not fire


@kernel
def scratch(table: TemplateTable) -> Scratch:
    """Return scratch arrays for the templates of ``table``."""
    n_atoms, nodes = len(table.atoms), np.empty(len(table.nodes), np.uint64)
    places, members = np.empty((len(table.places), 3), np.int32), np.empty((n_atoms, MAX_MEMBERS), np.int32)
    return Scratch(places, np.empty(n_atoms, np.int64), members, nodes)


class Globals(NamedTuple):
    """The values of the atoms without a place."""

    distance: int
    action: int
    action2: int


class Context(NamedTuple):
    """The configuration to which templates are applied, besides its places."""

    others: Globals
    trees: Ints
    valencies: int  # column of ``trees`` with the number of dependents on the left; the next one: on the right
    tokens: Ints
    words: WordColumns


@leaf
def fire_templates(context: Context, table: TemplateTable, room: Scratch, keys: Keys) -> int:
    """Write the features of a configuration into ``keys``, shape (MAX_FEATURES,), and return their number.

    The places of ``room`` are filled in already.
    """
    evaluate(table.atoms, 0, len(table.atoms), context, room.places, room.values)
    count = fire_trie(table.nodes, 0, len(table.nodes), room.values, room.nodes, keys, 0)
    return fire_sets(table.sets, context.words, room.values, room.nodes, keys, count, MAX_FEATURES)


@leaf
def evaluate(atoms: Ints, first: int, last: int, context: Context, places: Ints, values: Longs) -> None:
    """Write the values of the atoms in rows ``first:last``, 0 for none."""
    others, words = context.others, context.words
    for i in range(first, last):
        row = Index(i)
        kind, place, column = atoms[row, 0], atoms[row, 1], Index(atoms[row, 2])
        value = 0
        if place < 0:
            value = others.distance if kind == DISTANCE else others.action if kind == LAST_ACTION else others.action2
        elif places[Index(place), 0] >= 0:
            position, tree = places[Index(place), 0], places[Index(place), 1]
            word = Index(context.tokens[Index(position)])
            if kind == COLUMN:
                value = words.values[word, column]
            elif kind in (FEAT, AGREE):
                if words.feats_offsets[word + 1] > words.feats_offsets[word]:
                    value = int(word) + 1
            elif kind == WORD:
                value = int(word) + 1
            elif kind == DEPREL:
                value = places[Index(place), 2] + 1
            elif tree >= 0:
                value = min(context.trees[Index(tree), Index(context.valencies + kind - LVAL)], MAX_VALENCY) + 1
        values[Index(atoms[row, 3])] = value


@leaf
def fire_sets(sets: Ints, words: WordColumns, values: Longs, reached: Keys, keys: Keys, count: int, limit: int) -> int:
    """Write the features of templates with sets after the first ``count``, up to ``limit``; return their end."""
    for i in range(len(sets)):
        first, second, start = sets[i, 1], sets[i, 2], key_at(sets[i, 0], reached)
        if start != 0 and values[first] > 0 and (second < 0 or values[second] > 0):
            if sets[i, 3] == AGREE:
                count = fire_agreement(words, first, second, values, start, keys, count, limit)
            else:
                count = fire_set(words, first, second, values, start, keys, count, limit)
    return count


@leaf
def fire_set(
    words: WordColumns, first: int, second: int, values: Longs, start: np.uint64, keys: Keys, count: int, limit: int
) -> int:
    """Write a feature for each value of the ``feat`` atom ``first``, or for each pair with one of ``second``.

    Features are written behind the first ``count`` of ``keys``, up to ``limit``; return the new number of keys.
    """
    word = values[first] - 1
    for i in range(words.feats_offsets[word], words.feats_offsets[word + 1]):
        if count == limit:
            break
        key = mix(start, first, words.feats[i])
        if second < 0:
            keys[count] = key
            count += 1
        else:
            other = values[second] - 1
            begin, end = words.feats_offsets[other], words.feats_offsets[other + 1]
            for j in range(begin, min(end, begin + limit - count)):
                keys[count] = mix(key, second, words.feats[j])
                count += 1
    return count


@leaf
def fire_agreement(
    words: WordColumns, first: int, second: int, values: Longs, start: np.uint64, keys: Keys, count: int, limit: int
) -> int:
    """Write, as `fire_set`, a feature for each attribute of two words: whether they agree, or which word lacks it."""
    feats, attributes, offsets = words.feats, words.feats_attributes, words.feats_offsets
    one, two = values[first] - 1, values[second] - 1
    one_first, one_last = int(offsets[one]), int(offsets[one + 1])
    two_first, two_last = int(offsets[two]), int(offsets[two + 1])
    for i in range(one_first, min(one_last, one_first + limit - count)):
        agrees = agreement(feats, attributes, i, two_first, two_last)
        keys[count] = mix(mix(start, first, attributes[i]), second, agrees)
        count += 1
    for i in range(two_first, min(two_last, two_first + limit - count)):
        if agreement(feats, attributes, i, one_first, one_last) == MISSING:
            keys[count] = mix(mix(start, second, attributes[i]), first, MISSING)
            count += 1
    return count
