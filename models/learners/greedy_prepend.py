"""The Greedy Prepend Algorithm: decision lists, learnt from the bottom to the top.

The list starts with one rule, which says the most frequent class of everything. Then, again and again, that rule is put
on top which gains most: the gain of a rule is the number of training instances more that the list classifies rightly
with it than without it. Candidates are the rules whose pattern is that of a rule in the list and one feature more.

A rule that needs two features at once is out of reach of that search where neither feature gains anything alone. So
patterns of one and of two features are candidates from the start, unless ``free_length`` says otherwise.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from treevote.errors import ConfigError
from treevote.kernels import Ints
from treevote.models.rules.candidates import Instances, invert
from treevote.models.rules.decision_list import first_matches, index_rules
from treevote.models.rules.growth import Growth


class GreedyPrepend(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Decision list learnt by the Greedy Prepend Algorithm.

    A feature is present in a row where its value is positive. Of candidates with the same gain that one is taken whose
    parent is the oldest, and of these that with the first feature; of classes that are equally frequent the first is.
    Parents are the empty pattern, then (with ``free_length=2``) the single features in their order, then the patterns
    of the rules in the order of learning.

    Parameters
    ----------
    min_gain : int, default=1
        Rules that gain fewer instances are not taken.
    max_rules : int, default=100000
        The list does not get longer.
    max_length : int, default=8
        No pattern has more features.
    free_length : {1, 2}, default=2
        Patterns with so many features are candidates from the start.

    Attributes
    ----------
    classes_ : ndarray, shape (n_classes,)
    rules_ : DecisionList
        The classes of its rules are indices in ``classes_``.
    n_features_in_ : int

    References
    ----------
    Rivest (1987), "Learning decision lists".
    Yuret & de la Maza (2006), "The Greedy Prepend Algorithm for decision list induction".
    Yuret (2006), "Dependency parsing as a classification problem", section 2.

    Examples
    --------
    >>> X = np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1]])
    >>> learner = GreedyPrepend().fit(X, ["link", "link", "none", "none", "none"])
    >>> [learner.rules_.pattern(rule) for rule in range(3)], learner.rules_.gains.tolist()
    ([[1], [0], []], [1, 1, 3])
    >>> learner.predict(X).tolist()
    ['link', 'link', 'none', 'none', 'none']
    """

    def __init__(
        self, *, min_gain: int = 1, max_rules: int = 100_000, max_length: int = 8, free_length: int = 2
    ) -> None:
        self.min_gain = min_gain
        self.max_rules = max_rules
        self.max_length = max_length
        self.free_length = free_length

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Find the rules.

        Parameters
        ----------
        X : array or sparse matrix, shape (n_rows, n_features)
            One row for each instance.
        y : array, shape (n_rows,)
            Their classes.
        sample_weight : array of whole numbers, shape (n_rows,), optional
            How often each row counts; a row of weight 0 is as good as left out.

        Raises
        ------
        ConfigError
            If a parameter is out of range.
        ValueError
            If the arrays do not fit together, as scikit-learn demands, or weights are not whole numbers.
        """
        for name in ("min_gain", "max_rules", "max_length"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} should be at least 1, found {getattr(self, name)}")
        if self.free_length not in (1, 2):
            raise ConfigError(f"free_length should be 1 or 2, found {self.free_length}")
        X, y = validate_data(self, X, y, accept_sparse="csr")
        check_classification_targets(y)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if (weights < 0).any() or (weights != np.floor(weights)).any() or weights.sum() >= 2**31:
            raise ValueError("sample_weight must be whole numbers from 0 on, less than 2**31 in all")
        if not weights.any():
            raise ValueError("sample_weight is 0 for all rows; at least one has to count")
        if not weights.all():
            X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
        self.classes_, labels = np.unique(y, return_inverse=True)
        data, kept = _instances(X, labels.astype(np.int32), weights.astype(np.int32), self.min_gain)
        growth = Growth(data, self.min_gain, self.max_length, min(self.free_length, self.max_length))
        while len(growth.learnt) < self.max_rules and growth.prepend():
            pass
        rules = growth.decision_list()
        self.rules_ = rules._replace(features=kept[rules.features])
        return self

    def predict(self, X: Any) -> Any:
        """Return what the first rule that matches says of each row, shape (n_rows,)."""
        decided = self.decide(X)
        return self.classes_[self.rules_.classes[decided]]

    def decide(self, X: Any) -> Ints:
        """Return the number of the first rule that matches each row, shape (n_rows,); 0 is the top of the list."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        found = np.empty(X.shape[0], np.int32)
        first_matches(*_present(X), index_rules(self.rules_, X.shape[1]), found)
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True  # of numbers only the sign is seen
        return tags


def _present(X: Any) -> tuple[Ints, Ints]:
    """Return index pointers and ascending columns of the positive values of a matrix."""
    matrix = csr_matrix(X > 0)
    matrix.sum_duplicates()
    return matrix.indptr.astype(np.int32, copy=False), matrix.indices.astype(np.int32, copy=False)


def _instances(X: Any, labels: Ints, weights: Ints, least: int) -> tuple[Instances, Ints]:
    """Return the rows as instances, with the columns that have enough weight to be in a rule, and these columns."""
    indptr, indices = _present(X)
    sizes = np.diff(indptr)
    kept = np.flatnonzero(np.bincount(indices, np.repeat(weights, sizes), X.shape[1]) >= least).astype(np.int32)
    numbers = np.full(X.shape[1], -1, np.int32)
    numbers[kept] = np.arange(len(kept))
    indices = numbers[indices]
    before = np.concatenate([np.zeros(1, np.int32), np.cumsum(indices >= 0, dtype=np.int32)])
    indptr, indices = before[indptr], indices[indices >= 0]
    return Instances(indptr, indices, *invert(indptr, indices, len(kept)), labels, weights), kept
