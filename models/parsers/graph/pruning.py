"""Pruning of arcs before second-order parsing: a small first-order model of the head of each word.

A multinomial logistic regression gives every word a distribution over its heads; it is trained by stochastic gradient
descent and averaged as in `graph.update`. Arcs are pruned whose probability is too far below that of
the word's best (Carreras, Collins & Koo 2008, "TAG, dynamic programming, and the perceptron", section 5; Koo & Collins
2010). The scores of a perceptron or MIRA are less suited: they rank the heads below the best one badly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Doubles, Floats, Ints, Longs, Shorts, kernel
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.parsers.decoding.eisner import decode
from treevote.models.parsers.graph.features import MAX_FEATURES, arc_keys, fire_arc, variants_of_arc
from treevote.models.parsers.graph.first_order import score_arcs
from treevote.models.parsers.graph.hashed_weights import HashedWeights
from treevote.models.parsers.graph.sentences import Sentences
from treevote.models.parsers.graph.templates import ArcTable
from treevote.models.parsers.graph.update import AveragedWeights

MIN_GRADIENT = 0.003  # smaller ones are ignored: the probability is near 0, or near 1 for the gold head
FINAL_RATE = 0.1  # final learning rate as a share of the first; it falls linearly

SHORT, FEWEST = 80, 4
"""To save time, words of sentences of ``n > SHORT`` tokens keep ``max_heads * SHORT // n`` heads, or ``FEWEST``."""


class Pruner(NamedTuple):
    """A first-order model, the most heads of a word, and the largest difference to the best head.

    ``max_heads`` is for sentences of ``SHORT`` tokens or fewer, ``margin`` a difference of log-probabilities.
    """

    weights: HashedWeights
    table: ArcTable
    max_heads: int
    margin: float


class Masks(NamedTuple):
    """The arcs of sentences that were not pruned: the mask of sentence ``i`` is ``allowed[begins[i] : begins[i + 1]]``.

    A mask, ``[dependent, head]``, has 0 for an arc that was pruned, else the number of its likely label, from 1; 1 if
    there are no labels. Row 0 is 0.
    """

    allowed: Shorts
    begins: Longs  # shape (n_sentences + 1,)

    @classmethod
    def empty(cls, offsets: Longs) -> Masks:
        """Return masks of sentences with these offsets, in which all arcs are pruned."""
        lengths = np.diff(offsets)
        begins = np.append(0, np.cumsum(lengths * lengths))
        return cls(np.zeros(begins[-1], np.int16), begins)

    def allow(self, heads: Ints, offsets: Longs) -> None:
        """Allow the arcs of trees."""
        lengths = np.diff(offsets)
        positions = np.arange(len(heads)) - np.repeat(offsets[:-1], lengths)
        rows = np.repeat(self.begins[:-1], lengths) + positions * np.repeat(lengths, lengths)
        self.allowed[(rows + heads)[heads >= 0]] = 1


@kernel
def mask_of(masks: Masks, i: int) -> Shorts:
    """Return the mask of sentence ``i``, shape (n + 1, n + 1)."""
    mask = masks.allowed[masks.begins[i] : masks.begins[i + 1]]
    n_slots = int(np.sqrt(len(mask)))
    return mask.reshape((n_slots, n_slots))


@kernel
def train_epoch(
    rate: float, table: ArcTable, sentences: Sentences, averaged: AveragedWeights, order: Longs, done: int, total: int
) -> None:
    """Learn from sentences; parameters as for `treevote.models.parsers.graph.first_order.train_epoch`."""
    places, bits = np.empty(MAX_FEATURES, np.uint32), averaged.bits
    for i in range(len(order)):
        first, last = sentences.offsets[order[i]], sentences.offsets[order[i] + 1]
        keys = arc_keys(table, sentences.tokens[first:last], sentences.words)
        scores = np.empty((last - first, last - first), np.float32)
        score_arcs(averaged.weights, bits, table.splits, keys, np.full(last - first, -1, np.int32), scores)
        progress = (done + i) / total
        step = rate * (1 - (1 - FINAL_RATE) * progress)
        gradients = np.empty(last - first, np.float64)
        for d in range(1, last - first):
            head_gradients(scores[d], d, int(sentences.heads[first + d]), gradients)
            for h in range(last - first):
                if abs(gradients[h]) > MIN_GRADIENT:
                    change, variants = step * gradients[h], variants_of_arc(h, d)
                    for k in range(2 * fire_arc(keys, table.splits, bits, h, d, places)):
                        index = places[k // 2] ^ variants[k % 2]
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
def prune(pruner: Pruner, words: WordColumns, tokens: Ints, single_root: bool, heads: Ints, allowed: Shorts) -> None:
    """Write 1 for arcs of a sentence that are not pruned into ``allowed``, ``[dependent, head]``, and 0 for others.

    ``heads`` has the given heads, -1 elsewhere, and receives the best projective tree with them: its arcs are never
    pruned, and those that differ from a given one always. Of heads with equal scores the nearest
    stay, to the left first: a long run of one word has hundreds of them.
    """
    weights, table, max_heads, _ = pruner
    margin = pruner.margin / weights.scale
    max_heads = max(min(max_heads, FEWEST), max_heads * SHORT // max(SHORT, len(tokens) - 1))
    scores = np.empty((len(tokens), len(tokens)), np.float32)
    score_arcs(weights.table, weights.bits, table.splits, arc_keys(table, tokens, words), heads, scores)
    decode(scores, single_root, heads)
    best = np.empty(max_heads + 1, np.float32)  # of the heads so far, the highest scores, from high to low
    for d in range(1, len(tokens)):
        n_best = 0
        for h in range(len(tokens)):
            if h != d and (n_best == 0 or scores[d, h] >= best[0] - margin):
                place = n_best
                while place > 0 and best[place - 1] < scores[d, h]:
                    best[place] = best[place - 1]
                    place -= 1
                best[place] = scores[d, h]
                n_best += 1 if n_best < max_heads else 0
        least = best[n_best - 1]
        room = (best[:n_best] == least).sum()
        allowed[d, d] = 0
        for distance in range(1, len(tokens)):
            for h in (d - distance, d + distance):
                if 0 <= h < len(tokens):
                    tied = scores[d, h] == least and room > 0
                    kept = scores[d, h] >= best[0] - margin and (scores[d, h] > least or tied)
                    room -= int(kept and scores[d, h] == least)
                    allowed[d, h] = int(kept or h == heads[d])


@kernel
def prune_all(pruner: Pruner, sentences: Sentences, masks: Masks) -> None:
    """Write the masks of all sentences; ``sentences.heads`` has the given heads and receives trees, as in `prune`."""
    for i in range(len(sentences.offsets) - 1):
        first, last = sentences.offsets[i], sentences.offsets[i + 1]
        tokens, heads = sentences.tokens[first:last], sentences.heads[first:last]
        prune(pruner, sentences.words, tokens, sentences.single_root, heads, mask_of(masks, i))
