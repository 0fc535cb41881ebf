"""Hashed features of the parts of a sentence: the weight indices of arcs, siblings and grandparents.

A feature of an arc is a value for the head and one for the dependent. Each word is hashed once in each role, and the
hash of an arc is the sum of two 64-bit numbers: one addition for each arc and template. The upper bits of the sum
choose a *line* of 16 adjacent weights, for all features of that template for that arc: direction alone, and direction
with distance in one of seven bins. The lower bits permute the line, so weights are spread evenly.

There is no table of features: two of them may share a weight (Shi et al. 2009, "Hash kernels"). Features of wrong arcs
have weights too, which helps a graph-based parser (Bohnet 2010, "Very high accuracy and fast dependency parsing is not
a contradiction").
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Ints, Keys, Longs, kernel
from treevote.models.features.atoms import bin_distance
from treevote.models.features.lexicon import WordColumns
from treevote.models.graph.templates import ArcTable, PairTable, Side

LINE_BITS = 4
MIN_BITS, MAX_BITS = 8, 28
"""Range of the binary logarithm of the number of weights."""

FAR = 10
"""Largest distance of the sixth bin."""

MAX_COUNT = 3
"""Maximum count of words of one kind between head and dependent."""

MAX_FEATURES = 1 << 13
"""Maximum number of weight indices of one part; further pairs of long FEATS are ignored, in template order."""

_START = np.uint64(0)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


class SplitKeys(NamedTuple):
    """Keys of the words in one role of templates with ``feat``.

    Attributes
    ----------
    keys : ndarray of uint64, shape (n_rows, n_templates)
        One row for each of the FEATS of a word, then one for templates without ``feat`` in this role.
    first : ndarray of int64, shape (n + 2,)
        The rows of word ``i`` are ``first[i] : first[i + 1]``.
    """

    keys: Keys
    first: Longs


class Between(NamedTuple):
    """The words between others, for the templates with ``b``.

    Attributes
    ----------
    keys : ndarray of uint64, shape (n_kinds, MAX_COUNT)
        One row for each distinct value of each template in this sentence, by its count.
    counts : ndarray of int32, shape (n_kinds, n + 2)
        ``[k, i]`` is the number of words of that kind before position ``i``.
    first : ndarray of int64, shape (n_templates + 1,)
        The kinds of template ``t`` are ``first[t] : first[t + 1]``.
    """

    keys: Keys
    counts: Ints
    first: Longs


class ArcKeys(NamedTuple):
    """Keys of the words of a sentence as heads and as dependents, shape (n + 1, n_templates) each."""

    head: Keys
    dependent: Keys
    split_head: SplitKeys
    split_dependent: SplitKeys
    around_head: Keys
    around_dependent: Keys
    between: Between


class PairKeys(NamedTuple):
    """Keys of the words in the three roles of siblings or grandparents, shape (n + 2, n_templates) each.

    The last row of each is for a missing word.
    """

    one: Keys
    two: Keys
    three: Keys


@kernel
def mix(key: np.uint64, value: int) -> np.uint64:
    """Return a key with one more value: the finalizer of SplitMix64 (Steele, Lea & Flood 2014)."""
    key = (key + np.uint64(value)) * _GOLDEN + _GOLDEN
    key = (key ^ (key >> np.uint64(30))) * _FIRST
    key = (key ^ (key >> np.uint64(27))) * _SECOND
    return key ^ (key >> np.uint64(31))


@kernel
def side_key(side: Side, number: int, template: int, position: int, tokens: Ints, words: WordColumns) -> np.uint64:
    """Return the key of a word in one role of a template; ``number`` is that of the role."""
    key = mix(mix(_START, number), template)
    for a in range(side.first[template], side.first[template + 1]):
        place = position + side.atoms[a, 1]
        value = int(words.values[tokens[place], side.atoms[a, 0]]) + 1 if 0 <= place < len(tokens) else 0
        key = mix(key, value)
    return key


@kernel
def plain_keys(side: Side, number: int, tokens: Ints, words: WordColumns) -> Keys:
    """Return the keys of all words, and of a missing one, in one role of templates, shape (n + 2, n_templates)."""
    keys = np.empty((len(tokens) + 1, len(side.splits)), np.uint64)
    for template in range(len(side.splits)):
        for position in range(len(tokens)):
            keys[position, template] = side_key(side, number, template, position, tokens, words)
        keys[len(tokens), template] = mix(mix(mix(_START, number), template), -1)
    return keys


@kernel
def split_keys(side: Side, number: int, tokens: Ints, words: WordColumns) -> SplitKeys:
    """Return the keys of all words in one role of templates with ``feat``."""
    first = np.zeros(len(tokens) + 1, np.int64)
    for position in range(len(tokens)):
        word = tokens[position]
        first[position + 1] = first[position] + words.feats_offsets[word + 1] - words.feats_offsets[word] + 1
    keys = np.empty((first[-1], len(side.splits)), np.uint64)
    for position in range(len(tokens)):
        offset = words.feats_offsets[tokens[position]]
        last = first[position + 1] - 1
        for template in range(len(side.splits)):
            key = side_key(side, number, template, position, tokens, words)
            for row in range(first[position], last):
                keys[row, template] = mix(key, int(words.feats[offset + row - first[position]]))
            keys[last, template] = key
    return SplitKeys(keys, first)


@kernel
def between_keys(columns: Ints, tokens: Ints, words: WordColumns) -> Between:
    """Return keys and counts of the words between others."""
    n_slots = len(tokens)
    keys = np.empty((len(columns) * n_slots, MAX_COUNT), np.uint64)
    counts = np.zeros((len(columns) * n_slots, n_slots + 1), np.int32)
    values = np.empty(len(columns) * n_slots, np.int32)
    first = np.zeros(len(columns) + 1, np.int64)
    used = 0
    for template in range(len(columns)):
        for position in range(1, n_slots):
            value = int(words.values[tokens[position], columns[template]])
            kind = first[template]
            while kind < used and values[kind] != value:
                kind += 1
            if kind == used:
                values[kind] = value
                key = mix(mix(mix(_START, 2), template), value)
                for count in range(MAX_COUNT):
                    keys[kind, count] = mix(key, count)
                used += 1
            counts[kind, position + 1] += 1
        first[template + 1] = used
    for kind in range(used):
        for position in range(n_slots):
            counts[kind, position + 1] += counts[kind, position]
    return Between(keys[:used], counts[:used], first)


@kernel
def arc_keys(table: ArcTable, tokens: Ints, words: WordColumns) -> ArcKeys:
    """Hash the words of a sentence as heads and as dependents."""
    return ArcKeys(
        plain_keys(table.head, 0, tokens, words),
        plain_keys(table.dependent, 1, tokens, words),
        split_keys(table.split_head, 3, tokens, words),
        split_keys(table.split_dependent, 4, tokens, words),
        plain_keys(table.around_head, 5, tokens, words),
        plain_keys(table.around_dependent, 6, tokens, words),
        between_keys(table.between, tokens, words),
    )


@kernel
def pair_keys(table: PairTable, number: int, tokens: Ints, words: WordColumns) -> PairKeys:
    """Hash the words of a sentence in the three roles of siblings (``number`` 7) or grandparents (10)."""
    return PairKeys(
        plain_keys(table.one, number, tokens, words),
        plain_keys(table.two, number + 1, tokens, words),
        plain_keys(table.three, number + 2, tokens, words),
    )


@kernel
def append(key: np.uint64, bits: int, lane: int, other_lane: int, indices: Longs, count: int) -> int:
    """Append the weight indices of a feature in two lanes of its line; return the new number of indices."""
    line = np.int64(key >> np.uint64(64 + LINE_BITS - bits)) << LINE_BITS
    shuffle = np.int64(key & np.uint64((1 << LINE_BITS) - 1))
    indices[count] = line | (lane ^ shuffle)
    indices[count + 1] = line | (other_lane ^ shuffle)
    return count + 2


@kernel
def fire_arc(keys: ArcKeys, table: ArcTable, bits: int, h: int, d: int, indices: Longs) -> int:
    """Write the weight indices of an arc from position ``h`` to ``d``, and return their number.

    ``bits`` is the binary logarithm of the number of weights; ``indices`` has the shape (MAX_FEATURES,).
    """
    directed = 8 if h < d else 0
    binned = directed + bin_distance(abs(h - d), FAR)
    count = 0
    for t in range(keys.head.shape[1]):
        count = append(keys.head[h, t] + keys.dependent[d, t], bits, directed, binned, indices, count)
    left, right = min(h, d), max(h, d)
    between = keys.between
    for t in range(len(table.between)):
        ends = keys.around_head[h, t] + keys.around_dependent[d, t]
        for kind in range(between.first[t], between.first[t + 1]):
            inner = between.counts[kind, right] - between.counts[kind, left + 1]
            if inner > 0 and count < MAX_FEATURES - 1:
                key = ends + between.keys[kind, min(inner, MAX_COUNT) - 1]
                count = append(key, bits, directed, binned, indices, count)
    heads, dependents = keys.split_head, keys.split_dependent
    for t in range(heads.keys.shape[1]):
        h_last, d_last = heads.first[h + 1] - 1, dependents.first[d + 1] - 1
        h_range = (heads.first[h], h_last) if table.split_head.splits[t] else (h_last, h_last + 1)
        d_range = (dependents.first[d], d_last) if table.split_dependent.splits[t] else (d_last, d_last + 1)
        for i in range(h_range[0], h_range[1]):
            for j in range(d_range[0], min(d_range[1], d_range[0] + (MAX_FEATURES - count) // 2)):
                key = heads.keys[i, t] + dependents.keys[j, t]
                count = append(key, bits, directed, binned, indices, count)
    return count


@kernel
def fire_sibling(keys: PairKeys, bits: int, h: int, s: int, d: int, indices: Longs) -> int:
    """Write the weight indices of a sibling part, as `fire_arc`; ``s`` is -1 for none."""
    directed = 8 if h < d else 0
    binned = directed + bin_distance(abs(d - (s if s >= 0 else h)), FAR)
    s = s if s >= 0 else len(keys.two) - 1
    count = 0
    for t in range(keys.one.shape[1]):
        key = keys.one[h, t] + keys.two[s, t] + keys.three[d, t]
        count = append(key, bits, directed, binned, indices, count)
    return count


@kernel
def fire_grandparent(keys: PairKeys, bits: int, g: int, h: int, d: int, indices: Longs) -> int:
    """Write the weight indices of a grandparent part, as `fire_arc`; ``g`` is -1 for none.

    Features have the directions of both arcs, and the length of the lower one: 1, up to 4, or more.
    """
    directed = (8 if h < d else 0) + (4 if g < h else 0)
    distance = abs(h - d)
    binned = directed + (1 if distance == 1 else 2 if distance <= 4 else 3)
    g = g if g >= 0 else len(keys.one) - 1
    count = 0
    for t in range(keys.one.shape[1]):
        key = keys.one[g, t] + keys.two[h, t] + keys.three[d, t]
        count = append(key, bits, directed, binned, indices, count)
    return count
