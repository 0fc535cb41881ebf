"""The first-order model: the score of a tree is the sum of the scores of its arcs (McDonald et al. 2005)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from treevote.kernels import Floats, Ints, Longs, Shorts, kernel
from treevote.models.features.lexicon import WordColumns
from treevote.models.graph import chu_liu_edmonds, eisner
from treevote.models.graph.features import MAX_FEATURES, ArcKeys, arc_keys, fire_arc
from treevote.models.graph.hashed_weights import NO_WEIGHTS, HashedWeights
from treevote.models.graph.templates import ArcTable, compile_arcs
from treevote.models.graph.update import AveragedWeights, FeatureDifference, UpdateRule, extend, update
from treevote.store.record import Record

KIND = "first-order-model"

WeightTable: TypeAlias = Shorts | Floats
"""Rounded weights of a parser, or those in training."""

decode_projective = eisner.decode
decode_any = chu_liu_edmonds.decode


class FirstOrderModel(NamedTuple):
    """A first-order model.

    Attributes
    ----------
    templates : tuple of str
    table : ArcTable
        The compiled templates.
    weights : HashedWeights
    """

    templates: tuple[str, ...]
    table: ArcTable
    weights: HashedWeights

    @classmethod
    def untrained(cls, templates: Sequence[str]) -> FirstOrderModel:
        """Return a model without weights; raises as `treevote.models.graph.templates.compile_arcs`."""
        return cls(tuple(templates), compile_arcs(templates), NO_WEIGHTS)

    def parse(
        self, words: WordColumns, tokens: Ints, offsets: Longs, projective: bool, single_root: bool, heads: Ints
    ) -> None:
        """Find the heads of every sentence; parameters as for `parse_sentences`."""
        table, bits, _ = self.weights
        parse_sentences(table, bits, self.table, words, tokens, offsets, projective, single_root, heads)

    def record(self) -> Record:
        """Return the model as data."""
        return self.weights.record(KIND, {"arcs": self.templates})

    @classmethod
    def from_record(cls, record: Record) -> FirstOrderModel:
        """Make the model of a record.

        Raises
        ------
        ModelError, ConfigError, KeyError, TypeError, ValueError
            If its parts do not fit together.
        """
        return cls.untrained(record.texts["arcs"])._replace(weights=HashedWeights.from_record(record, KIND))


@kernel
def score_features(weights: WeightTable, indices: Longs, count: int) -> float:
    """Return the sum of the weights at the first ``count`` indices."""
    total = 0
    for i in range(count):
        total += weights[indices[i]]
    return float(total)


@kernel
def score_arcs(weights: WeightTable, bits: int, table: ArcTable, keys: ArcKeys, scores: Floats) -> None:
    """Write the scores of all arcs of a sentence, ``[dependent, head]``, but for row 0 and the diagonal."""
    indices = np.empty(MAX_FEATURES, np.int64)
    for d in range(1, len(scores)):
        for h in range(len(scores)):
            if h != d:
                scores[d, h] = score_features(weights, indices, fire_arc(keys, table, bits, h, d, indices))


@kernel
def decode(scores: Floats, projective: bool, single_root: bool, heads: Ints) -> None:
    """Write the best tree: projective, or of any kind."""
    if projective:
        decode_projective(scores, single_root, heads)
    else:
        decode_any(scores, single_root, heads)


@kernel
def train_epoch(
    averaged: AveragedWeights,
    bits: int,
    rule: UpdateRule,
    table: ArcTable,
    words: WordColumns,
    tokens: Ints,
    heads: Ints,
    offsets: Longs,
    order: Longs,
    done: int,
    total: int,
    projective: bool,
    single_root: bool,
) -> None:
    """Learn from sentences, one after the other.

    Parameters
    ----------
    averaged : AveragedWeights
        Written to.
    tokens, heads : ndarray of int32, shape (n_slots,)
    offsets : ndarray of int64, shape (n_sentences + 1,)
    order : ndarray of int64
        Numbers of the sentences.
    done, total : int
        Number of sentences before this epoch, and in the whole training.
    projective, single_root : bool
        The trees to decode.
    """
    indices = np.empty(MAX_FEATURES, np.int64)
    difference = FeatureDifference(np.empty(1 << 16, np.int64), np.empty(1 << 16, np.float32))
    for i in range(len(order)):
        first, last = offsets[order[i]], offsets[order[i] + 1]
        gold, found = heads[first:last], np.empty(last - first, np.int32)
        keys = arc_keys(table, tokens[first:last], words)
        scores = np.empty((last - first, last - first), np.float32)
        score_arcs(averaged.weights, bits, table, keys, scores)
        if rule.cost > 0:
            for d in range(1, last - first):
                for h in range(last - first):
                    scores[d, h] += np.float32(rule.cost if h != gold[d] else 0.0)
        decode(scores, projective, single_root, found)
        mistakes, used = 0, 0
        for d in range(1, last - first):
            if found[d] != gold[d]:
                mistakes += 1
                count = fire_arc(keys, table, bits, gold[d], d, indices)
                difference = extend(difference, used, indices, count, 1.0)
                used += count
                count = fire_arc(keys, table, bits, found[d], d, indices)
                difference = extend(difference, used, indices, count, -1.0)
                used += count
        if mistakes > 0:
            update(rule, averaged, difference, used, mistakes, (done + i) / total)


@kernel
def parse_sentences(
    weights: Shorts,
    bits: int,
    table: ArcTable,
    words: WordColumns,
    tokens: Ints,
    offsets: Longs,
    projective: bool,
    single_root: bool,
    heads: Ints,
) -> None:
    """Find the heads of every sentence; parameters as for `train_epoch`; ``heads`` is written to."""
    for i in range(len(offsets) - 1):
        first, last = offsets[i], offsets[i + 1]
        keys = arc_keys(table, tokens[first:last], words)
        scores = np.empty((last - first, last - first), np.float32)
        score_arcs(weights, bits, table, keys, scores)
        decode(scores, projective, single_root, heads[first:last])
