"""Base classes of the online linear learners: data, epochs, scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from scipy.special import log_softmax
from sklearn.utils.validation import check_is_fitted, validate_data

from treevote.errors import ConfigError
from treevote.kernels import Floats, Ints, Longs, leaf
from treevote.models.learners.sparse import SparseClassifier, checked_rows


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


class OnlineLinearClassifier(SparseClassifier):
    """A linear classifier trained one row at a time, in several epochs.

    Subclasses have the parameters ``epochs`` and ``random_state`` and define ``_learn``.

    Attributes
    ----------
    classes_ : ndarray, shape (n_classes,)
    coef_ : ndarray of float32, shape (n_classes, n_features)
        With two classes, too, a row for each.
    intercept_ : ndarray of float32, shape (n_classes,)
    n_features_in_ : int
    """

    values_dtype: ClassVar = np.int8
    """Type in which the values of binary features need least memory: there are as many as features of all rows."""

    epochs: int
    random_state: int

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Find the weights.

        Parameters
        ----------
        X : array or sparse matrix, shape (n_rows, n_features)
            One row for each instance.
        y : array, shape (n_rows,)
            Their classes.
        sample_weight : array, shape (n_rows,), optional
            Weights of the rows, at least 0; rows of weight 0 are ignored.
        progress : callable, optional
            Called with the number of completed epochs and their total.

        Raises
        ------
        ConfigError
            If ``epochs`` or the step size is not positive.
        ValueError
            If the arrays do not fit together, or the rows are all of one class.
        """
        if self.epochs < 1:
            raise ConfigError(f"epochs should be at least 1, found {self.epochs}")
        self._check_steps()
        X, y, row_weights = checked_rows(self, X, y, sample_weight, np.float32, self.values_dtype)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("the rows are all of one class; a classifier needs two")
        matrix = csr_matrix(X)
        rows = Rows(
            matrix.indptr.astype(np.int32, copy=False),
            matrix.indices.astype(np.int32, copy=False),
            matrix.data,
            labels.astype(np.int32),
            row_weights,
        )
        coefficients = np.zeros((X.shape[1], len(self.classes_)), np.float32)
        bias = np.zeros(len(self.classes_), np.float32)
        present = np.flatnonzero(row_weights)
        rng = np.random.default_rng(self.random_state)
        self._begin(coefficients, bias)
        for epoch in range(self.epochs):
            self._learn(epoch, present[rng.permutation(len(present))], rows, coefficients, bias)
            if progress:
                progress(epoch + 1, self.epochs)
        self._end(coefficients, bias)
        self.coef_, self.intercept_ = coefficients.T, bias
        return self

    def _check_steps(self) -> None:
        """Raise ConfigError if the step size is out of range."""
        raise NotImplementedError

    def _begin(self, coefficients: Floats, bias: Floats) -> None:
        """Prepare the first epoch."""

    def _learn(self, epoch: int, order: Longs, rows: Rows, coefficients: Floats, bias: Floats) -> None:
        """Update coefficients (n_features, n_classes) and bias in one epoch over the rows."""
        raise NotImplementedError

    def _end(self, coefficients: Floats, bias: Floats) -> None:
        """Finish the weights."""

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float32, reset=False)
        scores: Floats = X @ self.coef_.T + self.intercept_
        return scores

    def decision_function(self, X: Any) -> Floats:
        """Return the scores, shape (n_rows, n_classes); with two classes those of the second, shape (n_rows,)."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> Any:
        """Return the class with the highest score, shape (n_rows,); ties go to the first in ``classes_``."""
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]


class SoftmaxLinearClassifier(OnlineLinearClassifier):
    """An online linear classifier with probabilities: the softmax of its scores."""

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of the probabilities, shape (n_rows, n_classes)."""
        log_probabilities: Floats = log_softmax(self._scores(X), axis=1)
        return log_probabilities

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities, shape (n_rows, n_classes), columns in the order of ``classes_``."""
        return np.exp(self.predict_log_proba(X))
