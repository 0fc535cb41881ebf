"""Maximum entropy (multinomial logistic regression) by stochastic gradient descent: the fast learner of treevote.

One row at a time in a random order, with a rate that falls linearly to 0: at the end the weights stand
still, and no average of them has to be kept, which halves the memory. The early end and the small rate take
the part of a prior: the solution stays near 0 where the data say little, and
`treevote.models.features.weights.pack` drops what is nearly 0. The exact, sparse optimum with inequality
constraints is `treevote.models.learners.InequalityMaxEnt`.

A row is done with once the model gives its class a probability near 1: after the first pass most are.
"""

from __future__ import annotations

import numpy as np

from treevote.errors import ConfigError
from treevote.kernels import Floats, Ints, Longs, kernel
from treevote.models.learners.linear import Rows, SoftmaxLinearClassifier

_SURE = 0.9995  # a row whose class is as probable as this teaches nothing more
_LEAST = 1e-3  # nor do classes with a probability below this

_STEPS = 20  # the rate falls so many times in each epoch


class SGDMaxEnt(SoftmaxLinearClassifier):
    """Maximum entropy classifier trained by stochastic gradient descent.

    Parameters
    ----------
    epochs : int, default=8
        Passes over the rows.
    rate : float, default=0.02
        Learning rate at the start; it falls linearly to 0.
    random_state : int, default=0
        Seed of the order of the rows.

    Attributes
    ----------
    classes_ : ndarray, shape (n_classes,)
    coef_ : ndarray of float32, shape (n_classes, n_features)
        With two classes, too, a row for each.
    intercept_ : ndarray of float32, shape (n_classes,)
    n_features_in_ : int

    References
    ----------
    Berger, Della Pietra & Della Pietra (1996), "A maximum entropy approach to natural language processing".
    Bottou (2012), "Stochastic gradient descent tricks".

    Examples
    --------
    >>> X = np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]])
    >>> learner = SGDMaxEnt(epochs=50, rate=0.5).fit(X, ["shift", "shift", "reduce", "reduce"])
    >>> learner.predict(X).tolist()
    ['shift', 'shift', 'reduce', 'reduce']
    >>> bool(learner.predict_proba(X)[0, 1] > 0.9)
    True
    """

    def __init__(self, *, epochs: int = 8, rate: float = 0.02, random_state: int = 0) -> None:
        self.epochs = epochs
        self.rate = rate
        self.random_state = random_state

    def _check_steps(self) -> None:
        if not 0 < self.rate < np.inf:
            raise ConfigError(f"rate should be a positive number, found {self.rate}")

    def _learn(self, epoch: int, order: Longs, rows: Rows, coefficients: Floats, bias: Floats) -> None:
        for step, part in enumerate(np.array_split(order, _STEPS)):
            rate = self.rate * (1 - (epoch + step / _STEPS) / self.epochs)
            descend(*rows, part, np.float32(rate), coefficients, bias)


@kernel
def descend(
    indptr: Ints,
    indices: Ints,
    values: Floats,
    labels: Ints,
    row_weights: Floats,
    order: Longs,
    rate: np.float32,
    coefficients: Floats,
    bias: Floats,
) -> None:
    """Take a step of gradient descent for each row of ``order``.

    Parameters
    ----------
    indptr, indices, values
        CSR matrix of shape (n_rows, n_features).
    labels : ndarray of int32, shape (n_rows,)
        Index of the class of each row.
    row_weights : ndarray of float32, shape (n_rows,)
        How much each row counts.
    order : ndarray of int64
        Rows.
    rate : float32
    coefficients : ndarray of float32, shape (n_features, n_classes)
    bias : ndarray of float32, shape (n_classes,)
        Both are changed in place.
    """
    n_classes = len(bias)
    scores = np.empty(n_classes, np.float32)
    for i in order:
        first, last = indptr[i], indptr[i + 1]
        scores[:] = bias
        for j in range(first, last):
            value, row = values[j], coefficients[indices[j]]
            for k in range(n_classes):
                scores[k] += value * row[k]
        softmax(scores)
        gold = labels[i]
        if scores[gold] > _SURE:
            continue
        scores[gold] -= np.float32(1)
        step = -rate * row_weights[i]
        for k in range(n_classes):
            scores[k] = step * scores[k] if abs(scores[k]) > _LEAST else np.float32(0)
            bias[k] += scores[k]
        changed = np.flatnonzero(scores)
        if 4 * len(changed) < n_classes:
            for j in range(first, last):
                value, row = values[j], coefficients[indices[j]]
                for c in changed:
                    row[c] += value * scores[c]
        else:
            for j in range(first, last):
                value, row = values[j], coefficients[indices[j]]
                for k in range(n_classes):
                    row[k] += value * scores[k]


@kernel
def softmax(scores: Floats) -> None:
    """Turn scores into probabilities, in place."""
    largest = scores[0]
    for k in range(1, len(scores)):
        largest = max(largest, scores[k])
    total = np.float32(0)
    for k in range(len(scores)):
        scores[k] = np.exp(scores[k] - largest)
        total += scores[k]
    for k in range(len(scores)):
        scores[k] /= total
