"""Online updates of averaged weights: structured perceptron and MIRA.

Both parse a training sentence with the present weights, and move these by a multiple of the *feature difference*, the
features of the gold tree minus those of the predicted tree:

- perceptron (Collins 2002, "Discriminative training methods for hidden Markov models"): step size 1;
- 1-best MIRA (Crammer & Singer 2003; McDonald et al. 2005): cost-augmented decoding with cost 1 per wrong head, then
  the smallest step that separates the gold tree from the predicted one by the number of wrong heads, clipped at ``C``.

The model is the average of the weights after every sentence: ``weights - accumulated``, where ``accumulated`` is the
sum of all updates, each times the training progress at its time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Floats, Longs, kernel
from treevote.models.parsers.graph.features import Places, Variants


class UpdateRule(NamedTuple):
    """Cost of a wrong head in cost-augmented decoding, and maximum step size (aggressiveness) of MIRA.

    The perceptron has no cost, and its step size is always 1.
    """

    cost: float
    C: float


PERCEPTRON = UpdateRule(0.0, np.inf)


class AveragedWeights(NamedTuple):
    """Weights in training, of shape (2**bits,); ``scratch`` is a workspace of `step_size`, all 0 between updates."""

    weights: Floats
    accumulated: Floats  # sum of all updates, each times the training progress at its time
    scratch: Floats  # empty for the perceptron
    bits: int


def zero_weights(bits: int, rule: UpdateRule) -> AveragedWeights:
    """Return weights before training."""
    size = 1 << bits
    scratch = np.zeros(size if rule.cost else 0, np.float32)
    return AveragedWeights(np.zeros(size, np.float32), np.zeros(size, np.float32), scratch, bits)


class SparseVector(NamedTuple):
    """Features of the gold tree minus those of the predicted tree, as a sparse vector.

    An index, that of a weight, may occur several times; a value is 1 for a feature of the gold tree, -1 of the other.
    """

    indices: Longs
    values: Floats


@kernel
def extend(
    difference: SparseVector, used: int, places: Places, count: int, variants: Variants, value: float
) -> tuple[SparseVector, int]:
    """Append both variants of ``count`` features behind the first ``used`` entries; return it with its new length."""
    if used + 2 * count > len(difference.indices):
        size = 2 * (used + 2 * count)
        longer = SparseVector(np.empty(size, np.int64), np.empty(size, np.float32))
        for i in range(used):
            longer.indices[i], longer.values[i] = difference.indices[i], difference.values[i]
        difference = longer
    for i in range(count):
        difference.indices[used + 2 * i] = places[i] ^ variants[0]
        difference.indices[used + 2 * i + 1] = places[i] ^ variants[1]
        difference.values[used + 2 * i] = value
        difference.values[used + 2 * i + 1] = value
    return difference, used + 2 * count


@kernel
def update(
    rule: UpdateRule, averaged: AveragedWeights, difference: SparseVector, used: int, mistakes: int, progress: float
) -> None:
    """Update the weights after a wrong tree, by the first ``used`` entries of the difference.

    ``mistakes`` is the number of wrong heads, ``progress`` that of the training before this sentence, 0..1.
    """
    indices, values = difference
    step = 1.0
    if rule.cost > 0:
        step = min(rule.C, step_size(averaged, indices, values, used, rule.cost * mistakes))
    for i in range(used):
        averaged.weights[indices[i]] += np.float32(step * values[i])
        averaged.accumulated[indices[i]] += np.float32(progress * step * values[i])


@kernel
def step_size(averaged: AveragedWeights, indices: Longs, values: Floats, used: int, loss: float) -> float:
    """Return the smallest step after which the gold tree scores higher than the predicted one by ``loss``."""
    margin, square = np.float64(0), np.float64(0)
    for i in range(used):
        margin += values[i] * averaged.weights[indices[i]]
        averaged.scratch[indices[i]] += values[i]
    for i in range(used):
        square += values[i] * averaged.scratch[indices[i]]
    for i in range(used):
        averaged.scratch[indices[i]] = 0
    return max(0.0, loss - margin) / square if square > 0 else 0.0


def average(averaged: AveragedWeights) -> Floats:
    """Return the average of the weights over the training; it overwrites ``averaged.weights``."""
    return np.subtract(averaged.weights, averaged.accumulated, out=averaged.weights)
