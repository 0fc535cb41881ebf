"""Learning of a tagger: stochastic gradient descent over the parts of classes, with a rate for each weight.

A step raises the score of the gold class and lowers those of its rivals: of all in proportion to their probability
(maximum entropy), or of the strongest if it comes nearer than a margin (Crammer & Singer 2001). The rate of a weight
falls with the sum of its squared gradients (AdaGrad: Duchi, Hazan & Singer 2011). The features of the context have a
value below 1, which is a stronger prior: what a word looks like explains its tags before its neighbours do.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from treevote.kernels import Doubles, Floats, Ints, Keys, Longs, Shorts, kernel, leaf
from treevote.models.learning.features.weights import MAX_WEIGHT, largest_of
from treevote.models.learning.network.activations import softmax
from treevote.models.text.tagging.dictionary import Dictionary, find_cells
from treevote.models.text.tagging.tagset import Parts

_SPARSEST = 4  # a row with weights for more than one class of its group in 4 is a run: at most twice as long

_SURE = np.float32(0.9995)  # probability of the gold class from which a row is skipped
_MARGIN = np.float32(2)
_LEAST = np.float32(1e-3)  # smaller gradients are treated as 0
_SQUARES = 0.01  # sum of squares at the start


class Examples(NamedTuple):
    """Rows of tokens and columns of features; a column has a weight for each part of its group."""

    indptr: Ints  # columns of each row, as in `treevote.models.learning.features.rows.Rows`
    indices: Ints
    groups: Ints  # shape (n_rows,): group of each token
    classes: Ints  # shape (n_rows,): its class; -1 for one outside the tagset
    forms: Ints  # shape (n_rows,): its form in the dictionary
    column_groups: Ints  # shape (n_columns,): group of the tokens that have a feature
    places: Longs  # shape (n_columns,): first weight of each column
    values: Floats  # shape (n_columns,)


class LearnerWeights(NamedTuple):
    """The weights of learners with the same features."""

    weights: Floats  # shape (n_learners, n_weights)
    bias: Floats  # shape (n_learners, n_parts)
    evidence: Doubles  # shape (n_learners, N_CELLS)

    @classmethod
    def zeros(cls, n_learners: int, n_weights: int, n_parts: int, n_cells: int) -> LearnerWeights:
        """Return weights of 0."""
        weights, bias = (np.zeros((n_learners, n), np.float32) for n in (n_weights, n_parts))
        return cls(weights, bias, np.zeros((n_learners, n_cells)))


class LearnerState(NamedTuple):
    """Weights of a learner, and the sum of squared gradients of each."""

    weights: Floats  # shape (n_weights,)
    weight_squares: Floats
    bias: Floats  # shape (n_parts,)
    bias_squares: Floats
    evidence: Doubles  # shape (N_CELLS,)
    evidence_squares: Doubles

    @classmethod
    def of(cls, learners: LearnerWeights, number: int) -> LearnerState:
        """Return the state of a learner before its first step; steps change the weights in place."""
        return cls(*(part for own in learners for part in (own[number], np.full_like(own[number], _SQUARES))))


@kernel
def learn(
    examples: Examples,
    parts: Parts,
    dictionary: Dictionary,
    order: Longs,
    rate: np.float32,
    margin: bool,
    state: LearnerState,
) -> None:
    """Take a step for each row of ``order``; ``margin`` chooses between the two losses."""
    widest = np.diff(parts.bases).max()
    scores, gradient, classes = np.empty(widest, np.float32), np.empty(widest, np.float32), np.empty(widest, np.float32)
    found, cells, changed = np.empty(widest, np.int64), np.empty(widest, np.int64), np.empty(widest, np.int64)
    for at in range(len(order)):
        row = order[at]
        group, gold = int(examples.groups[row]), int(examples.classes[row])
        first, last = int(parts.starts[group]), int(parts.starts[group + 1])
        if gold < 0 or last - first < 2:
            continue
        base, width = parts.bases[group], parts.bases[group + 1] - parts.bases[group]
        # scores of the parts: bias and weights of the features that the group of the token has
        for k in range(width):
            scores[k] = state.bias[base + k]
        for j in range(examples.indptr[row], examples.indptr[row + 1]):
            column = examples.indices[j]
            if examples.column_groups[column] == group:
                value, weights = np.float32(examples.values[column]), state.weights[examples.places[column] :]
                for k in range(width):
                    scores[k] += value * weights[k]
        # evidence of the dictionary, without this occurrence of the gold class
        n_found = find_cells(dictionary, int(examples.forms[row]), first, last, gold, found, cells)
        for i in range(n_found):
            scores[found[i] - first] += np.float32(state.evidence[cells[i]])
        # gradient of the loss by the scores of classes, then by those of parts
        add_parts(parts, group, scores, classes)
        if margin:
            moved = margin_gradient(classes, last - first, gold - first)
        else:
            moved = entropy_gradient(classes, last - first, gold - first)
        if not moved:
            continue
        scatter_gradient(parts, group, classes, gradient)
        # AdaGrad: w -= rate * g / sqrt(sum of g ** 2), for the evidence, the bias and the weights
        for i in range(n_found):
            own = float(classes[found[i] - first])
            state.evidence_squares[cells[i]] += own * own
            state.evidence[cells[i]] -= rate * own / np.sqrt(state.evidence_squares[cells[i]])
        n_changed = 0
        for k in range(width):
            if abs(gradient[k]) > _LEAST:
                changed[n_changed] = k
                n_changed += 1
        descend(state.bias[base:], state.bias_squares[base:], gradient, changed, n_changed, rate, np.float32(1))
        for j in range(examples.indptr[row], examples.indptr[row + 1]):
            column = examples.indices[j]
            if examples.column_groups[column] == group:
                value, place = np.float32(examples.values[column]), examples.places[column]
                weights, squares = state.weights[place:], state.weight_squares[place:]
                descend(weights, squares, gradient, changed, n_changed, rate, value)


@leaf
def descend(
    weights: Floats, squares: Floats, gradient: Floats, changed: Longs, n: int, rate: np.float32, value: np.float32
) -> None:
    """Move the weights of a feature with a value against the gradient of the parts in ``changed[:n]``."""
    for i in range(n):
        k = changed[i]
        own = value * gradient[k]
        squares[k] += own * own
        weights[k] -= rate * own / np.sqrt(squares[k])


@leaf
def add_parts(parts: Parts, group: int, scores: Floats, classes: Floats) -> None:
    """Write the score of each class of a group: the sum of the scores of its parts."""
    first, base = parts.starts[group], parts.bases[group]
    for c in range(parts.starts[group + 1] - first):
        total = scores[c]
        for i in range(parts.offsets[first + c], parts.offsets[first + c + 1]):
            total += scores[parts.values[i] - base]
        classes[c] = total


@leaf
def scatter_gradient(parts: Parts, group: int, classes: Floats, gradient: Floats) -> None:
    """Write the gradient of each part of a group: the sum of those of the classes that have it."""
    first, base = parts.starts[group], parts.bases[group]
    for k in range(parts.bases[group + 1] - base):
        gradient[k] = 0
    for c in range(parts.starts[group + 1] - first):
        if abs(classes[c]) > np.float32(1e-4):
            if parts.own[first + c]:
                gradient[c] += classes[c]
            for i in range(parts.offsets[first + c], parts.offsets[first + c + 1]):
                gradient[parts.values[i] - base] += classes[c]


@leaf
def entropy_gradient(classes: Floats, n: int, gold: int) -> bool:
    """Replace scores by the gradient of the negative log-likelihood; False if the gold class is sure."""
    softmax(classes[:n])
    if classes[gold] > _SURE:
        return False
    classes[gold] -= np.float32(1)
    return True


@leaf
def margin_gradient(classes: Floats, n: int, gold: int) -> bool:
    """Replace scores by the gradient of the hinge loss; False if no rival is within the margin."""
    rival = 1 if gold == 0 else 0
    for c in range(rival + 1, n):
        if c != gold and classes[c] > classes[rival]:
            rival = c
    if classes[gold] - classes[rival] >= _MARGIN:
        return False
    for c in range(n):
        classes[c] = 0
    classes[gold], classes[rival] = np.float32(-1), np.float32(1)
    return True


def pack(
    keys: Keys, examples: Examples, learnt: LearnerWeights, parts: Parts, prune: float
) -> tuple[Keys, Shorts, Ints, float]:
    """Pack weights as `features.weights.pack` does, but for columns with weights for a group only.

    The classes are, for each group, its parts for the first learner, then those for the next. Weights below ``prune``
    times the largest, in absolute value, are dropped. ConfigError if a weight is not a finite number.
    """
    largest = largest_of(learnt.weights, learnt.bias)
    scale = largest / MAX_WEIGHT
    least = np.float32(max(prune * largest, 0.5 * scale))
    filled = np.zeros(len(keys), np.int64)
    count_filled(examples, learnt.weights, parts.bases, least, filled)
    widths = len(learnt.bias) * np.diff(parts.bases)[examples.column_groups]
    sizes = np.where(filled > 0, 1 + np.where(_SPARSEST * filled > widths, 1 + widths, 2 * filled), 0)
    packed = np.zeros(int(sizes.sum()), np.int16)
    fill_packed(examples, learnt.weights, parts.bases, least, np.float32(1 / scale), filled, packed)
    bias = np.concatenate([learnt.bias[:, i:j].ravel() for i, j in itertools.pairwise(parts.bases.tolist())])
    return keys[filled > 0], packed, np.round(bias / scale).astype(np.int32), scale


@leaf
def count_filled(examples: Examples, weights: Floats, bases: Ints, least: np.float32, filled: Longs) -> None:
    """Count the weights of each column that are large enough."""
    for column in range(len(filled)):
        group, place = examples.column_groups[column], examples.places[column]
        for t in range(len(weights)):
            for k in range(bases[group + 1] - bases[group]):
                if abs(weights[t, place + k] * examples.values[column]) >= least:
                    filled[column] += 1


@leaf
def fill_packed(
    examples: Examples,
    weights: Floats,
    bases: Ints,
    least: np.float32,
    inverse_scale: np.float32,
    filled: Longs,
    packed: Shorts,
) -> None:
    """Write the row of each column with weights: a run for the whole group, or pairs of class and weight."""
    at, n_learners = 0, len(weights)
    for column in range(len(filled)):
        if filled[column] == 0:
            continue
        group, place = examples.column_groups[column], examples.places[column]
        first, width = n_learners * bases[group], bases[group + 1] - bases[group]
        is_run = _SPARSEST * filled[column] > n_learners * width
        packed[at] = -1 - n_learners * width if is_run else filled[column]
        at += 1
        if is_run:
            packed[at] = first
            at += 1
        for t in range(n_learners):
            for k in range(width):
                weight = weights[t, place + k] * examples.values[column]
                if abs(weight) >= least:
                    rounded = np.int16(np.rint(weight * inverse_scale))
                    if is_run:
                        packed[at + t * width + k] = rounded
                    else:
                        packed[at], packed[at + 1] = first + t * width + k, rounded
                        at += 2
        at += n_learners * width if is_run else 0
