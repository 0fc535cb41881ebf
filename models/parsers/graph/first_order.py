"""The first-order model: the score of a tree is the sum of the scores of its arcs (McDonald et al. 2005)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from treevote.kernels import Bools, Floats, Ints, Longs, Shorts, kernel, leaf
from treevote.models.parsers.decoding.best_tree import decode
from treevote.models.parsers.decoding.eisner import NEVER
from treevote.models.parsers.graph.features import (
    MAX_FEATURES,
    ArcKeys,
    Places,
    Variants,
    arc_keys,
    fire_arc,
    variants_of_arc,
)
from treevote.models.parsers.graph.hashed_weights import NO_WEIGHTS, HashedWeights
from treevote.models.parsers.graph.sentences import Sentences
from treevote.models.parsers.graph.templates import ArcTable, compile_arcs
from treevote.models.parsers.graph.update import AveragedWeights, SparseVector, UpdateRule, extend, update
from treevote.store.record import Record

KIND = "first-order-model"

WeightTable: TypeAlias = Shorts | Floats
"""Rounded weights of a parser, or those in training."""


class FirstOrderModel(NamedTuple):
    """Templates, as text and compiled, and their weights."""

    templates: tuple[str, ...]
    table: ArcTable
    weights: HashedWeights

    @classmethod
    def untrained(cls, templates: Sequence[str]) -> FirstOrderModel:
        """Return a model without weights; raises as `treevote.models.parsers.graph.templates.compile_arcs`."""
        return cls(tuple(templates), compile_arcs(templates), NO_WEIGHTS)

    def record(self) -> Record:
        """Return the model as data."""
        return self.weights.record(KIND, {"arcs": self.templates})

    @classmethod
    def from_record(cls, record: Record) -> FirstOrderModel:
        """Make the model of a record; raises as `treevote.store.validation.rebuild` expects."""
        return cls.untrained(record.texts["arcs"])._replace(weights=HashedWeights.from_record(record, KIND))


@leaf
def score_features(weights: WeightTable, places: Places, count: int, variants: Variants) -> float:
    """Return the sum of the weights of the first ``count`` features, in both variants."""
    total = np.int64(0)  # the sum is wider than the weights, without numba as well
    for i in range(count):
        total += weights[places[i] ^ variants[0]]
        total += weights[places[i] ^ variants[1]]
    return float(total)


@kernel
def score_arcs(weights: WeightTable, bits: int, splits: Bools, keys: ArcKeys, given: Ints, scores: Floats) -> None:
    """Write the scores of all arcs of a sentence, ``[dependent, head]``, but for row 0 and the diagonal.

    Where the head of a token is ``given``, that is not -1, its arc has the score 0, and all others `NEVER`.
    """
    write_scores(weights, bits, splits, keys, given, np.empty(MAX_FEATURES, np.uint32), scores)


@leaf
def write_scores(
    weights: WeightTable, bits: int, splits: Bools, keys: ArcKeys, given: Ints, places: Places, scores: Floats
) -> None:
    """Write the scores as `score_arcs`; ``places`` has the shape (MAX_FEATURES,)."""
    for d in range(1, len(scores)):
        for h in range(len(scores)):
            if given[d] >= 0:
                scores[d, h] = np.float32(0 if h == given[d] else NEVER)
            elif h != d:
                count = fire_arc(keys, splits, bits, h, d, places)
                scores[d, h] = score_features(weights, places, count, variants_of_arc(h, d))


@kernel
def train_epoch(
    rule: UpdateRule,
    table: ArcTable,
    sentences: Sentences,
    averaged: AveragedWeights,
    order: Longs,
    done: int,
    total: int,
) -> None:
    """Learn from the sentences in ``order``, after ``done`` of the ``total`` ones of the whole training."""
    places, bits = np.empty(MAX_FEATURES, np.uint32), averaged.bits
    difference = SparseVector(np.empty(1 << 16, np.int64), np.empty(1 << 16, np.float32))
    for i in range(len(order)):
        first, last = sentences.offsets[order[i]], sentences.offsets[order[i] + 1]
        gold, found = sentences.heads[first:last], np.empty(last - first, np.int32)
        keys = arc_keys(table, sentences.tokens[first:last], sentences.words)
        scores = np.empty((last - first, last - first), np.float32)
        score_arcs(averaged.weights, bits, table.splits, keys, np.full(last - first, -1, np.int32), scores)
        if rule.cost > 0:
            for d in range(1, last - first):
                for h in range(last - first):
                    scores[d, h] += np.float32(rule.cost if h != gold[d] else 0.0)
        decode(scores, sentences.projective, sentences.single_root, found)
        mistakes, used = 0, 0
        for d in range(1, last - first):
            if found[d] != gold[d]:
                mistakes += 1
                for sign in (1.0, -1.0):
                    h = int(np.int64(gold[d] if sign > 0 else found[d]))  # as wide as in `write_scores`
                    count = fire_arc(keys, table.splits, bits, h, d, places)
                    difference, used = extend(difference, used, places, count, variants_of_arc(h, d), sign)
        if mistakes > 0:
            update(rule, averaged, difference, used, mistakes, (done + i) / total)


@kernel
def parse_sentences(weights: HashedWeights, table: ArcTable, sentences: Sentences) -> None:
    """Write the heads of every sentence; those that are there before, and not -1, are given."""
    for i in range(len(sentences.offsets) - 1):
        first, last = sentences.offsets[i], sentences.offsets[i + 1]
        keys = arc_keys(table, sentences.tokens[first:last], sentences.words)
        scores = np.empty((last - first, last - first), np.float32)
        heads = sentences.heads[first:last]
        score_arcs(weights.table, weights.bits, table.splits, keys, heads, scores)
        decode(scores, sentences.projective, sentences.single_root, heads)
