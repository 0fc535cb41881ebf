"""Base classes of the linear learners: checks and scores, and data and epochs of those that are trained online."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from treevote.errors import ConfigError
from treevote.kernels import Floats, Ints, Longs, leaf

Report: TypeAlias = Callable[[int, int], None]  # called with the number of completed epochs and their total


class LinearClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A linear classifier of sparse rows; a subclass may set ``_dtype``."""

    _dtype: ClassVar[Any] = np.float32
    coef_: Any
    intercept_: Any
    classes_: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _scores(self, X: Any) -> Any:
        """Return the scores of all classes, also of two, shape (n_rows, n_classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=self._dtype, reset=False)
        scores = X @ self.coef_.T + self.intercept_
        return scores if scores.shape[1] == len(self.classes_) else np.hstack([np.zeros_like(scores), scores])

    def decision_function(self, X: Any) -> Any:
        """Return the scores, shape (n_rows, n_classes); with two classes those of the second, shape (n_rows,)."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> Any:
        """Return the class with the highest score, shape (n_rows,); ties go to the first in ``classes_``."""
        scores = self._scores(X)  # first, so that an estimator without training says so
        return self.classes_[scores.argmax(axis=1)]


class LogLinearClassifier(LinearClassifier):
    """A linear classifier with probabilities: the softmax of its scores."""

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of the probabilities, shape (n_rows, n_classes)."""
        return log_softmax(self._scores(X), axis=1)

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities, shape (n_rows, n_classes), columns in the order of ``classes_``."""
        return np.exp(self.predict_log_proba(X))


def checked_rows(
    classifier: LinearClassifier, X: Any, y: Any, sample_weight: ArrayLike | None, dtype: Any, *kept: Any
) -> tuple[Any, Any, Any]:
    """Return rows, classes and weights as ``fit`` needs them; rows of the types in ``kept`` are not converted.

    ValueError if the arrays do not fit together, ``y`` has no classes, a weight is negative, or all are zero.
    """
    X, y = validate_data(classifier, X, y, accept_sparse="csr", dtype=[dtype, *kept] if kept else dtype)
    kind = type_of_target(y, input_name="y")
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"Unknown label type: {kind}; give classes")
    ones = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    weights = check_array(ones, dtype=dtype, order="C", ensure_2d=False, input_name="sample_weight")
    if weights.shape != (X.shape[0],):
        raise ValueError(f"sample_weight should have shape {(X.shape[0],)}, found {weights.shape}")
    if weights.min() < 0:
        raise ValueError(f"sample_weight must not be negative; its smallest value is {weights.min()}")
    if not weights.any():
        raise ValueError("sample_weight is zero for all rows; at least one has to count")
    return X, y, weights


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

    def _epochs(self, present: Longs, progress: Report | None) -> Iterator[tuple[int, Longs]]:
        """Yield the number of each epoch, and its rows in random order."""
        rng = np.random.default_rng(self.random_state)
        for epoch in range(self.epochs):
            yield epoch, present[rng.permutation(len(present))]
            if progress:
                progress(epoch + 1, self.epochs)

    def _train(self, epochs: Iterator[tuple[int, Longs]], rows: Rows, coefficients: Floats, bias: Floats) -> None:
        """Find coefficients (n_features, n_classes) and bias, 0 at the start; ConfigError for steps out of range."""
        raise NotImplementedError
