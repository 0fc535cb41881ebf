"""Pruning of arcs before second-order parsing: a small first-order model of the head of each word.

A multinomial logistic regression gives every word a distribution over its heads; it is trained by stochastic gradient
descent and averaged as in `treevote.models.graph.update`. Arcs are pruned whose probability is too far below
that of the word's best (Carreras, Collins & Koo 2008, "TAG, dynamic programming, and the perceptron", section 5; Koo
& Collins 2010). The scores of a perceptron or MIRA are less suited: they rank the heads below the best one badly.
"""

from __future__ import annotations

import numpy as np

from treevote.kernels import Bools, Doubles, Floats, Ints, Longs, Shorts, kernel
from treevote.models.features.lexicon import WordColumns
from treevote.models.graph.features import MAX_FEATURES, arc_keys, fire_arc
from treevote.models.graph.first_order import decode, score_arcs
from treevote.models.graph.templates import ArcTable
from treevote.models.graph.update import AveragedWeights

MIN_GRADIENT = 0.003
"""Smaller gradients are ignored: the probability is near 0, or near 1 for the gold head."""

FINAL_RATE = 0.1
"""Final learning rate as a share of the first; it falls linearly."""


@kernel
def train_epoch(
    averaged: AveragedWeights,
    bits: int,
    rate: float,
    table: ArcTable,
    words: WordColumns,
    tokens: Ints,
    heads: Ints,
    offsets: Longs,
    order: Longs,
    done: int,
    total: int,
) -> None:
    """Learn from sentences, one after the other.

    Parameters
    ----------
    rate : float
        Learning rate.
    averaged, bits, table, words, tokens, heads, offsets, order, done, total
        As for `treevote.models.graph.first_order.train_epoch`.
    """
    indices = np.empty(MAX_FEATURES, np.int64)
    for i in range(len(order)):
        first, last = offsets[order[i]], offsets[order[i] + 1]
        keys = arc_keys(table, tokens[first:last], words)
        scores = np.empty((last - first, last - first), np.float32)
        score_arcs(averaged.weights, bits, table, keys, scores)
        progress = (done + i) / total
        step = rate * (1 - (1 - FINAL_RATE) * progress)
        gradients = np.empty(last - first, np.float64)
        for d in range(1, last - first):
            head_gradients(scores[d], d, int(heads[first + d]), gradients)
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
def prune(
    weights: Shorts,
    bits: int,
    table: ArcTable,
    words: WordColumns,
    tokens: Ints,
    max_heads: int,
    margin: float,
    single_root: bool,
    heads: Ints,
) -> Bools:
    """Return a mask of the arcs of a sentence that are not pruned, ``[dependent, head]``.

    Parameters
    ----------
    weights, bits, table, words, tokens, single_root
        As for `treevote.models.graph.first_order.parse_sentences`.
    max_heads : int
        Maximum number of heads of one word.
    margin : float
        Maximum difference to the score of the best head.
    heads : ndarray of int32, shape (n + 1,)
        Written to: the best projective tree, whose arcs are never pruned.
    """
    scores = np.empty((len(tokens), len(tokens)), np.float32)
    score_arcs(weights, bits, table, arc_keys(table, tokens, words), scores)
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
def prune_all(
    weights: Shorts,
    bits: int,
    table: ArcTable,
    words: WordColumns,
    tokens: Ints,
    gold: Ints,
    offsets: Longs,
    max_heads: int,
    margin: float,
    single_root: bool,
    allowed: Bools,
    begins: Longs,
) -> None:
    """Prune the arcs of training sentences, but for those of the gold trees.

    The masks of all sentences are written to ``allowed``, see `treevote.models.graph.training.Masks`.
    """
    for i in range(len(offsets) - 1):
        first, last = offsets[i], offsets[i + 1]
        found = np.empty(last - first, np.int32)
        own = tokens[first:last]
        mask = prune(weights, bits, table, words, own, max_heads, margin, single_root, found)
        for d in range(1, last - first):
            mask[d, gold[first + d]] = True
        allowed[begins[i] : begins[i + 1]] = mask.ravel()
