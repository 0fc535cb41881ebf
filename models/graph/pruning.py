"""Which arcs are worth a closer look: a small first-order model that chooses a head for each word.

A multinomial logistic regression gives every word a distribution over its heads; it is trained by stochastic gradient
descent and averaged as in `treevote.models.graph.learning`. Arcs are pruned whose probability is too far below
that of the word's best (Carreras, Collins & Koo 2008, "TAG, dynamic programming, and the perceptron", section 5; Koo
& Collins 2010). Heads that a perceptron or MIRA ranks below the best say far less about where the right one is.
"""

from __future__ import annotations

import numpy as np

from treevote.kernels import Bools, Doubles, Floats, Ints, Longs, Shorts, kernel
from treevote.models.features.lexicon import WordColumns
from treevote.models.graph.arc_model import decode, score_arcs
from treevote.models.graph.features import MAX_FEATURES, arc_keys, fire_arc
from treevote.models.graph.learning import Sums
from treevote.models.graph.templates import ArcTable

LEAST_GRADIENT = 0.003
"""Probabilities nearer to 0, or to 1 for the right head, are left as they are."""

FINAL_RATE = 0.1
"""Share of the learning rate that is left at the end of the training; it falls linearly."""


@kernel
def train_pruner(
    sums: Sums,
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
    sums, bits, table, words, tokens, heads, offsets, order, done, total
        As for `treevote.models.graph.arc_model.train_arcs`.
    """
    slots = np.empty(MAX_FEATURES, np.int64)
    for i in range(len(order)):
        first, last = offsets[order[i]], offsets[order[i] + 1]
        keys = arc_keys(table, tokens[first:last], words)
        scores = np.empty((last - first, last - first), np.float32)
        score_arcs(sums.weights, bits, table, keys, scores)
        over = (done + i) / total
        step = rate * (1 - (1 - FINAL_RATE) * over)
        gradients = np.empty(last - first, np.float64)
        for d in range(1, last - first):
            head_gradients(scores[d], d, int(heads[first + d]), gradients)
            for h in range(last - first):
                if abs(gradients[h]) > LEAST_GRADIENT:
                    change = step * gradients[h]
                    for slot in slots[: fire_arc(keys, table, bits, h, d, slots)]:
                        sums.weights[slot] += np.float32(change)
                        sums.lag[slot] += np.float32(over * change)


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
    keep: int,
    margin: float,
    single_root: bool,
    heads: Ints,
) -> Bools:
    """Return a mask of the arcs of a sentence worth a closer look, ``[dependent, head]``.

    Parameters
    ----------
    weights, bits, table, words, tokens, single_root
        As for `treevote.models.graph.arc_model.parse_arcs`.
    keep : int
        The most heads of one word.
    margin : float
        How much lower than that of the best head the score of a head may be.
    heads : ndarray of int32, shape (n + 1,)
        Receives the best projective tree, whose arcs are all in the mask.
    """
    scores = np.empty((len(tokens), len(tokens)), np.float32)
    score_arcs(weights, bits, table, arc_keys(table, tokens, words), scores)
    decode(scores, True, single_root, heads)
    mask = np.zeros(scores.shape, np.bool_)
    for d in range(1, len(tokens)):
        scores[d, d] = -np.inf
        lowest = scores[d].max() - margin
        if keep < len(tokens):
            lowest = max(lowest, np.sort(scores[d])[-keep])
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
    keep: int,
    margin: float,
    single_root: bool,
    allowed: Bools,
    begins: Longs,
) -> int:
    """Prune the arcs of training sentences, but for those of the gold trees.

    Parameters
    ----------
    allowed : ndarray of bool
        Receives the masks of all sentences, one after the other.
    begins : ndarray of int64, shape (n_sentences + 1,)
        Where each begins.

    Returns
    -------
    int
        How many gold arcs would have been pruned.
    """
    lost = 0
    for i in range(len(offsets) - 1):
        first, last = offsets[i], offsets[i + 1]
        found = np.empty(last - first, np.int32)
        own = tokens[first:last]
        mask = prune(weights, bits, table, words, own, keep, margin, single_root, found)
        for d in range(1, last - first):
            lost += not mask[d, gold[first + d]]
            mask[d, gold[first + d]] = True
        allowed[begins[i] : begins[i + 1]] = mask.ravel()
    return lost
