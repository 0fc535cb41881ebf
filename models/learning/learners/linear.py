"""Base classes of the online linear learners: data, epochs, scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix

from treevote.errors import ConfigError
from treevote.kernels import Floats, Ints, Longs, leaf
from treevote.models.learning.learners.sparse import LinearClassifier, checked_rows

Report: TypeAlias = Callable[[int, int], None]
"""Called with the number of completed epochs and their total."""


class Rows(NamedTuple):
    """Training rows: a CSR matrix of shape (n_rows, n_features), and the class and the weight of each row."""

    indptr: Ints
    indices: Ints
    values: Floats | NDArray[np.int8]
    labels: Ints
    weights: Floats


@leaf
def activate(rows: Rows, i: int, coefficients: Floats, bias: Floats, scores: Floats) -> None:
    """Write the scores of all classes for row ``i``."""
    for k in range(len(scores)):
        scores[k] = bias[k]
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        value, row = np.float32(rows.values[j]), coefficients[rows.indices[j]]
        for k in range(len(scores)):
            scores[k] += value * row[k]


class OnlineLinearClassifier(LinearClassifier):
    """A linear classifier trained one row at a time, in several epochs.

    Subclasses have the parameters ``epochs`` and ``random_state`` and define ``_train``. With two classes, too,
    ``coef_``, shape (n_classes, n_features), and ``intercept_`` have a row for each class.
    """

    _dtype = np.float32
    values_dtype: ClassVar = np.int8
    """Type in which the values of binary features need least memory: there are as many as features of all rows."""

    epochs: int
    random_state: int

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None, *, progress: Report | None = None) -> Self:
        """Find the weights; rows of weight 0 are ignored.

        ConfigError if ``epochs`` or the step size is not positive, ValueError if the rows are all of one class.
        """
        if self.epochs < 1:
            raise ConfigError(f"epochs should be at least 1, found {self.epochs}")
        self._check_steps()
        X, y, row_weights = checked_rows(self, X, y, sample_weight, np.float32, self.values_dtype)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("the rows are all of one class; a classifier needs two")
        matrix = csr_matrix(X)
        indptr, indices = (places.astype(np.int32, copy=False) for places in (matrix.indptr, matrix.indices))
        rows = Rows(indptr, indices, matrix.data, labels.astype(np.int32), row_weights)
        coefficients = np.zeros((X.shape[1], len(self.classes_)), np.float32)
        bias = np.zeros(len(self.classes_), np.float32)
        self._train(self._epochs(np.flatnonzero(row_weights), progress), rows, coefficients, bias)
        self.coef_, self.intercept_ = coefficients.T, bias
        return self

    def _check_steps(self) -> None:
        """Raise ConfigError if the step size is out of range."""
        raise NotImplementedError

    def _epochs(self, present: Longs, progress: Report | None) -> Iterator[tuple[int, Longs]]:
        """Yield the number of each epoch, and its rows in random order."""
        rng = np.random.default_rng(self.random_state)
        for epoch in range(self.epochs):
            yield epoch, present[rng.permutation(len(present))]
            if progress:
                progress(epoch + 1, self.epochs)

    def _train(self, epochs: Iterator[tuple[int, Longs]], rows: Rows, coefficients: Floats, bias: Floats) -> None:
        """Find coefficients (n_features, n_classes) and bias, which are 0 at the start."""
        raise NotImplementedError
