"""The second-order model: scores for arcs, siblings and grandparents (Carreras 2007; Koo & Collins 2010).

A first-order model prunes the arcs: every word keeps its few best heads, and its head in the best first-order tree. So
the number of parts is linear in the length of the sentence, and there is always a tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Ints, Longs, Shorts, kernel
from treevote.models.features.lexicon import WordColumns
from treevote.models.graph import hill_climbing, koo_collins
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
from treevote.models.graph.first_order import FirstOrderModel, WeightTable, score_features
from treevote.models.graph.hashed_weights import NO_WEIGHTS, HashedWeights
from treevote.models.graph.parts import Parts, ScoredParts, find_parts, parts_of
from treevote.models.graph.pruning import prune
from treevote.models.graph.templates import (
    GRANDPARENT_ROLES,
    SIBLING_ROLES,
    ArcTable,
    PairTable,
    compile_arcs,
    compile_pairs,
)
from treevote.models.graph.update import AveragedWeights, FeatureDifference, UpdateRule, extend, update
from treevote.store.record import Record

KIND = "second-order-model"

decode_projective = koo_collins.decode
climb = hill_climbing.climb


class TemplateTables(NamedTuple):
    """Compiled templates of a second-order model."""

    arcs: ArcTable
    siblings: PairTable
    grandparents: PairTable


class SecondOrderModel(NamedTuple):
    """A second-order model.

    Attributes
    ----------
    arcs, siblings, grandparents : tuple of str
        Templates.
    tables : TemplateTables
        The compiled templates.
    weights : HashedWeights
    """

    arcs: tuple[str, ...]
    siblings: tuple[str, ...]
    grandparents: tuple[str, ...]
    tables: TemplateTables
    weights: HashedWeights

    @classmethod
    def untrained(cls, arcs: Sequence[str], siblings: Sequence[str], grandparents: Sequence[str]) -> SecondOrderModel:
        """Return a model without weights; raises as `treevote.models.graph.templates.compile_arcs`."""
        tables = TemplateTables(
            compile_arcs(arcs),
            compile_pairs(siblings, SIBLING_ROLES),
            compile_pairs(grandparents, GRANDPARENT_ROLES),
        )
        return cls(tuple(arcs), tuple(siblings), tuple(grandparents), tables, NO_WEIGHTS)

    def parse(
        self,
        pruner: FirstOrderModel,
        max_heads: int,
        pruning_margin: float,
        words: WordColumns,
        tokens: Ints,
        offsets: Longs,
        projective: bool,
        single_root: bool,
        heads: Ints,
    ) -> None:
        """Find the heads of every sentence.

        Parameters are those of `parse_sentences`, with the margin as a difference of log-probabilities.
        """
        table, bits, _ = self.weights
        margin = pruning_margin / pruner.weights.scale
        pruning = pruner.weights.table, pruner.weights.bits, pruner.table, max_heads, margin
        parse_sentences(table, bits, self.tables, *pruning, words, tokens, offsets, projective, single_root, heads)

    def record(self) -> Record:
        """Return the model as data."""
        templates = {"arcs": self.arcs, "siblings": self.siblings, "grandparents": self.grandparents}
        return self.weights.record(KIND, templates)

    @classmethod
    def from_record(cls, record: Record) -> SecondOrderModel:
        """Make the model of a record; raises as `FirstOrderModel.from_record`."""
        texts = record.texts
        model = cls.untrained(texts["arcs"], texts["siblings"], texts["grandparents"])
        return model._replace(weights=HashedWeights.from_record(record, KIND))


class PartKeys(NamedTuple):
    """Hash keys of the words of a sentence in every role of every kind of part."""

    arcs: ArcKeys
    siblings: PairKeys
    grandparents: PairKeys


@kernel
def keys_of(tables: TemplateTables, tokens: Ints, words: WordColumns) -> PartKeys:
    """Hash the words of a sentence in every role of every kind of part."""
    return PartKeys(
        arc_keys(tables.arcs, tokens, words),
        pair_keys(tables.siblings, 7, tokens, words),
        pair_keys(tables.grandparents, 10, tokens, words),
    )


@kernel
def fire_arc_of(keys: PartKeys, tables: TemplateTables, bits: int, parts: Parts, arc: int, indices: Longs) -> int:
    """Write the weight indices of a candidate arc; return their number."""
    h, d = parts.candidates.heads[arc], parts.candidates.dependents[arc]
    return fire_arc(keys.arcs, tables.arcs, bits, h, d, indices)


@kernel
def fire_sibling_of(keys: PartKeys, bits: int, parts: Parts, arc: int, part: int, indices: Longs) -> int:
    """Write the weight indices of a sibling part of a candidate arc; return their number."""
    partner = parts.siblings.partners[part]
    s = int(parts.candidates.dependents[partner]) if partner >= 0 else -1
    return fire_sibling(keys.siblings, bits, parts.candidates.heads[arc], s, parts.candidates.dependents[arc], indices)


@kernel
def fire_grandparent_of(keys: PartKeys, bits: int, parts: Parts, arc: int, part: int, indices: Longs) -> int:
    """Write the weight indices of a grandparent part of a candidate arc; return their number."""
    partner = parts.grandparents.partners[part]
    g = int(parts.candidates.heads[partner]) if partner >= 0 else -1
    return fire_grandparent(
        keys.grandparents, bits, g, parts.candidates.heads[arc], parts.candidates.dependents[arc], indices
    )


@kernel
def score_parts(weights: WeightTable, bits: int, tables: TemplateTables, keys: PartKeys, parts: Parts) -> ScoredParts:
    """Score all parts of a sentence."""
    indices = np.empty(MAX_FEATURES, np.int64)
    arcs = np.empty(len(parts.candidates.heads), np.float32)
    siblings = np.empty(len(parts.siblings.partners), np.float32)
    grandparents = np.empty(len(parts.grandparents.partners), np.float32)
    for arc in range(len(arcs)):
        arcs[arc] = score_features(weights, indices, fire_arc_of(keys, tables, bits, parts, arc, indices))
        for part in range(parts.siblings.first[arc], parts.siblings.first[arc + 1]):
            siblings[part] = score_features(weights, indices, fire_sibling_of(keys, bits, parts, arc, part, indices))
        for part in range(parts.grandparents.first[arc], parts.grandparents.first[arc + 1]):
            grandparents[part] = score_features(
                weights, indices, fire_grandparent_of(keys, bits, parts, arc, part, indices)
            )
    return ScoredParts(parts.candidates, parts.siblings, parts.grandparents, arcs, siblings, grandparents)


@kernel
def decode(scored: ScoredParts, projective: bool, single_root: bool, heads: Ints) -> None:
    """Write the best projective tree, or the local optimum of a hill climb from there."""
    decode_projective(scored, single_root, heads)
    if not projective:
        climb(scored, single_root, heads)


@kernel
def train_epoch(
    averaged: AveragedWeights,
    bits: int,
    rule: UpdateRule,
    tables: TemplateTables,
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
) -> None:
    """Learn from sentences, one after the other.

    Parameters are those of `treevote.models.graph.first_order.train_epoch`, and ``allowed`` and ``begins`` as in
    `treevote.models.graph.training.Masks`.
    """
    indices = np.empty(MAX_FEATURES, np.int64)
    difference = FeatureDifference(np.empty(1 << 16, np.int64), np.empty(1 << 16, np.float32))
    for i in range(len(order)):
        first, last = offsets[order[i]], offsets[order[i] + 1]
        n = int(last - first - 1)
        gold, found = heads[first:last], np.empty(n + 1, np.int32)
        keys = keys_of(tables, tokens[first:last], words)
        mask = allowed[begins[order[i]] : begins[order[i] + 1]].reshape((n + 1, n + 1))
        parts = parts_of(mask)
        scored = score_parts(averaged.weights, bits, tables, keys, parts)
        if rule.cost > 0:
            for arc in range(len(scored.arc_scores)):
                if gold[parts.candidates.dependents[arc]] != parts.candidates.heads[arc]:
                    scored.arc_scores[arc] += np.float32(rule.cost)
        decode(scored, projective, single_root, found)
        mistakes, used = 0, 0
        for d in range(1, n + 1):
            mistakes += found[d] != gold[d]
        if mistakes == 0:
            continue
        right = find_parts(parts.candidates, parts.siblings, parts.grandparents, gold)
        wrong = find_parts(parts.candidates, parts.siblings, parts.grandparents, found)
        for side in range(2):
            own, other, sign = (right, wrong, 1.0) if side == 0 else (wrong, right, -1.0)
            for d in range(1, n + 1):
                arc = own[d, 0]
                if own[d, 0] != other[d, 0]:
                    count = fire_arc_of(keys, tables, bits, parts, arc, indices)
                    difference = extend(difference, used, indices, count, sign)
                    used += count
                if own[d, 1] != other[d, 1]:
                    count = fire_sibling_of(keys, bits, parts, arc, own[d, 1], indices)
                    difference = extend(difference, used, indices, count, sign)
                    used += count
                if own[d, 2] != other[d, 2]:
                    count = fire_grandparent_of(keys, bits, parts, arc, own[d, 2], indices)
                    difference = extend(difference, used, indices, count, sign)
                    used += count
        update(rule, averaged, difference, used, mistakes, (done + i) / total)


@kernel
def parse_sentences(
    weights: Shorts,
    bits: int,
    tables: TemplateTables,
    pruner_weights: Shorts,
    pruner_bits: int,
    pruner_table: ArcTable,
    max_heads: int,
    margin: float,
    words: WordColumns,
    tokens: Ints,
    offsets: Longs,
    projective: bool,
    single_root: bool,
    heads: Ints,
) -> None:
    """Find the heads of every sentence; those of `koo_collins.LONGEST` tokens or more get the pruner's best tree.

    Parameters
    ----------
    pruner_weights, pruner_bits, pruner_table, max_heads, margin
        As for `treevote.models.graph.pruning.prune`.
    heads : ndarray of int32, shape (n_slots,)
        Written to.
    """
    for i in range(len(offsets) - 1):
        first, last = offsets[i], offsets[i + 1]
        n = int(last - first - 1)
        own, found = tokens[first:last], heads[first:last]
        mask = prune(pruner_weights, pruner_bits, pruner_table, words, own, max_heads, margin, single_root, found)
        if n >= koo_collins.LONGEST:
            continue
        parts = parts_of(mask)
        scored = score_parts(weights, bits, tables, keys_of(tables, own, words), parts)
        decode(scored, projective, single_root, found)
