"""Base classes and checks of classifiers of sparse rows, as scikit-learn requires."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data


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
        If the arrays do not fit together, or a weight is negative.
    """
    X, y = validate_data(classifier, X, y, accept_sparse="csr", dtype=[dtype, *kept] if kept else dtype)
    check_classification_targets(y)
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64 if dtype == "numeric" else dtype)
    if weights.min() < 0:
        raise ValueError(f"sample_weight must not be negative; its smallest value is {weights.min()}")
    return X, y, weights
