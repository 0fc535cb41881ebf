"""Maximum entropy (multinomial logistic regression) by stochastic gradient descent: the fast learner of treevote.

The rows come one at a time in random order; those whose class has a probability near 1 are skipped, after the first
epoch most of them. The learning rate falls linearly to 0, so the weights need no averaging, which halves the memory.
Early stopping and the small rate act as a prior: weights with little evidence stay near 0, and are pruned.

Sources: Berger, Della Pietra & Della Pietra (1996), "A maximum entropy approach to natural language processing";
Bottou (2012), "Stochastic gradient descent tricks".
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treevote.errors import ConfigError
from treevote.kernels import Floats, Longs, kernel
from treevote.models.learning.learners.linear import LogLinearClassifier, OnlineLinearClassifier, Rows, activate
from treevote.models.learning.network.activations import softmax

_SURE = 0.9995  # rows whose class has a higher probability are skipped
_LEAST = 1e-3  # smaller gradients are treated as 0

_STEPS = 20  # steps of the learning rate in each epoch


class SGDMaxEnt(LogLinearClassifier, OnlineLinearClassifier):
    """Maximum entropy classifier trained by stochastic gradient descent.

    Parameters
    ----------
    epochs : int, default=8
        Passes over the rows.
    rate : float, default=0.02
        Learning rate at the start; it falls linearly to 0.
    random_state : int, default=0
        Seed of the order of the rows.

    Examples
    --------
    >>> X = np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]])
    >>> learner = SGDMaxEnt(epochs=50, rate=0.5).fit(X, ["shift", "shift", "reduce", "reduce"])
    >>> learner.predict(X).tolist(), bool(learner.predict_proba(X)[0, 1] > 0.9)
    (['shift', 'shift', 'reduce', 'reduce'], True)
    """

    def __init__(self, *, epochs: int = 8, rate: float = 0.02, random_state: int = 0) -> None:
        self.epochs = epochs
        self.rate = rate
        self.random_state = random_state

    def _train(self, epochs: Iterator[tuple[int, Longs]], rows: Rows, coefficients: Floats, bias: Floats) -> None:
        if not 0 < self.rate < np.inf:
            raise ConfigError(f"rate should be a positive number, found {self.rate}")
        for epoch, order in epochs:
            for step, part in enumerate(np.array_split(order, _STEPS)):
                rate = self.rate * (1 - (epoch + step / _STEPS) / self.epochs)
                descend(rows, part, np.float32(rate), coefficients, bias)


@kernel
def descend(rows: Rows, order: Longs, rate: np.float32, coefficients: Floats, bias: Floats) -> None:
    """Take a step of gradient descent for each row of ``order``.

    ``coefficients``, shape (n_features, n_classes), and ``bias`` are updated in place.
    """
    n_classes = len(bias)
    scores, changed = np.empty(n_classes, np.float32), np.empty(n_classes, np.int64)
    for at in range(len(order)):
        i = order[at]
        first, last = rows.indptr[i], rows.indptr[i + 1]
        activate(rows, i, coefficients, bias, scores)
        softmax(scores)
        gold = rows.labels[i]
        if scores[gold] > _SURE:
            continue
        scores[gold] -= np.float32(1)
        step = -rate * rows.weights[i]
        for k in range(n_classes):
            scores[k] = step * scores[k] if abs(scores[k]) > _LEAST else np.float32(0)
            bias[k] += scores[k]
        n_changed = 0
        for k in range(n_classes):
            if scores[k] != 0:
                changed[n_changed] = k
                n_changed += 1
        if 4 * n_changed < n_classes:
            for j in range(first, last):
                value, row = np.float32(rows.values[j]), coefficients[rows.indices[j]]
                for c in changed[:n_changed]:
                    row[c] += value * scores[c]
        else:
            for j in range(first, last):
                value, row = np.float32(rows.values[j]), coefficients[rows.indices[j]]
                for k in range(n_classes):
                    row[k] += value * scores[k]
