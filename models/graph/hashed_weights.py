"""Weights of hashed features on disk and in parsing: 16 bits each, and only those that are not zero.

In training the weights are a table of 32-bit floats, 2 to the power of ``bits`` long. For parsing they are rounded to
16-bit integers, which keeps scores exact sums and the table in cache; ``scale`` turns scores back into the learner's
units. A record holds one bit for each place in the table, whether it has a weight, and the weights there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treevote.errors import ModelError
from treevote.kernels import Floats, Shorts, kernel
from treevote.models.graph.features import MAX_BITS, MIN_BITS

_MAX_WEIGHT = 32_000

Bytes = NDArray[np.uint8]


class HashedWeights(NamedTuple):
    """The weights of a linear model over hashed features.

    Attributes
    ----------
    table : ndarray of int16, shape (2**bits,)
    bits : int
    scale : float
        Learner's unit for each integer step.
    """

    table: Shorts
    bits: int
    scale: float


def round_weights(weights: Floats, prune: float) -> HashedWeights:
    """Round the weights of a learner.

    Parameters
    ----------
    weights : ndarray of float32, shape (2**bits,)
        Finite numbers.
    prune : float
        Weights nearer to zero are dropped, as a share of the largest.

    Examples
    --------
    >>> weights = np.zeros(256, np.float32)
    >>> weights[:3] = 2.0, -1.0, 0.001
    >>> round_weights(weights, 0.01).table[:4].tolist()
    [32000, -16000, 0, 0]
    """
    largest = max(1e-9, float(weights.max()), -float(weights.min()))
    scale = largest / _MAX_WEIGHT
    table = np.empty(len(weights), np.int16)
    fill_table(weights, np.float32(prune * largest), np.float32(1 / scale), table)
    return HashedWeights(table, len(weights).bit_length() - 1, scale)


@kernel
def fill_table(weights: Floats, least: np.float32, inverse_scale: np.float32, table: Shorts) -> None:
    """Write weights as integers."""
    for i in range(len(weights)):
        weight = weights[i]
        table[i] = 0 if abs(weight) < least else np.int16(np.round(weight * inverse_scale))


def pack(weights: HashedWeights) -> tuple[Bytes, Shorts]:
    """Return one bit for each place in the table, whether it has a weight, and the weights.

    Examples
    --------
    >>> table = np.zeros(256, np.int16)
    >>> table[[1, 9]] = 5, -5
    >>> filled, packed = pack(HashedWeights(table, 8, 1.0))
    >>> filled[:3].tolist(), packed.tolist()
    ([64, 64, 0], [5, -5])
    """
    return np.packbits(weights.table != 0), weights.table[weights.table != 0]


def unpack(filled: Bytes, packed: Shorts, scale: float) -> HashedWeights:
    """Return packed weights ready for use.

    Raises
    ------
    ModelError
        If there are not as many weights as the bits say, or the table has no size that tables have.
    """
    bits = (8 * len(filled)).bit_length() - 1
    mask = np.unpackbits(filled).view(np.bool_)
    if not MIN_BITS <= bits <= MAX_BITS or len(mask) != 1 << bits or np.count_nonzero(mask) != len(packed):
        raise ModelError("the weights of a model do not fit its features; train it again or copy it again")
    table = np.zeros(len(mask), np.int16)
    table[mask] = packed
    return HashedWeights(table, bits, scale)
