"""Base classes and checks of classifiers of sparse rows, as scikit-learn requires."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, validate_data


class LinearClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A linear classifier of sparse rows; its subclasses set ``_dtype``."""

    _dtype: ClassVar[Any]
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

    ValueError if the arrays do not fit together, a weight is negative, or all are zero.
    """
    X, y = validate_data(classifier, X, y, accept_sparse="csr", dtype=[dtype, *kept] if kept else dtype)
    check_classification_targets(y)
    ones = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    weights = check_array(ones, dtype=dtype, order="C", ensure_2d=False, input_name="sample_weight")
    if weights.shape != (X.shape[0],):
        raise ValueError(f"sample_weight should have shape {(X.shape[0],)}, found {weights.shape}")
    if weights.min() < 0:
        raise ValueError(f"sample_weight must not be negative; its smallest value is {weights.min()}")
    if not weights.any():
        raise ValueError("sample_weight is zero for all rows; at least one has to count")
    return X, y, weights
