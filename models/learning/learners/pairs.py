"""The polynomial kernel of degree 2 as a linear model over all pairs of active features.

For binary rows x and z, with ``x . z = sum_i x_i z_i`` and ``x_i ** 2 = x_i``,

    ``(x . z + 1) ** 2 = 1 + 3 sum_i x_i z_i + 2 sum_{i<j} (x_i x_j) (z_i z_j)``,

so the kernel is 1 plus the inner product of rows that hold each column times sqrt(3) and the product of each two
columns times sqrt(2). The 1 is left to the intercept. A row with m active columns has ``m (m - 1) / 2`` pairs, where
the kernel needs an inner product with every support vector. The reference for small data, one-against-one as in Sagae &
Tsujii (2007), is ``sklearn.svm.SVC`` with the options ``kernel="poly", degree=2, gamma=1, coef0=1``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted, validate_data

from treevote.errors import ConfigError
from treevote.kernels import Ints, Longs
from treevote.models.learning.features.pairs import count_pairs, write_pairs
from treevote.models.learning.learners.linear import LinearClassifier, Report
from treevote.models.learning.learners.passive_aggressive import PassiveAggressive

_MAX_COLUMNS = 2**31 - 1  # linear learners want 32-bit indices


class PairExpansion(NamedTuple):
    """Pairs of columns: those paired with column j are ``earlier[starts[j]:starts[j + 1]]``, ascending, before j."""

    starts: Longs
    earlier: Ints

    @classmethod
    def of(cls, X: Any, min_count: int) -> PairExpansion:
        """Find the pairs that occur in at least ``min_count`` rows; ConfigError if they are too many."""
        if not min_count >= 1:
            raise ConfigError(f"min_count must be a number of at least 1, but it is {min_count!r}")
        rows = _canonical(X)
        by_column = rows.tocsc()
        starts, indices = rows.indptr.astype(np.int64), by_column.indices
        counts, earlier = count_pairs(starts, rows.indices, by_column.indptr, indices, min_count)
        if rows.shape[1] + len(earlier) > _MAX_COLUMNS:
            raise ConfigError(f"{len(earlier)} pairs are too many for 32-bit indices; raise min_count")
        return cls(np.append(0, np.cumsum(counts)), earlier)

    def expand(self, X: Any) -> csr_matrix:
        """Return the columns and their pairs, scaled for the kernel: CSR with sorted columns, of the same precision."""
        rows = _canonical(X)
        row_starts = rows.indptr.astype(np.int64)
        starts, columns, values = write_pairs(row_starts, rows.indices, rows.data, self.starts, self.earlier)
        return csr_matrix((values, columns, starts), shape=(rows.shape[0], rows.shape[1] + len(self.earlier)))


def _canonical(X: Any) -> csr_matrix:
    """Return rows without zeros, with sorted columns, each of them once in a row."""
    rows: csr_matrix = csr_matrix(X)
    if not rows.has_canonical_format or not rows.data.all():
        rows = rows.copy()
        rows.sum_duplicates()
        rows.eliminate_zeros()
    return rows


class PairsSVM(LinearClassifier):
    """Support vector machine with a polynomial kernel of degree 2: a max-margin linear learner over pairs.

    ``svm_`` is trained on the rows that ``expansion_`` expands.

    Parameters
    ----------
    min_count : int, default=5
        Minimum number of training rows in which a pair occurs.
    epochs : int, default=8
    C : float, default=0.02
    random_state : int, default=0
        As in `treevote.models.learning.learners.passive_aggressive.PassiveAggressive`.

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
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, *, progress: Report | None = None
    ) -> PairsSVM:
        """Find pairs and weights; parameters as for `PassiveAggressive.fit`."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float32)
        self.expansion_ = PairExpansion.of(X, self.min_count)
        self.svm_ = PassiveAggressive(epochs=self.epochs, C=self.C, random_state=self.random_state)
        self.svm_.fit(self.expansion_.expand(X), y, sample_weight, progress=progress)
        self.classes_ = self.svm_.classes_
        return self

    def _scores(self, X: Any) -> Any:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=self._dtype, reset=False)
        return self.svm_._scores(self.expansion_.expand(X))
