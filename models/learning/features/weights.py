"""A linear model packed for parsing: 16-bit weights, frequent features as dense rows, rare ones as sparse rows.

The time of a linear parser goes into cache misses, so few bytes are touched for each action: a row that has weights for
many classes is stored for all classes, or for a run of classes; any other as pairs (class, weight). Scores are
integers; ``scale`` turns them back into the learner's units. Rounding to 16 bits does not change accuracy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.errors import ConfigError, ModelError
from treevote.kernels import Bools, Doubles, Floats, Index, Ints, Keys, Longs, Shorts, kernel, leaf
from treevote.models.learning.features.feature_index import index_of, look_up

MAX_WEIGHT = 32_000  # of a row, as a 16-bit integer
_SPARSEST = 16  # a row with weights for more than one class in 16 is dense

LEAST = -12.0
"""Classes whose log-probability is lower than that of the best by more are not counted: all of them add less than
1/1000."""
LOWEST = -(1 << 31)  # of all scores
UNIT = float(1 << 40)  # of probabilities in a sum


class Weights(NamedTuple):
    """The weights of a linear model."""

    slots: Keys  # from the key of a feature to the place of its row, see `feature_index`
    # rows: the number of pairs (class, weight) that follow; or -1, and a weight for every class; or -1 - n, the first
    # of n classes, and their weights
    packed: Shorts
    bias: Ints  # shape (n_classes,): the initial score of each class
    scale: float  # size of an integer step in the learner's units


class DenseWeights(NamedTuple):
    """The weights of a linear model that still learns, in the same layout, as 32-bit numbers; all rows are dense."""

    slots: Keys
    packed: Floats
    bias: Floats
    scale: float  # 1


def pack(keys: Keys, coefficients: Floats, intercept: Floats, epsilon: float) -> tuple[Keys, Shorts, Ints, float]:
    """Pack weights, shape (n_features, n_classes), without those below a share ``epsilon`` of the largest.

    ``keys`` are the most frequent first. Return the keys of the rows with remaining weights, and packed rows, bias and
    scale as in `Weights`. ConfigError if a weight is not a finite number.
    """
    largest = largest_of(coefficients, intercept)
    scale = largest / MAX_WEIGHT
    least = np.float32(max(epsilon * largest, 0.5 * scale))
    filled = count_filled(coefficients, least)
    sizes = np.where(filled > 0, 1 + np.where(_SPARSEST * filled > len(intercept), len(intercept), 2 * filled), 0)
    packed = np.zeros(int(sizes.sum()), np.int16)
    fill_packed(coefficients, filled, least, np.float32(1 / scale), packed)
    return keys[filled > 0], packed, np.round(intercept / scale).astype(np.int32), scale


def largest_of(*weights: Floats) -> float:
    """Return the largest absolute value of all weights, at least 1e-9; ConfigError if one is not a finite number."""
    extremes = [float(extreme(initial=0)) for array in weights for extreme in (array.min, array.max)]
    if not np.isfinite(extremes).all():
        raise ConfigError("the weights of the learner are not finite numbers; let it take smaller steps")
    return max(1e-9, *map(abs, extremes))


def unpack(keys: Keys, packed: Shorts, bias: Ints, scale: float) -> Weights:
    """Return packed weights ready for use; ModelError if the rows do not fit the keys or the classes."""
    places = np.empty(len(keys), np.int64)
    if find_places(packed, len(bias), places) != len(packed):
        raise ModelError("the weights of a model do not fit its features; train it again or copy it again")
    return Weights(index_of(keys, places), packed, bias, scale)


@kernel
def count_filled(coefficients: Floats, least: np.float32) -> Longs:
    """Return the number of weights of each row that are at least ``least`` in absolute value."""
    filled = np.zeros(len(coefficients), np.int64)
    for row in range(len(coefficients)):
        for k in range(coefficients.shape[1]):
            if abs(coefficients[row, k]) >= least:
                filled[row] += 1
    return filled


@leaf
def fill_packed(
    coefficients: Floats, filled: Longs, least: np.float32, inverse_scale: np.float32, packed: Shorts
) -> None:
    """Write the rows that have weights into ``packed``, one after the other."""
    at, n_classes = 0, coefficients.shape[1]
    for row in range(len(coefficients)):
        if filled[row] == 0:
            continue
        dense = _SPARSEST * filled[row] > n_classes
        packed[at] = -1 if dense else filled[row]
        at += 1
        for k in range(n_classes):
            weight = coefficients[row, k]
            if dense:
                packed[at] = np.int16(np.rint(weight * inverse_scale))
                at += 1
            elif abs(weight) >= least:
                packed[at] = k
                packed[at + 1] = np.int16(np.rint(weight * inverse_scale))
                at += 2


@leaf
def find_places(packed: Shorts, n_classes: int, places: Longs) -> int:
    """Write the start of each row, and return the end of the last one; -1 if a row does not fit."""
    at = 0
    for row in range(len(places)):
        if at >= len(packed):
            return -1
        places[row] = at
        size = int(np.int64(packed[at]))  # the negative of a 16-bit number may be none
        length = n_classes if size == -1 else -size if size < 0 else 2 * size
        if at + 1 + length > len(packed):
            return -1
        for pair in range(size):
            if packed[at + 1 + 2 * pair] < 0 or packed[at + 1 + 2 * pair] >= n_classes:
                return -1
        if size < -1 and (packed[at + 1] < 0 or packed[at + 1] + length - 1 > n_classes):
            return -1
        at += 1 + length
    return at


@leaf
def score(weights: Weights | DenseWeights, keys: Keys, n: int, rows: Longs, scores: Ints | Floats) -> None:
    """Write the scores of all classes for the first ``n`` of ``keys``; ``rows`` is a scratch array."""
    for k in range(len(scores)):
        scores[k] = weights.bias[k]
    look_up(keys, n, weights.slots, weights.packed, rows)
    add_rows(weights, rows, 0, n, scores)


@leaf
def add_rows(weights: Weights | DenseWeights, rows: Longs, first: int, last: int, scores: Ints | Floats) -> None:
    """Add the weights of ``rows[first:last]``, -1 for none, to the scores of all classes."""
    packed = weights.packed
    for i in range(first, last):
        row = rows[Index(i)]
        if row < 0:
            continue
        size = np.int64(packed[Index(row)])
        if size == -1:
            dense = packed[Index(row + 1) :]  # an offset within the loop would keep it from being vectorised
            for k in range(len(scores)):
                scores[k] += dense[k]
        elif size < 0:
            run, own = packed[Index(row + 2) :], scores[Index(packed[Index(row + 1)]) :]
            for k in range(-1 - size):
                own[k] += run[k]
        else:
            for at in range(row + 1, row + 1 + 2 * size, 2):
                scores[Index(packed[Index(at)])] += packed[Index(at + 1)]


@leaf
def best_class(scores: Ints | Floats, mask: Bools) -> int:
    """Return the class in ``mask`` with the highest score, the first on ties; -1 if there is none."""
    best = -1
    for k in range(len(scores)):
        if mask[k] and (best < 0 or scores[k] > scores[best]):
            best = k
    return best


@leaf
def only_class(mask: Bools) -> int:
    """Return the only class in ``mask``, -1 if there are several or none."""
    only = -1
    for k in range(len(mask)):
        if mask[k]:
            if only >= 0:
                return -1
            only = k
    return only


@leaf
def log_probabilities(scores: Ints, mask: Bools, scale: float, result: Doubles) -> None:
    """Write the log-probabilities of the classes in ``mask``: the softmax of their scores."""
    best, shift = normalize(scores, mask, scale)
    for k in range(len(scores)):
        if mask[k]:
            result[k] = (scores[k] - best) * scale - shift


@leaf
def normalize(scores: Ints, mask: Bools, scale: float) -> tuple[int, float]:
    """Return the highest score in ``mask``, and minus its log-probability.

    Probabilities are summed as whole numbers of ``1 / UNIT``: such a sum is the same in any order, so the loop runs on
    several classes at a time.
    """
    best = highest(scores, mask)
    total = np.int64(0)
    for k in range(len(scores)):
        log = min((scores[k] - best) * scale, 0.0)
        total += int(UNIT * exponential(max(log, LEAST))) if mask[k] and log > LEAST else 0
    return best, float(np.log(total / UNIT))


@leaf
def highest(scores: Ints, mask: Bools) -> int:
    """Return the highest score in ``mask``, `LOWEST` if that is empty."""
    best = np.int32(LOWEST)
    for k in range(len(scores)):
        best = max(best, scores[k] if mask[k] else np.int32(LOWEST))
    return int(best)


@leaf
def exponential(x: float) -> float:
    """Return ``exp(x)`` for ``LEAST <= x <= 0`` to ten digits: by the series of ``exp(x / 64)``, squared six times.

    Unlike the function of the C library it is the same on all machines, and runs on several numbers at a time.
    Its factors are constants: a division takes the time of several products.
    """
    r = x / 64
    y = 1 / 24 + r * (1 / 120 + r * (1 / 720 + r * (1 / 5040 + r * (1 / 40320))))
    y = 1 + r * (1 + r * (1 / 2 + r * (1 / 6 + r * y)))
    y *= y
    y *= y
    y *= y
    y *= y
    y *= y
    return y * y
