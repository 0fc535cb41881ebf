"""The second-order model: arcs, siblings and grandparents have scores (Carreras 2007; Koo & Collins 2010).

A first-order model comes before it and leaves every word its few best heads, and the arcs of its best tree: so there
are not many parts, whatever the length of the sentence, and there is always a tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Floats, Ints, Longs, Shorts, kernel
from treevote.models.features.lexicon import WordColumns
from treevote.models.graph import hill_climbing, second_order
from treevote.models.graph.arc_model import Table, weigh
from treevote.models.graph.features import (
    MAX_FEATURES,
    ArcKeys,
    PairKeys,
    arc_keys,
    fire_arc,
    fire_grandparent,
    fire_sibling,
    pair_keys,
)
from treevote.models.graph.learning import Difference, Rule, Sums, extend, learn
from treevote.models.graph.parts import (
    Candidates,
    Grandparents,
    Siblings,
    candidates_of,
    find_parts,
    grandparents_of,
    siblings_of,
)
from treevote.models.graph.pruning import prune
from treevote.models.graph.templates import ArcTable, PairTable

decode_projective = second_order.decode
climb = hill_climbing.climb


class PairTables(NamedTuple):
    """Compiled templates of a second-order model."""

    arcs: ArcTable
    siblings: PairTable
    grandparents: PairTable


class Keys(NamedTuple):
    """All sides of all parts of a sentence."""

    arcs: ArcKeys
    siblings: PairKeys
    grandparents: PairKeys


class Parts(NamedTuple):
    """All parts of a sentence."""

    candidates: Candidates
    siblings: Siblings
    grandparents: Grandparents


@kernel
def parts_of(mask: Bools) -> Parts:
    """List the parts of a sentence."""
    candidates = candidates_of(mask)
    return Parts(candidates, siblings_of(candidates), grandparents_of(candidates))


@kernel
def keys_of(tables: PairTables, tokens: Ints, words: WordColumns) -> Keys:
    """Hash all sides of all parts of a sentence."""
    return Keys(
        arc_keys(tables.arcs, tokens, words),
        pair_keys(tables.siblings, 7, tokens, words),
        pair_keys(tables.grandparents, 10, tokens, words),
    )


@kernel
def fire_arc_of(keys: Keys, tables: PairTables, bits: int, parts: Parts, arc: int, slots: Longs) -> int:
    """Write the places of the features of a candidate arc."""
    h, d = parts.candidates.heads[arc], parts.candidates.dependents[arc]
    return fire_arc(keys.arcs, tables.arcs, bits, h, d, slots)


@kernel
def fire_sibling_of(keys: Keys, bits: int, parts: Parts, arc: int, part: int, slots: Longs) -> int:
    """Write the places of the features of a sibling part of a candidate arc."""
    partner = parts.siblings.partners[part]
    s = int(parts.candidates.dependents[partner]) if partner >= 0 else -1
    return fire_sibling(keys.siblings, bits, parts.candidates.heads[arc], s, parts.candidates.dependents[arc], slots)


@kernel
def fire_grandparent_of(keys: Keys, bits: int, parts: Parts, arc: int, part: int, slots: Longs) -> int:
    """Write the places of the features of a grandparent part of a candidate arc."""
    partner = parts.grandparents.partners[part]
    g = int(parts.candidates.heads[partner]) if partner >= 0 else -1
    return fire_grandparent(
        keys.grandparents, bits, g, parts.candidates.heads[arc], parts.candidates.dependents[arc], slots
    )


@kernel
def score_parts(
    weights: Table, bits: int, tables: PairTables, keys: Keys, parts: Parts
) -> tuple[Floats, Floats, Floats]:
    """Return the scores of arcs, siblings and grandparents."""
    slots = np.empty(MAX_FEATURES, np.int64)
    arcs = np.empty(len(parts.candidates.heads), np.float32)
    siblings = np.empty(len(parts.siblings.partners), np.float32)
    grandparents = np.empty(len(parts.grandparents.partners), np.float32)
    for arc in range(len(arcs)):
        arcs[arc] = weigh(weights, slots, fire_arc_of(keys, tables, bits, parts, arc, slots))
        for part in range(parts.siblings.first[arc], parts.siblings.first[arc + 1]):
            siblings[part] = weigh(weights, slots, fire_sibling_of(keys, bits, parts, arc, part, slots))
        for part in range(parts.grandparents.first[arc], parts.grandparents.first[arc + 1]):
            grandparents[part] = weigh(weights, slots, fire_grandparent_of(keys, bits, parts, arc, part, slots))
    return arcs, siblings, grandparents


@kernel
def decode(
    n: int,
    parts: Parts,
    arcs: Floats,
    siblings: Floats,
    grandparents: Floats,
    projective: bool,
    single_root: bool,
    heads: Ints,
) -> None:
    """Write the best projective tree, or a good one that need not be projective."""
    candidates, pairs, chains = parts
    decode_projective(n, candidates, pairs, chains, arcs, siblings, grandparents, single_root, heads)
    if not projective:
        climb(n, candidates, pairs, chains, arcs, siblings, grandparents, single_root, heads)


@kernel
def train_pairs(
    sums: Sums,
    bits: int,
    rule: Rule,
    tables: PairTables,
    words: WordColumns,
    tokens: Ints,
    heads: Ints,
    offsets: Longs,
    allowed: Bools,
    begins: Longs,
    order: Longs,
    done: int,
    total: int,
    projective: bool,
    single_root: bool,
) -> int:
    """Learn from sentences, one after the other.

    Parameters are those of `treevote.models.graph.arc_model.train_arcs`, and

    allowed : ndarray of bool
        The masks of all sentences, one after the other.
    begins : ndarray of int64, shape (n_sentences + 1,)
        Where each begins.
    """
    slots = np.empty(MAX_FEATURES, np.int64)
    difference = Difference(np.empty(1 << 16, np.int64), np.empty(1 << 16, np.float32))
    all_mistakes = 0
    for i in range(len(order)):
        first, last = offsets[order[i]], offsets[order[i] + 1]
        n = int(last - first - 1)
        gold, found = heads[first:last], np.empty(n + 1, np.int32)
        keys = keys_of(tables, tokens[first:last], words)
        mask = allowed[begins[order[i]] : begins[order[i] + 1]].reshape((n + 1, n + 1))
        parts = parts_of(mask)
        arcs, siblings, grandparents = score_parts(sums.weights, bits, tables, keys, parts)
        if rule.cost > 0:
            for arc in range(len(arcs)):
                if gold[parts.candidates.dependents[arc]] != parts.candidates.heads[arc]:
                    arcs[arc] += np.float32(rule.cost)
        decode(n, parts, arcs, siblings, grandparents, projective, single_root, found)
        mistakes, used = 0, 0
        for d in range(1, n + 1):
            mistakes += found[d] != gold[d]
        if mistakes == 0:
            continue
        right = find_parts(parts.candidates, parts.siblings, parts.grandparents, gold)
        wrong = find_parts(parts.candidates, parts.siblings, parts.grandparents, found)
        for side in range(2):
            own, other, gain = (right, wrong, 1.0) if side == 0 else (wrong, right, -1.0)
            for d in range(1, n + 1):
                arc = own[d, 0]
                if own[d, 0] != other[d, 0]:
                    count = fire_arc_of(keys, tables, bits, parts, arc, slots)
                    difference = extend(difference, used, slots, count, gain)
                    used += count
                if own[d, 1] != other[d, 1]:
                    count = fire_sibling_of(keys, bits, parts, arc, own[d, 1], slots)
                    difference = extend(difference, used, slots, count, gain)
                    used += count
                if own[d, 2] != other[d, 2]:
                    count = fire_grandparent_of(keys, bits, parts, arc, own[d, 2], slots)
                    difference = extend(difference, used, slots, count, gain)
                    used += count
        learn(rule, sums, difference, used, mistakes, (done + i) / total)
        all_mistakes += mistakes
    return all_mistakes


@kernel
def parse_pairs(
    weights: Shorts,
    bits: int,
    tables: PairTables,
    pruner_weights: Shorts,
    pruner_bits: int,
    pruner_table: ArcTable,
    keep: int,
    margin: float,
    words: WordColumns,
    tokens: Ints,
    offsets: Longs,
    projective: bool,
    single_root: bool,
    heads: Ints,
) -> None:
    """Find the heads of every sentence; those of `second_order.LONGEST` tokens on get the pruner's best tree.

    Parameters
    ----------
    weights : ndarray of int16, shape (2**bits,)
    bits : int
    tables : PairTables
    pruner_weights, pruner_bits, pruner_table, keep, margin
        As for `treevote.models.graph.pruning.prune`.
    words, tokens, offsets, projective, single_root
        As for `train_pairs`.
    heads : ndarray of int32, shape (n_slots,)
        Written to.
    """
    for i in range(len(offsets) - 1):
        first, last = offsets[i], offsets[i + 1]
        n = int(last - first - 1)
        own, found = tokens[first:last], heads[first:last]
        mask = prune(pruner_weights, pruner_bits, pruner_table, words, own, keep, margin, single_root, found)
        if n >= second_order.LONGEST:
            continue
        parts = parts_of(mask)
        arcs, siblings, grandparents = score_parts(weights, bits, tables, keys_of(tables, own, words), parts)
        decode(n, parts, arcs, siblings, grandparents, projective, single_root, found)
