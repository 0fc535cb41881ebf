"""The Greedy Prepend Algorithm as a scikit-learn classifier.

The list starts with one rule, which gives every instance the most frequent class. Each step puts the candidate with the
highest gain on top. The gain of a rule is the increase in correctly classified training instances. A candidate is the
pattern of a rule in the list with one more feature.

This search does not find a rule of two features where neither gains anything alone. So all patterns of one and of two
features are candidates from the start, unless ``free_length`` is 1.
"""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted, validate_data

from treevote.config import converted
from treevote.kernels import Ints
from treevote.models.learning.learners.decision_list.candidates import positive_columns
from treevote.models.learning.learners.decision_list.induction import ListOptions, induce
from treevote.models.learning.learners.decision_list.rules import compile_rules, first_matches
from treevote.models.learning.learners.sparse import SparseClassifier, checked_rows
from treevote.settings import Count


class GreedyPrepend(SparseClassifier):
    """Decision list learnt by the Greedy Prepend Algorithm; classes in ``rules_`` are indices in ``classes_``.

    A row has a feature if its value is positive. A rule gains at least ``min_gain`` instances; the list has at most
    ``max_rules``, each of at most ``max_length`` features. Patterns of up to ``free_length``, 1 or 2, are candidates
    from the start.

    Ties in gain go to the candidate with the oldest parent, then to the first feature; ties in frequency go to the
    first class. Parents are the empty pattern, then (with ``free_length=2``) the single features in their order, then
    the patterns of the rules in the order of learning.

    References: Rivest (1987), "Learning decision lists"; Yuret & de la Maza (2006), "The Greedy Prepend Algorithm for
    decision list induction"; Yuret (2006), "Dependency parsing as a classification problem", section 2.
    """

    def __init__(
        self, *, min_gain: int = 1, max_rules: int = 100_000, max_length: int = 8, free_length: int = 2
    ) -> None:
        self.min_gain = min_gain
        self.max_rules = max_rules
        self.max_length = max_length
        self.free_length = free_length

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the list from rows, their classes and multiplicities; rows of weight 0 are ignored.

        ConfigError if a parameter is out of range; ValueError if the arrays do not fit together, as scikit-learn
        demands, or weights are not whole numbers.
        """
        for name in ("min_gain", "max_rules", "max_length"):
            converted(Count, getattr(self, name), name)
        converted(Literal[1, 2], self.free_length, "free_length")
        X, y, weights = checked_rows(self, X, y, sample_weight, "numeric")
        if (weights != np.floor(weights)).any():
            raise ValueError("sample_weight must be whole numbers from 0 on")
        if not weights.all():
            X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
        self.classes_, labels = np.unique(y, return_inverse=True)
        options = ListOptions(self.min_gain, self.max_rules, self.max_length, self.free_length)
        self.rules_ = induce(X, labels.astype(np.int32), weights, options)
        return self

    def predict(self, X: Any) -> Any:
        """Return the class of each row by the first rule that matches it, shape (n_rows,)."""
        decided = self.decide(X)
        return self.classes_[self.rules_.classes[decided]]

    def decide(self, X: Any) -> Ints:
        """Return the number of the first rule that matches each row, shape (n_rows,); 0 is the top of the list."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        found = np.empty(X.shape[0], np.int32)
        first_matches(*positive_columns(X), compile_rules(self.rules_, X.shape[1]), found)
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # only the sign of a value counts
        return tags
