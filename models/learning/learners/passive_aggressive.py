"""The averaged multi-class passive-aggressive learner: a support vector machine trained online.

It minimises the multi-class hinge loss of Crammer & Singer (2001), one row at a time: each step is the smallest change
of the weights that gives the row its margin (Crammer, Dekel, Keshet, Shalev-Shwartz & Singer 2006, variant PA-I), and
the result is the average of the weights over all steps. On the rows of a parser it is as accurate as a batch linear SVM
and far faster.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treevote.errors import ConfigError
from treevote.kernels import Doubles, Floats, Longs, kernel
from treevote.models.learning.learners.linear import OnlineLinearClassifier, Rows, activate


class PassiveAggressive(OnlineLinearClassifier):
    """Averaged multi-class passive-aggressive classifier (PA-I).

    Parameters
    ----------
    epochs : int, default=8
        Passes over the rows.
    C : float, default=0.02
        Maximum step size (aggressiveness).
    random_state : int, default=0
        Seed of the order of the rows.

    Examples
    --------
    >>> X = np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]])
    >>> PassiveAggressive().fit(X, ["shift", "shift", "reduce", "reduce"]).predict(X).tolist()
    ['shift', 'shift', 'reduce', 'reduce']
    """

    def __init__(self, *, epochs: int = 8, C: float = 0.02, random_state: int = 0) -> None:
        self.epochs = epochs
        self.C = C
        self.random_state = random_state

    def _train(self, epochs: Iterator[tuple[int, Longs]], rows: Rows, coefficients: Floats, bias: Floats) -> None:
        if not self.C > 0:
            raise ConfigError(f"C should be a positive number, found {self.C}")
        sums, bias_sums, time = np.zeros_like(coefficients), np.zeros(len(bias)), 0
        for _, order in epochs:
            time = correct(rows, order, np.float32(self.C), coefficients, bias, sums, bias_sums, time)
        sums /= np.float32(-max(time, 1))
        coefficients += sums
        bias -= (bias_sums / max(time, 1)).astype(np.float32)


@kernel
def correct(
    rows: Rows,
    order: Longs,
    C: np.float32,
    coefficients: Floats,
    bias: Floats,
    sums: Floats,
    bias_sums: Doubles,
    time: int,
) -> int:
    """Take a PA-I step for each row of ``order``; return the number of rows so far.

    Parameters are those of `learners.sgd_maxent.descend`. ``sums`` and ``bias_sums`` accumulate each
    change times the number of rows before it: the averaged weights are ``coefficients - sums / time`` (Daumé 2006,
    section 3.5.3).
    """
    n_classes = len(bias)
    scores = np.empty(n_classes, np.float32)
    for at in range(len(order)):
        i = order[at]
        first, last = rows.indptr[i], rows.indptr[i + 1]
        activate(rows, i, coefficients, bias, scores)
        gold = rows.labels[i]
        rival = -1
        for k in range(n_classes):
            if k != gold and (rival < 0 or scores[k] > scores[rival]):
                rival = k
        loss = np.float32(1) - scores[gold] + scores[rival]
        if loss > 0:
            square = np.float32(1)
            for j in range(first, last):
                square += np.float32(rows.values[j]) * np.float32(rows.values[j])
            step = min(C * rows.weights[i], loss / (np.float32(2) * square))
            late = np.float32(time) * step
            bias[gold] += step
            bias[rival] -= step
            bias_sums[gold] += late
            bias_sums[rival] -= late
            for j in range(first, last):
                f, value = rows.indices[j], np.float32(rows.values[j])
                coefficients[f, gold] += value * step
                coefficients[f, rival] -= value * step
                sums[f, gold] += value * late
                sums[f, rival] -= value * late
        time += 1
    return time
