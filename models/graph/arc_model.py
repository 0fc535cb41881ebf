"""The first-order model: the score of a tree is the sum of the scores of its arcs (McDonald et al. 2005)."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from treevote.kernels import Floats, Ints, Longs, Shorts, kernel
from treevote.models.features.lexicon import WordColumns
from treevote.models.graph import chu_liu_edmonds, eisner
from treevote.models.graph.features import MAX_FEATURES, ArcKeys, arc_keys, fire_arc
from treevote.models.graph.learning import Difference, Rule, Sums, extend, learn
from treevote.models.graph.templates import ArcTable

decode_projective = eisner.decode
decode_any = chu_liu_edmonds.decode

Table: TypeAlias = Shorts | Floats
"""Weights: rounded ones for parsing, or those in training."""


@kernel
def weigh(weights: Table, slots: Longs, count: int) -> float:
    """Return the sum of the weights at the first ``count`` places."""
    total = 0
    for i in range(count):
        total += weights[slots[i]]
    return float(total)


@kernel
def score_arcs(weights: Table, bits: int, table: ArcTable, keys: ArcKeys, scores: Floats) -> None:
    """Score all arcs of a sentence.

    Parameters
    ----------
    weights : ndarray of int16 or float32, shape (2**bits,)
    bits : int
    table : ArcTable
    keys : ArcKeys
    scores : ndarray of float32, shape (n + 1, n + 1)
        Written to, ``[dependent, head]``; not row 0 and the diagonal.
    """
    slots = np.empty(MAX_FEATURES, np.int64)
    for d in range(1, len(scores)):
        for h in range(len(scores)):
            if h != d:
                scores[d, h] = weigh(weights, slots, fire_arc(keys, table, bits, h, d, slots))


@kernel
def decode(scores: Floats, projective: bool, single_root: bool, heads: Ints) -> None:
    """Write the best tree: projective, or any."""
    if projective:
        decode_projective(scores, single_root, heads)
    else:
        decode_any(scores, single_root, heads)


@kernel
def train_arcs(
    sums: Sums,
    bits: int,
    rule: Rule,
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
) -> int:
    """Learn from sentences, one after the other.

    Parameters
    ----------
    sums : Sums
        Written to.
    bits : int
    rule : Rule
    table : ArcTable
    words : WordColumns
    tokens, heads : ndarray of int32, shape (n_slots,)
    offsets : ndarray of int64, shape (n_sentences + 1,)
    order : ndarray of int64
        The sentences to learn from.
    done, total : int
        Sentences learned from before these, and in the whole training.
    projective, single_root : bool
        Which trees to look for.

    Returns
    -------
    int
        How many wrong heads were found on the way.
    """
    slots = np.empty(MAX_FEATURES, np.int64)
    difference = Difference(np.empty(1 << 16, np.int64), np.empty(1 << 16, np.float32))
    all_mistakes = 0
    for i in range(len(order)):
        first, last = offsets[order[i]], offsets[order[i] + 1]
        gold, found = heads[first:last], np.empty(last - first, np.int32)
        keys = arc_keys(table, tokens[first:last], words)
        scores = np.empty((last - first, last - first), np.float32)
        score_arcs(sums.weights, bits, table, keys, scores)
        if rule.cost > 0:
            for d in range(1, last - first):
                for h in range(last - first):
                    scores[d, h] += np.float32(rule.cost if h != gold[d] else 0.0)
        decode(scores, projective, single_root, found)
        mistakes, used = 0, 0
        for d in range(1, last - first):
            if found[d] != gold[d]:
                mistakes += 1
                count = fire_arc(keys, table, bits, gold[d], d, slots)
                difference = extend(difference, used, slots, count, 1.0)
                used += count
                count = fire_arc(keys, table, bits, found[d], d, slots)
                difference = extend(difference, used, slots, count, -1.0)
                used += count
        if mistakes > 0:
            learn(rule, sums, difference, used, mistakes, (done + i) / total)
            all_mistakes += mistakes
    return all_mistakes


@kernel
def parse_arcs(
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
    """Find the heads of every sentence; parameters as for ``train_arcs``, ``heads`` is written to."""
    for i in range(len(offsets) - 1):
        first, last = offsets[i], offsets[i + 1]
        keys = arc_keys(table, tokens[first:last], words)
        scores = np.empty((last - first, last - first), np.float32)
        score_arcs(weights, bits, table, keys, scores)
        decode(scores, projective, single_root, heads[first:last])
