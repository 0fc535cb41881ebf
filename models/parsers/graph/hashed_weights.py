"""Weights of hashed features on disk and in parsing: 16 bits each, and only those that are not zero.

In training the weights are a table of 32-bit floats, 2 to the power of ``bits`` long. For parsing they are rounded to
16-bit integers: sums are exact, and the table fits the cache better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from treevote.errors import ModelError
from treevote.kernels import Bytes, Floats, Shorts, kernel
from treevote.models.learning.features.weights import MAX_WEIGHT, largest_of
from treevote.models.parsers.graph.features import MAX_BITS, MIN_BITS
from treevote.store.record import Record
from treevote.store.validation import column, scale_of


class HashedWeights(NamedTuple):
    """The weights of a linear model over hashed features: integers, in steps of ``scale`` of the learner's units."""

    table: Shorts  # shape (2**bits,)
    bits: int
    scale: float

    def record(self, kind: str, templates: Mapping[str, Sequence[str]]) -> Record:
        """Return a bit mask of the weights that are not zero, these, and the templates of their features, as data."""
        filled = self.table != 0
        arrays = {"filled": np.packbits(filled), "packed": self.table[filled]}
        return Record(kind, {"scale": self.scale}, arrays, templates)

    @classmethod
    def from_record(cls, record: Record, kind: str) -> HashedWeights:
        """Return the weights of a record; raises as `treevote.store.validation.rebuild` expects.

        ModelError if the number of weights or the size of the table is wrong.

        >>> table = np.zeros(256, np.int16)
        >>> table[[1, 9]] = 5, -5
        >>> record = HashedWeights(table, 8, 1.0).record("model", {})
        >>> record.arrays["filled"][:3].tolist(), record.arrays["packed"].tolist()
        ([64, 64, 0], [5, -5])
        >>> HashedWeights.from_record(record, "model").table[:10].tolist()
        [0, 5, 0, 0, 0, 0, 0, 0, 0, -5]
        """
        if record.kind != kind:
            raise ValueError(f"a part of kind {record.kind}")
        filled = column(record, "filled", np.uint8, mapped=True)
        packed = column(record, "packed", np.int16, mapped=True)
        bits, table = (8 * len(filled)).bit_length() - 1, np.empty(8 * len(filled), np.int16)
        if not MIN_BITS <= bits <= MAX_BITS or len(table) != 1 << bits or spread(filled, packed, table) != len(packed):
            raise ModelError("the weights of a model do not fit its features; train it again or copy it again")
        return cls(table, bits, scale_of(record))


NO_WEIGHTS = HashedWeights(np.zeros(1 << MIN_BITS, np.int16), MIN_BITS, 1.0)


def round_weights(weights: Floats, threshold: float) -> HashedWeights:
    """Round the weights of a learner; those below the share ``threshold`` of the largest absolute value become zero.

    ConfigError if a weight is not a finite number.

    >>> weights = np.zeros(256, np.float32)
    >>> weights[:3] = 2.0, -1.0, 0.999
    >>> round_weights(weights, 0.5).table[:4].tolist()
    [32000, -16000, 0, 0]
    """
    largest = largest_of(weights)
    scale = largest / MAX_WEIGHT
    table = np.empty(len(weights), np.int16)
    fill_table(weights, np.float32(threshold * largest), np.float32(1 / scale), table)
    return HashedWeights(table, len(weights).bit_length() - 1, scale)


@kernel
def fill_table(weights: Floats, threshold: np.float32, inverse_scale: np.float32, table: Shorts) -> None:
    """Write weights as integers, 0 for those below the threshold."""
    for i in range(len(weights)):
        weight = weights[i]
        table[i] = 0 if abs(weight) < threshold else np.int16(np.round(weight * inverse_scale))


@kernel
def spread(filled: Bytes, packed: Shorts, table: Shorts) -> int:
    """Write packed weights to the places of a table whose bits are set, 0 to the others; return how many are set."""
    last = len(packed) - 1
    at = 0
    for byte in range(len(filled)):
        for bit in range(8):
            there = int(filled[byte] >> (7 - bit)) & 1
            table[8 * byte + bit] = packed[min(at, last)] * there if last >= 0 else 0
            at += there
    return at
