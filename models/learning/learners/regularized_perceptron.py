"""The regularized perceptron of SNoW, the learner of Chang, Do & Roth (2006, section 3.1).

Each class has a linear unit (one against all) with mistake-driven updates (Roth 1998; Dagan, Karov & Roth 1997). A
*thick separator* regularizes it: a unit has to separate the rows of its class from the others by a margin on either
side (the user's guide of Carlson, Cumby, Rosen & Roth 1999, "The SNoW learning architecture"). The confidence in a
class is the softmax of the activations of all units. SNoW has a constant step size. Here it falls linearly to 0, as in
`treevote.models.learning.learners.sgd_maxent`, so the weights need no averaging.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treevote.errors import ConfigError
from treevote.kernels import Floats, Longs, kernel
from treevote.models.learning.learners.linear import LogLinearClassifier, OnlineLinearClassifier, Rows, activate


class RegularizedPerceptron(LogLinearClassifier, OnlineLinearClassifier):
    """Perceptrons with a thick separator, one for each class.

    Parameters
    ----------
    epochs : int, default=8
        Passes over the rows.
    rate : float, default=0.01
        Initial step size.
    thickness : float, default=1.0
        Margin: rows of the class need an activation of at least this, others one below its negative. In four classes,
        activations of 1 and -1 are confidences of 0.71 and 0.10. Doubling thickness and rate gives the same
        predictions with more confidence.
    random_state : int, default=0
        Seed of the order of the rows.

    Examples
    --------
    >>> X = np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]])
    >>> learner = RegularizedPerceptron(epochs=50, rate=0.5).fit(X, ["shift", "shift", "left", "left"])
    >>> learner.predict(X).tolist(), bool(learner.predict_proba(X)[0, 1] > 0.8)
    (['shift', 'shift', 'left', 'left'], True)
    """

    def __init__(self, *, epochs: int = 8, rate: float = 0.01, thickness: float = 1.0, random_state: int = 0) -> None:
        self.epochs = epochs
        self.rate = rate
        self.thickness = thickness
        self.random_state = random_state

    def _train(self, epochs: Iterator[tuple[int, Longs]], rows: Rows, coefficients: Floats, bias: Floats) -> None:
        if not (0 < self.rate < np.inf and 0 <= self.thickness < np.inf):
            raise ConfigError(
                f"rate should be a positive number and thickness none below 0, found {self.rate} and {self.thickness}"
            )
        for epoch, order in epochs:
            rates = self.rate * (1 - (epoch + np.arange(len(order)) / len(order)) / self.epochs)
            promote(rows, order, rates.astype(np.float32), np.float32(self.thickness), coefficients, bias)


@kernel
def promote(rows: Rows, order: Longs, rates: Floats, thickness: np.float32, coefficients: Floats, bias: Floats) -> None:
    """Promote the unit of each row's class if its activation is too low; demote other units if theirs is too high."""
    n_classes = len(bias)
    steps = np.empty(n_classes, np.float32)
    for at in range(len(order)):
        i = order[at]
        first, last = rows.indptr[i], rows.indptr[i + 1]
        activate(rows, i, coefficients, bias, steps)
        step = rates[at] * rows.weights[i]
        right = True
        for k in range(n_classes):
            if k == rows.labels[i]:
                steps[k] = step if steps[k] < thickness else np.float32(0)
            else:
                steps[k] = -step if steps[k] >= -thickness else np.float32(0)
            right = right and steps[k] == 0
        if right:
            continue
        for k in range(n_classes):
            bias[k] += steps[k]
        for j in range(first, last):
            value, row = np.float32(rows.values[j]), coefficients[rows.indices[j]]
            for k in range(n_classes):
                row[k] += value * steps[k]
