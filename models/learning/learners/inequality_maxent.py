"""Maximum entropy with box-type inequality constraints: a sparse multinomial logistic regression.

The model of maximum entropy whose feature expectations lie within a box around the empirical ones.
A feature ``(f, k)`` is a column f together with a class k. With ``seen_fk`` the sum of column f over the rows of class
k and ``p(k | x)`` the model, the constraints are, in counts over the training rows,

    ``-width_fk <= seen_fk - sum_x p(k | x) x_f <= width_fk``.

Each side has a multiplier, ``alpha_fk, beta_fk >= 0``, at most one of them above 0 at the optimum; with
``w = alpha - beta`` the dual is to minimise, by `treevote.models.learning.learners.coordinate_descent`,

    ``sum_x -log p(y | x) + sum_fk width_fk |w_fk| + c2 / 2 sum_fk w_fk ** 2``,

where ``p(k | x)`` is proportional to ``exp(intercept_k + sum_f w_fk x_f)``. So a weight is 0 unless its constraint is
tight. ``c2`` is the 2-norm extension: constraints may be violated at a quadratic cost. The intercepts have width 0: the
expected number of rows of each class equals the observed one.

Source: Kazama & Tsujii, "Evaluation and extension of maximum entropy models with inequality constraints", EMNLP 2003.
"""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix, hstack
from sklearn.exceptions import ConvergenceWarning

from treevote.errors import ConfigError, require_known
from treevote.kernels import Doubles, Longs
from treevote.models.learning.learners.coordinate_descent import Features, descend
from treevote.models.learning.learners.linear import LogLinearClassifier, checked_rows


class InequalityMaxEnt(LogLinearClassifier):
    """Maximum entropy classifier with inequality constraints, exact and sparse.

    Deterministic. Faults in X or y are ValueErrors, as in scikit-learn. The optimum has unique probabilities on the
    training rows, but not always unique weights: identical columns may share theirs in any proportion. Made for sparse
    binary columns; others need many sweeps if they are not centred. A full sweep takes time proportional to the sum,
    over the entries of X, of the number of classes of their columns; memory is about three times that of X, ``24 n_rows
    n_classes`` bytes and 60 bytes per feature.

    Parameters
    ----------
    width : float, default=1.0
        Scale c of the widths; larger is smoother and sparser.
    widths : {"single", "count"}, default="single"
        ``"single"``: c counts for every feature, the 1-norm penalty of a logistic regression with ``C = 1 / c``.
        ``"count"``: ``c * sqrt(count + 1)`` counts, where ``count`` is the number (weight) of the rows of the class
        with the column, or their sum of squares if it is not binary: c standard errors of the count.
    c2 : float, default=0.0
        Factor of the 2-norm extension.
    observed_only : bool, default=True
        Give a weight to column f with class k only if some row of class k has the column, as the original maximum
        entropy models do: in treebanks less than a tenth of all pairs. If false, unobserved pairs can have weights too.
    fit_intercept : bool, default=True
        Whether each class has an intercept.
    tol : float, default=3e-4
        Maximum violation of a constraint, relative to the number (weight) of the rows: stop after a full sweep without
        a larger one.
    max_iter : int, default=1000
        Maximum number of sweeps; a ConvergenceWarning if reached.

    Attributes
    ----------
    classes_ : ndarray, shape (n_classes,)
        The classes with a row of weight above 0, sorted.
    coef_, intercept_ : ndarray of float64, shapes (n_classes, n_features) and (n_classes,)
        With two classes a single row: the weights of the second less those of the first.
    n_active_, n_iter_ : int
        Number of features (pairs of column and class) with a weight other than 0, and of sweeps.

    Examples
    --------
    >>> X = np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 1, 1], [1, 0, 1]])
    >>> learner = InequalityMaxEnt(width=0.5).fit(X, ["shift", "shift", "reduce", "reduce", "reduce", "shift"])
    >>> learner.predict(X[:3]).tolist(), float(learner.coef_[0, 2])  # the third column tells nothing
    (['shift', 'shift', 'reduce'], 0.0)
    """

    _dtype = np.float64

    def __init__(
        self,
        *,
        width: float = 1.0,
        widths: Literal["single", "count"] = "single",
        c2: float = 0.0,
        observed_only: bool = True,
        fit_intercept: bool = True,
        tol: float = 3e-4,
        max_iter: int = 1000,
    ) -> None:
        self.width = width
        self.widths = widths
        self.c2 = c2
        self.observed_only = observed_only
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> InequalityMaxEnt:
        """Find the weights; ``sample_weight`` are multiplicities of the rows, at least 0."""
        require_known("widths", self.widths, ("single", "count"))
        for name, least in (("width", 0), ("c2", 0), ("tol", 0), ("max_iter", 1)):
            value = getattr(self, name)
            if not (isinstance(value, Real) and least <= float(value) < np.inf):
                raise ConfigError(f"{name} must be a number of at least {least}, but it is {value!r}")
        X, y, weights = checked_rows(self, X, y, sample_weight, np.float64)
        used = weights > 0
        rows, weights = csr_matrix(X)[used], weights[used]
        rows.sum_duplicates()
        self.classes_, labels = np.unique(y[used], return_inverse=True)
        if self.fit_intercept:  # as a first column of ones
            rows = hstack([csr_matrix(np.ones((len(weights), 1))), rows], format="csr")
        features = self._features(rows, labels, weights)
        tol = self.tol * float(weights.sum())
        coef, missed, self.n_iter_ = descend(features, rows, weights, len(self.classes_), tol, self.max_iter)
        if missed > tol:
            warnings.warn(
                f"after max_iter={self.max_iter} sweeps a constraint is still missed by {missed:.3g} counts, "
                f"tol={self.tol} allows {tol:.3g}; raise one of them",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.n_active_ = int(np.count_nonzero(coef[int(self.fit_intercept) :]))
        if len(self.classes_) == 2:
            coef = coef[:, 1:] - coef[:, :1]
        self.intercept_ = coef[0].copy() if self.fit_intercept else np.zeros(coef.shape[1])
        self.coef_ = np.ascontiguousarray(coef[int(self.fit_intercept) :].T)
        return self

    def _features(self, rows: csr_matrix, labels: Longs, weights: Doubles) -> Features:
        n_rows, n_classes = len(labels), len(self.classes_)
        by_class = csr_matrix((weights, labels, np.arange(n_rows + 1)), shape=(n_rows, n_classes))
        counts = (rows.power(2).T @ by_class).toarray()
        columns, classes = np.nonzero(counts if self.observed_only else np.ones(counts.shape))
        free = columns < int(self.fit_intercept)
        count = counts[columns, classes]
        widths = self.width * (np.sqrt(count + 1) if self.widths == "count" else np.ones(len(count)))
        seen = (rows.T @ by_class).toarray()[columns, classes]
        width, ridge = np.where(free, 0.0, widths), np.where(free, 0.0, self.c2)
        return Features(columns.astype(np.int32), classes.astype(np.int32), seen, width, ridge)
