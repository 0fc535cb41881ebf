"""Maximum entropy with box-type inequality constraints: a sparse multinomial logistic regression.

The model of greatest entropy whose expectation of each feature is near, not equal to, what the training data show.
A feature ``(f, k)`` is a column f together with a class k. With ``n_fk`` the sum of column f over the rows of class k
and ``p(k | x)`` the model, the constraints are, in counts over the training rows,

    ``-width_fk <= n_fk - sum_x p(k | x) x_f <= width_fk``.

Each side has a multiplier, ``alpha_fk, beta_fk >= 0``, at most one of them above 0 at the optimum; with
``w = alpha - beta`` the dual is to maximise

    ``sum_x log p(y | x) - sum_fk width_fk |w_fk| - c2 / 2 sum_fk w_fk ** 2``,  ``p(k | x) ~ exp(intercept_k + w_k . x)``.

So a weight is 0 unless its constraint is tight, and only rows and classes that the data insist on get a weight. ``c2``
is the 2-norm extension: bounds may be missed at a quadratic price. The intercepts have width 0: the expected number of
rows of each class is what was seen.

Source: Kazama & Tsujii, "Evaluation and extension of maximum entropy models with inequality constraints", EMNLP 2003.
The dual is solved by OWL-QN (`treevote.models.learners.owlqn`), to the optimum.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from treevote.errors import ConfigError, unknown
from treevote.kernels import Doubles, Ints, Longs, kernel
from treevote.models.learners.owlqn import owlqn


class InequalityMaxEnt(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Maximum entropy classifier with inequality constraints, exact and sparse.

    Parameters
    ----------
    width : float, default=1.0
        The scale c of the widths; larger is smoother and sparser.
    widths : {"count", "single"}, default="count"
        ``"single"``: c counts for every feature: the 1-norm penalty of a logistic regression with ``C = 1 / c``.
        ``"count"``: ``c * sqrt(count + 1)`` counts, where ``count`` is the number (the weight) of the rows of the class
        that have the feature, for other than binary columns their sum of squares. That is c standard errors of the
        count, Kazama & Tsujii's Bayesian width for rare features: relative to the count, ``c / sqrt(count)``, so a
        feature must be seen about ``c ** 2`` times to be believed at all.
    c2 : float, default=0.0
        Factor of the 2-norm extension.
    observed_only : bool, default=True
        Give a weight only to the features that occur in the training data, as the original maximum entropy models do:
        column f with class k only if some row of class k has it. In treebanks that is a few percent of all. If false,
        a column may also speak *against* a class that it never occurred with.
    fit_intercept : bool, default=True
        Whether each class has an intercept.
    tol : float, default=1e-4
        Stop when no constraint is missed by more than ``tol`` times the number of rows.
    max_iter : int, default=1000
        Stop after so many steps, with a ConvergenceWarning.

    Attributes
    ----------
    classes_ : ndarray, shape (n_classes,)
    coef_ : ndarray of float64, shape (n_classes, n_features)
        The weights, most of them 0; with two classes shape (1, n_features): those of the second less the first.
    intercept_ : ndarray of float64, shape (n_classes,), or (1,) with two classes
    n_active_ : int
        Number of features (column and class) with a weight other than 0.
    n_iter_ : int
        Steps of the solver.
    objective_ : float
        What was minimised, the negative of the dual above, in nats over all rows.
    n_features_in_ : int

    Raises
    ------
    ConfigError
        From ``fit``, if a parameter is out of range. Faults in X or y are ValueErrors, as in scikit-learn.

    Notes
    -----
    Deterministic. A pass over the data takes time proportional to the sum, over the entries of X, of the classes their
    column occurs with. Memory beside X: about 200 bytes for each feature that may have a weight.

    Examples
    --------
    >>> X = np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 1, 1], [1, 0, 1]])
    >>> y = ["shift", "shift", "reduce", "reduce", "reduce", "shift"]
    >>> learner = InequalityMaxEnt(width=0.5, widths="single").fit(X, y)
    >>> learner.predict(X[:3]).tolist()
    ['shift', 'shift', 'reduce']
    >>> learner.coef_[0, 2]  # the third column says nothing
    0.0
    """

    def __init__(
        self,
        *,
        width: float = 1.0,
        widths: Literal["count", "single"] = "count",
        c2: float = 0.0,
        observed_only: bool = True,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.width = width
        self.widths = widths
        self.c2 = c2
        self.observed_only = observed_only
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> InequalityMaxEnt:
        """Find the weights.

        Parameters
        ----------
        X : array or sparse matrix, shape (n_rows, n_features)
            One row for each instance.
        y : array, shape (n_rows,)
            Their classes.
        sample_weight : array, shape (n_rows,), optional
            Each row counts as so many rows; not negative.
        """
        self._check_parameters()
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        weights: Doubles = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if weights.min() < 0:
            raise ValueError(f"sample_weight must not be negative; its smallest value is {weights.min()}")
        self.classes_, labels = np.unique(y, return_inverse=True)
        n_classes, n_features = len(self.classes_), X.shape[1]
        rows = csr_matrix(X)
        starts, columns, counts = _features(rows, labels, weights, n_classes, self.observed_only)
        n_weights = len(columns)
        n_intercepts = n_classes if self.fit_intercept else 0
        width = np.zeros(n_weights + n_intercepts)
        width[:n_weights] = self.width * (np.sqrt(counts + 1) if self.widths == "count" else 1.0)
        data = (rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data)
        labels = labels.astype(np.int32)

        def smooth(w: Doubles) -> tuple[float, Doubles]:
            gradient = np.zeros_like(w)
            gradient[:n_weights] = self.c2 * w[:n_weights]
            price = self.c2 / 2 * float(w[:n_weights] @ w[:n_weights])
            return price + add_gradient(*data, labels, weights, starts, columns, n_classes, w, gradient), gradient

        tol = self.tol * float(weights.sum())
        optimum = owlqn(smooth, np.zeros(len(width)), width, tol=tol, max_iter=self.max_iter)
        if optimum.n_iter >= self.max_iter and optimum.slope > tol:
            warnings.warn(
                f"stopped after max_iter={self.max_iter} steps with a constraint missed by {optimum.slope:.3g} counts, "
                f"tol allows {tol:.3g}; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        coef, intercept = np.zeros((n_classes, n_features)), np.zeros(n_classes)
        coef[columns, np.repeat(np.arange(n_features), np.diff(starts))] = optimum.w[:n_weights]
        intercept[:n_intercepts] = optimum.w[n_weights:]
        self.n_active_ = int(np.count_nonzero(optimum.w[:n_weights]))
        self.n_iter_, self.objective_ = optimum.n_iter, optimum.value
        self.coef_ = coef[1:] - coef[:1] if n_classes == 2 else coef
        self.intercept_ = intercept[1:] - intercept[:1] if n_classes == 2 else intercept
        return self

    def decision_function(self, X: Any) -> Doubles:
        """Return the scores, shape (n_rows, n_classes); with two classes those of the second, shape (n_rows,)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        scores: Doubles = X @ self.coef_.T + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_log_proba(self, X: Any) -> Doubles:
        """Return the logarithm of the probabilities, shape (n_rows, n_classes)."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        log_probabilities: Doubles = log_softmax(scores, axis=1)
        return log_probabilities

    def predict_proba(self, X: Any) -> Doubles:
        """Return the probabilities, shape (n_rows, n_classes), columns in the order of ``classes_``."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> Any:
        """Return the most probable class of each row, shape (n_rows,); of equals, the first in ``classes_``."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)]

    def _check_parameters(self) -> None:
        if self.widths not in ("count", "single"):
            raise unknown("widths", self.widths, ("count", "single"))
        for name, least in (("width", 0), ("c2", 0), ("tol", 0), ("max_iter", 1)):
            if not getattr(self, name) >= least:
                raise ConfigError(f"{name} must be a number of at least {least}, but it is {getattr(self, name)!r}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _features(
    rows: csr_matrix, labels: Longs, weights: Doubles, n_classes: int, observed_only: bool
) -> tuple[Longs, Ints, Doubles]:
    """Return the features that may have a weight, by column, and their counts.

    Returns
    -------
    starts : ndarray of int64, shape (n_columns + 1,)
        The features of column f are ``starts[f]:starts[f + 1]``.
    classes, counts : ndarray of int32 and of float64, shape (n_features,)
        The class of each, ascending within a column, and the weight of its rows (sum of squares).
    """
    n_rows, n_columns = rows.shape
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    by_class = csr_matrix((weights, labels, np.arange(n_rows + 1)), shape=(n_rows, n_classes))
    counts = csr_matrix(rows.power(2).T @ by_class)
    if not observed_only:
        starts = np.arange(n_columns + 1, dtype=np.int64) * n_classes
        return starts, np.tile(np.arange(n_classes, dtype=np.int32), n_columns), counts.toarray().ravel()
    counts.eliminate_zeros()
    counts.sort_indices()
    return counts.indptr.astype(np.int64), counts.indices.astype(np.int32), counts.data


@kernel
def add_gradient(
    row_starts: Longs,
    columns: Ints,
    values: Doubles,
    labels: Ints,
    weights: Doubles,
    starts: Longs,
    classes: Ints,
    n_classes: int,
    w: Doubles,
    gradient: Doubles,
) -> float:
    """Return the negative log-likelihood in nats and add its gradient to ``gradient``, in one pass over the rows.

    Parameters
    ----------
    row_starts, columns, values : ndarray of int64, int32, float64
        The rows, as a CSR matrix.
    labels, weights : ndarray of int32 and of float64, shape (n_rows,)
        The class of each row, from 0, and how often it counts.
    starts, classes : ndarray of int64 and of int32
        The features: those of column f are ``starts[f]:starts[f + 1]``, with these classes.
    n_classes : int
        Number of classes.
    w, gradient : ndarray of float64, shape (n_features,) or (n_features + n_classes,)
        The weights, the intercepts last, if there are any.
    """
    n_features = len(classes)
    has_intercept = len(w) > n_features
    loss = 0.0
    scores = np.zeros(n_classes)
    for row in range(len(labels)):
        for k in range(n_classes):
            scores[k] = w[n_features + k] if has_intercept else 0.0
        for entry in range(row_starts[row], row_starts[row + 1]):
            for i in range(starts[columns[entry]], starts[columns[entry] + 1]):
                scores[classes[i]] += values[entry] * w[i]
        gold = scores[labels[row]]
        highest = scores.max()
        total = 0.0
        for k in range(n_classes):
            scores[k] = np.exp(scores[k] - highest)
            total += scores[k]
        loss += weights[row] * (np.log(total) + highest - gold)
        for k in range(n_classes):
            scores[k] *= weights[row] / total
        scores[labels[row]] -= weights[row]
        for entry in range(row_starts[row], row_starts[row + 1]):
            for i in range(starts[columns[entry]], starts[columns[entry] + 1]):
                gradient[i] += values[entry] * scores[classes[i]]
        if has_intercept:
            for k in range(n_classes):
                gradient[n_features + k] += scores[k]
    return loss
