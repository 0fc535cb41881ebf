"""The polynomial kernel of degree 2 as a linear model over all pairs of active features.

For binary rows x and z, with ``x . z = sum_i x_i z_i`` and ``x_i ** 2 = x_i``,

    ``(x . z + 1) ** 2 = 1 + 3 sum_i x_i z_i + 2 sum_{i<j} (x_i x_j) (z_i z_j)``,

so the kernel is 1 plus the inner product of rows that hold each column times sqrt(3) and the product of each two
columns times sqrt(2). The 1 is left to the intercept of the linear model. A row with m active columns has
``m (m - 1) / 2`` pairs: a linear learner takes time proportional to that for each row, where the kernel needs an inner
product with every support vector.

The reference for small data, one-against-one as in Sagae & Tsujii (2007), is ``sklearn.svm.SVC`` with the options
``kernel="poly", degree=2, gamma=1, coef0=1``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from treevote.errors import ConfigError
from treevote.kernels import Floats
from treevote.models.features.pairs import PAIR_SCALE, SCALE, count_pairs, write_pairs
from treevote.models.learners.passive_aggressive import PassiveAggressive
from treevote.models.learners.sparse import SparseClassifier, SparseRows

_MAX_COLUMNS = 2**31 - 1  # linear learners want 32-bit indices


class PairExpansion(TransformerMixin, SparseRows):  # type: ignore[misc]  # scikit-learn has no types
    """Add a column for each pair of columns that occur together in the training rows.

    Parameters
    ----------
    min_count : int, default=1
        Minimum number of rows in which a pair occurs.
    kernel_scale : bool, default=False
        Multiply columns by sqrt(3) and pairs by sqrt(2), so that inner products of binary rows are those of the kernel
        ``(x . z + 1) ** 2``, less 1 (with ``min_count=1``, if one of the rows is a training row).

    Attributes
    ----------
    pairs_ : ndarray of int32, shape (n_pairs, 2)
        The two columns of each pair, ``i < j``, by j and then i. Pair p is column ``n_features_in_ + p`` of the result.
    n_features_in_ : int
        Number of columns; they come first in the result, in their order.

    Raises
    ------
    ConfigError
        From ``fit``, if ``min_count`` is below 1, or there are too many pairs for 32-bit indices.

    Notes
    -----
    The value of a pair is the product of the two values. The result is a CSR matrix with sorted 32-bit columns and the
    precision of X. Memory is ``4 m (m + 1)`` bytes for a row of m entries in single precision, half as much again in
    double.

    Examples
    --------
    >>> expansion = PairExpansion().fit([[1, 1, 0], [0, 1, 1]])
    >>> expansion.pairs_.tolist()
    [[0, 1], [1, 2]]
    >>> expansion.transform([[1, 1, 1]]).toarray().tolist()  # columns 0 and 2 were never seen together
    [[1.0, 1.0, 1.0, 1.0, 1.0]]
    """

    def __init__(self, *, min_count: int = 1, kernel_scale: bool = False) -> None:
        self.min_count = min_count
        self.kernel_scale = kernel_scale

    def fit(self, X: Any, y: object = None) -> PairExpansion:
        """Find the pairs.

        Parameters
        ----------
        X : array or sparse matrix, shape (n_rows, n_features)
            The training rows.
        y : object, optional
            Not used.
        """
        if not self.min_count >= 1:
            raise ConfigError(f"min_count must be a number of at least 1, but it is {self.min_count!r}")
        rows = self._rows(X, reset=True)
        by_column = rows.tocsc()
        counts, earlier = count_pairs(
            rows.indptr.astype(np.int64), rows.indices, by_column.indptr, by_column.indices, self.min_count
        )
        if rows.shape[1] + len(earlier) > _MAX_COLUMNS:
            raise ConfigError(f"{len(earlier)} pairs are too many for 32-bit indices; raise min_count")
        later = np.repeat(np.arange(rows.shape[1], dtype=np.int32), counts)
        self.pairs_ = np.column_stack([earlier, later])
        self.starts_ = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        return self

    def transform(self, X: Any) -> csr_matrix:
        """Return the columns of X and their pairs, CSR of shape (n_rows, n_features_in_ + n_pairs)."""
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        scales = (SCALE, PAIR_SCALE) if self.kernel_scale else (1.0, 1.0)
        earlier = np.ascontiguousarray(self.pairs_[:, 0])
        row_starts = rows.indptr.astype(np.int64)
        starts, columns, values = write_pairs(row_starts, rows.indices, rows.data, self.starts_, earlier, *scales)
        return csr_matrix((values, columns, starts), shape=(rows.shape[0], rows.shape[1] + len(earlier)))

    def _rows(self, X: Any, *, reset: bool) -> csr_matrix:
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)
        rows = csr_matrix(X)
        if not rows.has_canonical_format or not rows.data.all():
            rows = rows.copy()
            rows.sum_duplicates()
            rows.eliminate_zeros()
        return rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class PairsSVM(SparseClassifier):
    """Support vector machine with a polynomial kernel of degree 2: a max-margin linear learner over pairs.

    Parameters
    ----------
    min_count : int, default=5
        Minimum number of training rows in which a pair occurs.
    epochs : int, default=8
    C : float, default=0.02
    random_state : int, default=0
        As in `treevote.models.learners.passive_aggressive.PassiveAggressive`.

    Attributes
    ----------
    classes_ : ndarray, shape (n_classes,)
    svm_ : PassiveAggressive
        Trained on the expanded rows.
    n_features_in_ : int

    Examples
    --------
    >>> X = [[1, 1, 0], [1, 0, 1], [0, 1, 0], [0, 0, 1]]  # exclusive or of the first two columns
    >>> PairsSVM(min_count=1, epochs=20, C=1.0).fit(X, [0, 1, 1, 0]).predict(X).tolist()
    [0, 1, 1, 0]
    """

    def __init__(self, *, min_count: int = 5, epochs: int = 8, C: float = 0.02, random_state: int = 0) -> None:
        self.min_count = min_count
        self.epochs = epochs
        self.C = C
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> PairsSVM:
        """Find pairs and weights; parameters as for `PassiveAggressive.fit`."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float32)
        self.expansion_ = PairExpansion(min_count=self.min_count, kernel_scale=True).fit(X)
        self.svm_ = PassiveAggressive(epochs=self.epochs, C=self.C, random_state=self.random_state)
        self.svm_.fit(self.expansion_.transform(X), y, sample_weight, progress=progress)
        self.classes_ = self.svm_.classes_
        return self

    def _expanded(self, X: Any) -> csr_matrix:
        check_is_fitted(self)
        return self.expansion_.transform(validate_data(self, X, accept_sparse="csr", dtype=np.float32, reset=False))

    def decision_function(self, X: Any) -> Floats:
        """Return the scores, shape (n_rows, n_classes); with two classes those of the second, shape (n_rows,)."""
        expanded = self._expanded(X)
        return self.svm_.decision_function(expanded)

    def predict(self, X: Any) -> Any:
        """Return the class with the highest score, shape (n_rows,); ties go to the first in ``classes_``."""
        expanded = self._expanded(X)
        return self.svm_.predict(expanded)
