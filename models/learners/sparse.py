"""Base classes and checks of classifiers of sparse rows, as scikit-learn requires."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, validate_data


class SparseRows(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """An estimator that takes sparse matrices."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class SparseClassifier(ClassifierMixin, SparseRows):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier that takes sparse matrices."""


def checked_rows(
    classifier: SparseClassifier, X: Any, y: Any, sample_weight: ArrayLike | None, dtype: Any, *kept: Any
) -> tuple[Any, Any, Any]:
    """Return rows, classes and weights as ``fit`` needs them; rows of the types in ``kept`` are not converted.

    Raises
    ------
    ValueError
        If the arrays do not fit together, a weight is negative, or all are zero.
    """
    X, y = validate_data(classifier, X, y, accept_sparse="csr", dtype=[dtype, *kept] if kept else dtype)
    check_classification_targets(y)
    ones = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    own: Any = np.float64 if dtype == "numeric" else dtype
    weights = check_array(ones, dtype=own, order="C", ensure_2d=False, input_name="sample_weight")
    if weights.shape != (X.shape[0],):
        raise ValueError(f"sample_weight should have shape {(X.shape[0],)}, found {weights.shape}")
    if weights.min() < 0:
        raise ValueError(f"sample_weight must not be negative; its smallest value is {weights.min()}")
    if not weights.any():
        raise ValueError("sample_weight is zero for all rows; at least one has to count")
    return X, y, weights
