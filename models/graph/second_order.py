"""The second-order model: scores for arcs, siblings and grandparents (Carreras 2007; Koo & Collins 2010).

A first-order model prunes the arcs: every word keeps its few best heads, and its head in the best first-order tree. So
the number of parts is linear in the length of the sentence, and there is always a tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Ints, Longs, kernel
from treevote.models.features.lexicon import WordColumns
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
from treevote.models.graph.first_order import WeightTable, score_features
from treevote.models.graph.hashed_weights import NO_WEIGHTS, HashedWeights
from treevote.models.graph.hill_climbing import climb
from treevote.models.graph.koo_collins import LONGEST
from treevote.models.graph.koo_collins import decode as koo_collins_decode
from treevote.models.graph.parts import Parts, ScoredParts, find_parts, parts_of
from treevote.models.graph.pruning import Pruner, prune
from treevote.models.graph.sentences import Sentences
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

    def parse(self, pruner: Pruner, sentences: Sentences) -> None:
        """Write the heads of every sentence; `LONGEST` tokens or more get the pruner's best tree."""
        parse_sentences(self.weights, self.tables, pruner, sentences)

    def record(self) -> Record:
        """Return the model as data."""
        templates = {"arcs": self.arcs, "siblings": self.siblings, "grandparents": self.grandparents}
        return self.weights.record(KIND, templates)

    @classmethod
    def from_record(cls, record: Record) -> SecondOrderModel:
        """Make the model of a record; raises as `treevote.store.validation.rebuild` expects."""
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
    koo_collins_decode(scored, single_root, heads)
    if not projective:
        climb(scored, single_root, heads)


@kernel
def train_epoch(
    averaged: AveragedWeights,
    rule: UpdateRule,
    tables: TemplateTables,
    sentences: Sentences,
    allowed: Bools,
    begins: Longs,
    order: Longs,
    done: int,
    total: int,
) -> None:
    """Learn from sentences, one after the other.

    Parameters are those of `treevote.models.graph.first_order.train_epoch`, and ``allowed`` and ``begins`` as in
    `treevote.models.graph.training.Masks`.
    """
    indices, bits = np.empty(MAX_FEATURES, np.int64), averaged.bits
    difference = FeatureDifference(np.empty(1 << 16, np.int64), np.empty(1 << 16, np.float32))
    for i in range(len(order)):
        first, last = sentences.offsets[order[i]], sentences.offsets[order[i] + 1]
        n = int(last - first - 1)
        gold, found = sentences.heads[first:last], np.empty(n + 1, np.int32)
        keys = keys_of(tables, sentences.tokens[first:last], sentences.words)
        mask = allowed[begins[order[i]] : begins[order[i] + 1]].reshape((n + 1, n + 1))
        parts = parts_of(mask)
        scored = score_parts(averaged.weights, bits, tables, keys, parts)
        if rule.cost > 0:
            for arc in range(len(scored.arc_scores)):
                if gold[parts.candidates.dependents[arc]] != parts.candidates.heads[arc]:
                    scored.arc_scores[arc] += np.float32(rule.cost)
        decode(scored, sentences.projective, sentences.single_root, found)
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
                for kind in range(3):
                    arc, part = own[d, 0], own[d, kind]
                    if part == other[d, kind]:
                        continue
                    if kind == 0:
                        count = fire_arc_of(keys, tables, bits, parts, arc, indices)
                    elif kind == 1:
                        count = fire_sibling_of(keys, bits, parts, arc, part, indices)
                    else:
                        count = fire_grandparent_of(keys, bits, parts, arc, part, indices)
                    difference, used = extend(difference, used, indices, count, sign)
        update(rule, averaged, difference, used, mistakes, (done + i) / total)


@kernel
def parse_sentences(weights: HashedWeights, tables: TemplateTables, pruner: Pruner, sentences: Sentences) -> None:
    """Write the heads of every sentence."""
    words, single_root = sentences.words, sentences.single_root
    for i in range(len(sentences.offsets) - 1):
        first, last = sentences.offsets[i], sentences.offsets[i + 1]
        tokens, heads = sentences.tokens[first:last], sentences.heads[first:last]
        mask = prune(pruner, words, tokens, single_root, heads)
        if len(tokens) <= LONGEST:
            parts = parts_of(mask)
            scored = score_parts(weights.table, weights.bits, tables, keys_of(tables, tokens, words), parts)
            decode(scored, sentences.projective, single_root, heads)
