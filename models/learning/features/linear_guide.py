"""Linear guides: the packed weights of a trained model, which score the next actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treevote.kernels import Bools, Bytes, Floats, Ints, Keys, Shorts
from treevote.models.learning.features.feature_index import restored_keys, stored_keys
from treevote.models.learning.features.weights import Weights, pack, unpack
from treevote.store.manifest import JSON
from treevote.store.record import Record
from treevote.store.validation import column, give_back, scale_of

NEVER = -(1 << 28)  # score of a class without training rows, so that it is never predicted


class Coefficients(NamedTuple):
    """The weights of a linear model before they are packed."""

    weights: Floats  # shape (n_features, n_actions)
    bias: Floats
    seen: Bools  # shape (n_actions,): whether the training had rows of the action


@dataclass(frozen=True, eq=False)
class LinearGuide:
    """The weights of a linear model: arrays as `features.weights.pack` returns them, and unpacked."""

    stored: Bytes  # the keys, see `features.feature_index.stored_keys`
    packed: Shorts
    bias: Ints
    scale: float
    weights: Weights

    @classmethod
    def of(cls, keys: Keys, packed: Shorts, bias: Ints, scale: float) -> LinearGuide:
        """Make the guide of packed weights; ModelError if the parts do not fit together."""
        return cls._of_stored(stored_keys(keys), packed, bias, scale)

    @classmethod
    def _of_stored(cls, stored: Bytes, packed: Shorts, bias: Ints, scale: float) -> LinearGuide:
        packed = np.asarray(packed).view()
        packed.flags.writeable = False  # as memory maps are: kernels are compiled once for both
        return cls(stored, packed, bias, scale, unpack(restored_keys(stored), packed, bias, scale))

    @property
    def keys(self) -> Keys:
        """The keys of the features, their lower bits are 0."""
        return restored_keys(self.stored)

    @classmethod
    def constant(cls, favourite: Ints, n_actions: int) -> LinearGuide:
        """Return the guide of a treebank without a choice of actions: it prefers the only action chosen, if any."""
        bias = np.zeros(n_actions, np.int32)
        bias[favourite] = 1
        return cls.of(np.zeros(0, np.uint64), np.zeros(0, np.int16), bias, 1.0)

    @classmethod
    def packing(cls, coefficients: Coefficients, keys: Keys, prune: float) -> LinearGuide:
        """Pack weights, see `features.weights.pack`; ConfigError if one is not a finite number."""
        kept, packed, bias, scale = pack(keys, coefficients.weights, coefficients.bias, prune)
        bias[~coefficients.seen] = NEVER
        return cls.of(kept, packed, bias, scale)

    def facts(self) -> dict[str, JSON]:
        """Return the facts of its record."""
        return {"scale": self.scale}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of its record."""
        return {"keys": self.stored, "packed": self.packed, "bias": self.bias}

    @classmethod
    def from_record(cls, record: Record, n_actions: int) -> LinearGuide:
        """Make the guide from the `facts` and `arrays` of a record; raises as `rebuild` of the store expects."""
        keys, packed = np.asarray(record.arrays["keys"]), column(record, "packed", np.int16, mapped=True)
        bias = column(record, "bias", np.int32)
        if keys.dtype != np.uint8:  # of a model of version 2
            keys = stored_keys(column(record, "keys", np.uint64, mapped=True))
        if len(bias) != n_actions:
            raise ValueError("its scores")
        guide = cls._of_stored(keys, packed, bias, scale_of(record))
        for array in keys, packed:  # all of it was checked, and little may be needed
            give_back(array)
        return guide

    def cooled(self, temperature: float) -> LinearGuide:
        """Return the guide with scores divided by a temperature; the order of the actions does not change."""
        return LinearGuide._of_stored(self.stored, self.packed, self.bias, self.scale / temperature)

    def __reduce__(self) -> tuple[Callable[..., LinearGuide], tuple[Bytes, Shorts, Ints, float]]:
        """Pickle the arrays of the record, for other processes."""
        return LinearGuide._of_stored, (self.stored, self.packed, self.bias, self.scale)


def coefficients_of(learner: Any, n_actions: int) -> Coefficients:
    """Return the weights of a linear learner whose classes are actions."""
    classes = np.asarray(learner.classes_, np.int64)
    weights: NDArray[Any] = np.atleast_2d(learner.coef_).T  # some of scikit-learn have one row as a vector
    bias: NDArray[Any] = np.asarray(learner.intercept_)
    if weights.shape[1] < len(classes):  # of two classes scikit-learn keeps the second
        weights, bias = np.hstack([-weights, weights]) / 2, np.hstack([-bias, bias]) / 2
    intercept, seen = np.zeros(n_actions, np.float32), np.zeros(n_actions, np.bool_)
    intercept[classes], seen[classes] = bias, True
    if len(classes) == n_actions:
        return Coefficients(np.ascontiguousarray(weights, np.float32), intercept, seen)
    coefficients = np.zeros((len(weights), n_actions), np.float32)
    coefficients[:, classes] = weights
    return Coefficients(coefficients, intercept, seen)
