"""Biaffine scores of arcs and labels (Dozat & Manning 2017, sections 2.2 and 2.3), and their loss.

A layer with a leaky rectifier makes four representations of each word from the outputs of the encoder: as head and as
dependent, of an arc and of a label. The score of the arc from ``h`` to ``d`` is ``(U d + u) . h``, that of a label
``[d, 1] W [h, 1]`` with a matrix for each label.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Floats, Ints, Longs, kernel
from treevote.models.learning.network.activations import rectify, slope_of
from treevote.models.learning.network.batches import Batch
from treevote.models.learning.network.parameters import Arrays
from treevote.models.learning.network.products import add_product, affine, affine_back, product

ROWS = 256
"""Arcs that get the scores of their labels at once."""


class Representations(NamedTuple):
    """The words of sentences, one after the other, as dependents and heads."""

    outputs: Floats  # of the layer, before a mask
    arc_dependents: Floats
    arc_heads: Floats
    label_dependents: Floats  # the last two have a last column of ones
    label_heads: Floats

    @classmethod
    def of(cls, p: Arrays, h: Floats, mask: Floats | None) -> Representations:
        """Make those of the outputs of the encoder, shape (n, width); the mask has a row for each word."""
        outputs = rectify(affine(h, p["hidden"], p["hidden-bias"]))
        kept = outputs if mask is None else outputs * mask
        n_arcs, half = p["arcs"].shape[1], p["hidden"].shape[1] // 2
        parts = np.split(kept, [n_arcs, 2 * n_arcs, n_arcs + half], 1)
        ones = np.ones((len(h), 1), np.float32)
        return cls(outputs, *map(np.ascontiguousarray, parts[:2]), *(np.hstack([part, ones]) for part in parts[2:]))


@kernel
def score_arcs(dependents: Floats, heads: Floats) -> Floats:
    """Return the scores of all arcs of a sentence, ``[dependent, head]``; the dependents are ``U d + u``."""
    transposed = np.ascontiguousarray(heads.T)
    scores = np.zeros((len(dependents), len(heads)), dependents.dtype)
    add_product(dependents, transposed, scores)
    return scores


def arc_dependents(p: Arrays, words: Representations) -> Floats:
    """Return ``U d + u`` of each word."""
    return affine(words.arc_dependents, p["arcs"][:-1], p["arcs"][-1])


@kernel
def arc_loss(
    dependents: Floats, heads: Floats, offsets: Longs, gold: Ints, d_dependents: Floats, d_heads: Floats
) -> float:
    """Return the sum of the losses of arcs: - log of the probability of the gold head of each word (softmax).

    ``gold`` has positions in the sentence. ``d_dependents`` and ``d_heads``, which are zero, receive the derivatives.
    """
    loss = np.float64(0.0)
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        scores = score_arcs(dependents[first:last], heads[first:last])
        n = last - first
        scores[0] = 0.0
        for d in range(1, n):
            own, head = scores[d], gold[first + d]
            own[d] = -np.inf
            highest, total = own.max(), np.float64(0.0)
            loss += highest - own[head]
            for h in range(n):
                own[h] = np.exp(own[h] - highest)
                total += own[h]
            loss += np.log(total)
            for h in range(n):
                own[h] = np.true_divide(own[h], total)
            own[head] -= 1.0
        add_product(scores, heads[first:last], d_dependents[first:last])
        add_product(np.ascontiguousarray(scores.T), dependents[first:last], d_heads[first:last])
    return loss


def score_labels(p: Arrays, dependents: Floats, heads: Floats) -> tuple[Floats, Floats]:
    """Return the scores of the labels of some arcs, shape (n, n_labels), and the products of their dependents."""
    products = product(dependents, p["labels"])
    scores = np.zeros((len(heads), p["labels"].shape[1] // heads.shape[1]), np.float32)
    add_by_head(products, heads, scores)
    return scores, products


@kernel
def add_by_head(products: Floats, heads: Floats, scores: Floats) -> None:
    """Add to the scores of each arc those of its labels by its head, and the products of its dependent."""
    n_labels = scores.shape[1]
    for arc in range(len(heads)):
        own = scores[arc]
        for i in range(heads.shape[1]):
            x, part = heads[arc, i], products[arc, i * n_labels : (i + 1) * n_labels]
            for label in range(n_labels):
                own[label] += x * part[label]


@kernel
def by_head_back(products: Floats, heads: Floats, d_scores: Floats, d_heads: Floats) -> None:
    """Turn the products of `add_by_head` into their derivatives, and write those of the heads."""
    n_labels = d_scores.shape[1]
    for arc in range(len(heads)):
        own = d_scores[arc]
        for i in range(heads.shape[1]):
            x, part, total = heads[arc, i], products[arc, i * n_labels : (i + 1) * n_labels], np.float32(0.0)
            for label in range(n_labels):
                total += own[label] * part[label]
                part[label] = x * own[label]
            d_heads[arc, i] = total


class Trees(NamedTuple):
    """The trees of sentences: for each slot the head in the sentence, and the label; -1 for ROOT."""

    heads: Ints
    labels: Ints

    def loss(self, p: Arrays, d: Arrays, h: Floats, batch: Batch, mask: Floats | None) -> tuple[float, Floats]:
        """Return the mean of the losses of arcs and labels, see `treevote.models.learning.network.training.Loss`."""
        heads, labels = self.heads[batch.in_order], self.labels[batch.in_order]
        words, share = Representations.of(p, h, mask), np.float32(1 / np.count_nonzero(heads >= 0))
        loss, *arcs = _learn_arcs(p, d, words, batch.offsets, heads, share)
        label_loss, *labelled = _learn_labels(p, d, words, batch.offsets, heads, labels, share)
        d_hidden = np.hstack([*arcs, *(part[:, :-1] for part in labelled)]) * slope_of(words.outputs)
        if mask is not None:
            d_hidden *= mask
        return float((loss + label_loss) * share), affine_back(p, d, "hidden", h, d_hidden)


def _learn_arcs(
    p: Arrays, d: Arrays, words: Representations, offsets: Longs, heads: Ints, share: np.float32
) -> tuple[float, Floats, Floats]:
    """Return the sum of the losses of arcs, and the derivatives of their mean by dependents and heads."""
    dependents = arc_dependents(p, words)
    d_products, d_heads = np.zeros_like(dependents), np.zeros_like(words.arc_heads)
    loss = arc_loss(dependents, words.arc_heads, offsets, heads, d_products, d_heads)
    d_products *= share
    d_heads *= share
    add_product(np.ascontiguousarray(words.arc_dependents.T), d_products, d["arcs"][:-1])
    d["arcs"][-1] += d_products.sum(0)
    return loss, product(d_products, p["arcs"][:-1].T), d_heads


def _learn_labels(
    p: Arrays, d: Arrays, words: Representations, offsets: Longs, heads: Ints, labels: Ints, share: np.float32
) -> tuple[float, Floats, Floats]:
    """Return the sum of the losses of the labels of gold arcs, and the derivatives as `_learn_arcs`."""
    loss, transposed = 0.0, np.ascontiguousarray(p["labels"].T)
    d_dependents, d_heads = np.zeros_like(words.label_dependents), np.zeros_like(words.label_heads)
    tokens, head_rows = np.flatnonzero(heads >= 0), np.repeat(offsets[:-1], np.diff(offsets)) + heads
    for begin in range(0, len(tokens), ROWS):
        own = tokens[begin : begin + ROWS]
        own_dependents, own_heads = words.label_dependents[own], words.label_heads[head_rows[own]]
        scores, products = score_labels(p, own_dependents, own_heads)
        loss += softmax_loss(scores, labels[own])
        scores *= share
        d_own = np.empty_like(own_heads)
        by_head_back(products, own_heads, scores, d_own)
        add_product(np.ascontiguousarray(own_dependents.T), products, d["labels"])
        d_dependents[own] = product(products, transposed)
        np.add.at(d_heads, head_rows[own], d_own)
    return loss, d_dependents, d_heads


def softmax_loss(scores: Floats, gold: Ints) -> float:
    """Turn scores, shape (n, n_classes), into the derivatives of their loss, and return the sum of the losses."""
    rows = np.arange(len(gold))
    scores -= scores.max(1, keepdims=True)
    right = scores[rows, gold].sum(dtype=np.float64)
    np.exp(scores, out=scores)
    totals = scores.sum(1, keepdims=True)
    scores /= totals
    scores[rows, gold] -= 1
    return float(np.log(totals).sum(dtype=np.float64) - right)
