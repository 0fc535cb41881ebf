"""Hashed features of the parts of a sentence: the weight indices of arcs, siblings and grandparents.

A feature of an arc is a value for the head and one for the dependent. Each word is hashed once in each role, and the
hash of an arc is the sum of two 64-bit numbers: one addition for each arc and template. The upper bits of the sum
choose a *line* of 16 adjacent weights, for all variants of that feature: direction alone, and direction with distance
in one of seven bins. The lower bits permute the line, so weights are spread evenly. So a feature has one *place*, and
an arc or pair of arcs two *variants* of each of its features; a weight is at the exclusive or of both.

There is no table of features: two of them may share a weight (Shi et al. 2009, "Hash kernels"). Features of wrong arcs
have weights too, which helps a graph-based parser (Bohnet 2010, "Very high accuracy and fast dependency parsing is not
a contradiction").
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treevote.kernels import Bools, Ints, Keys, Longs, kernel, leaf
from treevote.models.learning.features.atoms import MISSING, agreement, bin_distance
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.parsers.graph.templates import ArcTable, Columns

LINE_BITS = 4
MIN_BITS, MAX_BITS = 8, 28  # of the binary logarithm of the number of weights
FAR = 10  # largest distance of the sixth bin
MAX_COUNT = 3  # maximum count of words of one kind between head and dependent
MAX_FEATURES = 1 << 12  # of one part; further pairs of long FEATS are ignored, in template order

Places: TypeAlias = NDArray[np.uint32]
"""Where the weights of features are; the index of a weight is the exclusive or of the place and a variant, 0..15."""

Variants: TypeAlias = tuple[np.uint32, np.uint32]

_START = np.uint64(0)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_IN_LINE = np.uint64((1 << LINE_BITS) - 1)
_SECOND = np.uint64(0x94D049BB133111EB)


class ArcKeys(NamedTuple):
    """Keys of the words of a sentence as heads and dependents of arcs, and of the words between them.

    The rows of the FEATS of word ``i`` are ``rows[i] : rows[i + 1]``, one for each value and a last one for templates
    without ``feat`` in this role. Each value between words, of each template ``t`` with ``b``, is a *kind*, ``kinds[t]
    : kinds[t + 1]``; ``counts[k, i]`` words before position ``i`` are of kind ``k``.
    """

    words: Keys  # shape (n + 2, n_columns): heads of all templates, then dependents, as `word_keys` returns them
    split_head: Keys  # shape (n_rows, n_templates with feat or agree)
    split_dependent: Keys
    feats: Ints  # shape (n_rows,); -1 in the last row of a word
    feats_attributes: Ints
    rows: Longs  # shape (n + 2,)
    between: Keys  # shape (n_kinds, MAX_COUNT): by the number of such words
    counts: Ints  # shape (n_kinds, n + 2)
    kinds: Longs  # shape (n_templates with b + 1,)


@leaf
def mix(key: np.uint64, value: int) -> np.uint64:
    """Return a key with one more value: the finalizer of SplitMix64 (Steele, Lea & Flood 2014)."""
    key = (key + np.uint64(np.int64(value))) * _GOLDEN + _GOLDEN
    key = (key ^ (key >> np.uint64(30))) * _FIRST
    key = (key ^ (key >> np.uint64(27))) * _SECOND
    return key ^ (key >> np.uint64(31))


@kernel
def word_keys(columns: Columns, tokens: Ints, words: WordColumns) -> Keys:
    """Return the keys of all words of a sentence, and of a missing one in the last row, shape (n + 2, n_columns)."""
    n_slots, n_attributes = len(tokens), words.values.shape[1]
    values = np.zeros((n_attributes, n_slots + 2), np.int64)  # 0 for places before and behind the sentence
    for position in range(n_slots):
        for attribute in range(n_attributes):
            values[attribute, position + 1] = words.values[tokens[position], attribute] + 1
    keys, missing = np.empty((n_slots + 1, len(columns.names)), np.uint64), -1
    for column in range(len(columns.names)):
        start = mix(mix(_START, columns.names[column, 0]), columns.names[column, 1])
        keys[n_slots, column] = mix(start, missing)
        for position in range(n_slots):
            key = start
            for atom in range(columns.first[column], columns.first[column + 1]):
                key = mix(key, int(values[columns.atoms[atom, 0], position + 1 + columns.atoms[atom, 1]]))
            keys[position, column] = key
    return keys


@kernel
def arc_keys(table: ArcTable, tokens: Ints, words: WordColumns) -> ArcKeys:
    """Hash the words of a sentence as heads and as dependents, and those between them."""
    keys, n_templates = word_keys(table.columns, tokens, words), len(table.columns.names) // 2
    rows, n_split = np.zeros(len(tokens) + 1, np.int64), table.splits.shape[1]
    for position in range(len(tokens)):
        word = tokens[position]
        rows[position + 1] = rows[position] + words.feats_offsets[word + 1] - words.feats_offsets[word] + 1
    n_rows = rows[len(tokens)]
    split_head, split_dependent = np.empty((n_rows, n_split), np.uint64), np.empty((n_rows, n_split), np.uint64)
    feats, attributes = np.full(n_rows, -1, np.int32), np.full(n_rows, -1, np.int32)
    for position in range(len(tokens)):
        feat, last = words.feats_offsets[tokens[position]] - rows[position], rows[position + 1] - 1
        for row in range(rows[position], last):
            feats[row], attributes[row] = words.feats[feat + row], words.feats_attributes[feat + row]
        for template in range(n_split):
            column = n_templates - n_split + template
            head, dependent = keys[position, column], keys[position, n_templates + column]
            for row in range(rows[position], last):
                value = int(words.feats[feat + row])
                split_head[row, template] = mix(head, value)
                split_dependent[row, template] = mix(dependent, value)
            split_head[last, template], split_dependent[last, template] = head, dependent
    between, counts, kinds = between_keys(table.between, tokens, words)
    return ArcKeys(keys, split_head, split_dependent, feats, attributes, rows, between, counts, kinds)


@kernel
def between_keys(columns: Longs, tokens: Ints, words: WordColumns) -> tuple[Keys, Ints, Longs]:
    """Return the fields ``between``, ``counts`` and ``kinds`` of `ArcKeys`."""
    n_slots = len(tokens)
    keys = np.empty((len(columns) * n_slots, MAX_COUNT), np.uint64)
    counts = np.zeros((len(columns) * n_slots, n_slots + 1), np.int32)
    values = np.empty(len(columns) * n_slots, np.int32)
    kinds, used, number = np.zeros(len(columns) + 1, np.int64), 0, 2
    for template in range(len(columns)):
        for position in range(1, n_slots):
            value = words.values[tokens[position], columns[template]]
            kind = kinds[template]
            while kind < used and values[kind] != value:
                kind += 1
            if kind == used:
                values[kind] = value
                key = mix(mix(mix(_START, number), template), int(value))
                for count in range(MAX_COUNT):
                    keys[kind, count] = mix(key, count)
                used += 1
            counts[kind, position + 1] += 1
        kinds[template + 1] = used
    for kind in range(used):
        for position in range(n_slots):
            counts[kind, position + 1] += counts[kind, position]
    return keys, counts, kinds


@leaf
def place_of(key: np.uint64, bits: int) -> np.uint32:
    """Return the place of a feature."""
    line = (key >> np.uint64(64 + LINE_BITS - bits)) << np.uint64(LINE_BITS)
    return np.uint32(line | (key & _IN_LINE))


@leaf
def fire_arc(keys: ArcKeys, splits: Bools, bits: int, h: int, d: int, places: Places) -> int:
    """Write the places of the features of an arc from position ``h`` to ``d``, and return their number.

    ``splits`` are those of `ArcTable`, ``bits`` is the binary logarithm of the number of weights, ``places`` has the
    shape (MAX_FEATURES,).
    """
    words, split_head, split_dependent, _, _, rows, between, counts, kinds = keys
    n_templates, n_around, n_split = words.shape[1] // 2, len(kinds) - 1, split_head.shape[1]
    n_plain = n_templates - n_around - n_split
    for t in range(n_plain):
        places[t] = place_of(words[h, t] + words[d, n_templates + t], bits)
    count, left, right = n_plain, min(h, d), max(h, d)
    for t in range(n_around):
        ends = words[h, n_plain + t] + words[d, n_templates + n_plain + t]
        for kind in range(kinds[t], kinds[t + 1]):
            inner = counts[kind, right] - counts[kind, left + 1]
            if inner > 0 and count < MAX_FEATURES:
                places[count] = place_of(ends + between[kind, min(inner, MAX_COUNT) - 1], bits)
                count += 1
    h_last, d_last = rows[h + 1] - 1, rows[d + 1] - 1
    for t in range(n_split):
        if splits[2, t]:
            count = fire_agreement(keys, t, bits, h, d, count, places)
            continue
        h_first, h_end = (rows[h], h_last) if splits[0, t] else (h_last, h_last + 1)
        d_first, d_end = (rows[d], d_last) if splits[1, t] else (d_last, d_last + 1)
        for i in range(h_first, h_end):
            for j in range(d_first, min(d_end, d_first + MAX_FEATURES - count)):
                places[count] = place_of(split_head[i, t] + split_dependent[j, t], bits)
                count += 1
    return int(count)


@leaf
def fire_agreement(keys: ArcKeys, t: int, bits: int, h: int, d: int, count: int, places: Places) -> int:
    """Write the places of the features of agreement behind the first ``count``, and return the new number.

    Each attribute of FEATS of either word has one; ``t`` is the template.
    """
    feats, attributes, rows = keys.feats, keys.feats_attributes, keys.rows
    h_last, d_last = rows[h + 1] - 1, rows[d + 1] - 1
    start = keys.split_head[h_last, t] + keys.split_dependent[d_last, t]
    for i in range(rows[h], min(h_last, rows[h] + MAX_FEATURES - count)):
        agrees = agreement(feats, attributes, i, rows[d], d_last)
        places[count] = place_of(start + mix(mix(_START, int(attributes[i])), agrees), bits)
        count += 1
    for i in range(rows[d], min(d_last, rows[d] + MAX_FEATURES - count)):
        if agreement(feats, attributes, i, rows[h], h_last) == MISSING:
            places[count] = place_of(start + mix(mix(_START, int(attributes[i])), 0), bits)
            count += 1
    return count


@leaf
def fire_pair(
    keys: Keys, n_labelled: int, bits: int, one: int, two: int, three: int, label: int, other: int, places: Places
) -> int:
    """Write the places of the features of two arcs and return their number; the words are rows of ``keys``.

    The last ``n_labelled`` templates have the labels of the arc and of the other arc of the part; 0 for no other arc.
    """
    n_templates, labels = keys.shape[1] // 3, mix(mix(_START, label), other)
    n_plain = n_templates - n_labelled
    for t in range(n_plain):
        places[t] = place_of(keys[one, t] + keys[two, n_templates + t] + keys[three, 2 * n_templates + t], bits)
    for t in range(n_plain, n_templates):
        key = keys[one, t] + keys[two, n_templates + t] + keys[three, 2 * n_templates + t]
        places[t] = place_of(key + labels, bits)
    return int(n_templates)


@leaf
def variants_of_arc(h: int, d: int) -> Variants:
    """Return the variants of the features of an arc: by direction, and by direction and distance."""
    directed = 8 if h < d else 0
    return np.uint32(directed), np.uint32(directed + bin_distance(abs(h - d), FAR))


@leaf
def variants_of_sibling(h: int, s: int, d: int) -> Variants:
    """Return the variants of the features of a sibling part, by the distance to the sibling, or to ``h``."""
    directed = 8 if h < d else 0
    return np.uint32(directed), np.uint32(directed + bin_distance(abs(d - (s if s >= 0 else h)), FAR))


@leaf
def variants_of_grandparent(g: int, h: int, d: int) -> Variants:
    """Return the variants of the features of a grandparent part; ``g`` is -1 for none.

    They are by the directions of both arcs, and by the length of the lower one: 1, up to 4, or more.
    """
    directed = (8 if h < d else 0) + (4 if g < h else 0)
    distance = abs(h - d)
    return np.uint32(directed), np.uint32(directed + (1 if distance == 1 else 2 if distance <= 4 else 3))
