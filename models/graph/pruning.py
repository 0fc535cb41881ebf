"""Pruning of arcs before second-order parsing: a small first-order model of the head of each word.

A multinomial logistic regression gives every word a distribution over its heads; it is trained by stochastic gradient
descent and averaged as in `treevote.models.graph.update`. Arcs are pruned whose probability is too far below
that of the word's best (Carreras, Collins & Koo 2008, "TAG, dynamic programming, and the perceptron", section 5; Koo
& Collins 2010). The scores of a perceptron or MIRA are less suited: they rank the heads below the best one badly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Doubles, Floats, Ints, Longs, kernel
from treevote.models.features.lexicon import WordColumns
from treevote.models.graph.features import MAX_FEATURES, arc_keys, fire_arc
from treevote.models.graph.first_order import decode, score_arcs
from treevote.models.graph.hashed_weights import HashedWeights
from treevote.models.graph.sentences import Sentences
from treevote.models.graph.templates import ArcTable
from treevote.models.graph.update import AveragedWeights

MIN_GRADIENT = 0.003
"""Smaller gradients are ignored: the probability is near 0, or near 1 for the gold head."""

FINAL_RATE = 0.1
"""Final learning rate as a share of the first; it falls linearly."""


class Pruner(NamedTuple):
    """A first-order model, and the limits for the remaining arcs.

    Attributes
    ----------
    max_heads : int
        Maximum number of heads of one word.
    margin : float
        Maximum difference to the score of the best head.
    """

    weights: HashedWeights
    table: ArcTable
    max_heads: int
    margin: float

    @classmethod
    def of(cls, weights: HashedWeights, table: ArcTable, max_heads: int, margin: float) -> Pruner:
        """Return a pruner whose margin is a difference of log-probabilities."""
        return cls(weights, table, max_heads, margin / weights.scale)


@kernel
def train_epoch(
    averaged: AveragedWeights, rate: float, table: ArcTable, sentences: Sentences, order: Longs, done: int, total: int
) -> None:
    """Learn from sentences, one after the other; parameters as for `treevote.models.graph.first_order.train_epoch`."""
    indices, bits = np.empty(MAX_FEATURES, np.int64), averaged.bits
    for i in range(len(order)):
        first, last = sentences.offsets[order[i]], sentences.offsets[order[i] + 1]
        keys = arc_keys(table, sentences.tokens[first:last], sentences.words)
        scores = np.empty((last - first, last - first), np.float32)
        score_arcs(averaged.weights, bits, table, keys, scores)
        progress = (done + i) / total
        step = rate * (1 - (1 - FINAL_RATE) * progress)
        gradients = np.empty(last - first, np.float64)
        for d in range(1, last - first):
            head_gradients(scores[d], d, int(sentences.heads[first + d]), gradients)
            for h in range(last - first):
                if abs(gradients[h]) > MIN_GRADIENT:
                    change = step * gradients[h]
                    for index in indices[: fire_arc(keys, table, bits, h, d, indices)]:
                        averaged.weights[index] += np.float32(change)
                        averaged.accumulated[index] += np.float32(progress * change)


@kernel
def head_gradients(scores: Floats, d: int, gold: int, gradients: Doubles) -> None:
    """Write the gradient of the log-probability of the head ``gold`` by the score of each head of ``d``."""
    highest = -np.inf
    for h in range(len(scores)):
        if h != d:
            highest = max(highest, scores[h])
    total = 0.0
    for h in range(len(scores)):
        gradients[h] = np.exp(scores[h] - highest) if h != d else 0.0
        total += gradients[h]
    for h in range(len(scores)):
        gradients[h] = (1.0 if h == gold else 0.0) - gradients[h] / total


@kernel
def prune(pruner: Pruner, words: WordColumns, tokens: Ints, single_root: bool, heads: Ints) -> Bools:
    """Return a mask of the arcs of a sentence that are not pruned, ``[dependent, head]``.

    ``heads`` receives the best projective tree, whose arcs are never pruned.
    """
    weights, table, max_heads, margin = pruner
    scores = np.empty((len(tokens), len(tokens)), np.float32)
    score_arcs(weights.table, weights.bits, table, arc_keys(table, tokens, words), scores)
    decode(scores, True, single_root, heads)
    mask = np.zeros(scores.shape, np.bool_)
    for d in range(1, len(tokens)):
        scores[d, d] = -np.inf
        lowest = scores[d].max() - margin
        if max_heads < len(tokens):
            lowest = max(lowest, np.sort(scores[d])[-max_heads])
        for h in range(len(tokens)):
            mask[d, h] = h == heads[d] or (h != d and scores[d, h] >= lowest)
    return mask


@kernel
def prune_all(pruner: Pruner, sentences: Sentences, allowed: Bools, begins: Longs) -> None:
    """Prune the arcs of training sentences, but for those of the gold trees.

    The masks of all sentences are written to ``allowed``, see `treevote.models.graph.training.Masks`.
    """
    for i in range(len(sentences.offsets) - 1):
        first, last = sentences.offsets[i], sentences.offsets[i + 1]
        found = np.empty(last - first, np.int32)
        mask = prune(pruner, sentences.words, sentences.tokens[first:last], sentences.single_root, found)
        for d in range(1, last - first):
            mask[d, sentences.heads[first + d]] = True
        allowed[begins[i] : begins[i + 1]] = mask.ravel()
