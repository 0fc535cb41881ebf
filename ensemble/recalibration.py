"""Recalibration of probabilities for other data than those they were fitted to (Platt 1999).

"Probabilistic outputs for support vector machines and comparisons to regularized likelihood methods". On text of
another domain parsers are wrong more often than their confidence says: 0.9 means 0.8, say. A line over the log-odds
mends that: two numbers, so a few dozen labelled sentences are enough.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Doubles

PRECISION = 1.0
"""Precision of the normal prior of slope and intercept around 1 and 0, which leave everything as it is."""

DIGITS = 6
"""Decimals of slope and intercept."""


class Line(NamedTuple):
    """Slope and intercept of new log-odds over old ones."""

    slope: float
    intercept: float

    @staticmethod
    def fit(log_odds: Doubles, right: Bools) -> Line:
        """Fit to old log-odds of cases, and whether each is right; shape (n,) both.

        The slope is not negative: what was more probable stays so.

        Examples
        --------
        >>> log_odds = np.repeat([0.0, 2.0], 500)
        >>> right = np.arange(1000) % 2 == 0  # half of them, however sure
        >>> line = Line.fit(log_odds, right)
        >>> abs(line.slope) < 0.01, abs(line.intercept) < 0.01
        (True, True)
        >>> Line.fit(np.zeros(0), np.zeros(0, np.bool_))
        Line(slope=1.0, intercept=0.0)
        """
        both = np.stack([log_odds, np.ones(len(log_odds))], axis=1)
        slope, intercept = _most_probable(both, right, np.array([1.0, 0.0]))
        if slope < 0:
            slope, intercept = 0.0, _most_probable(both[:, 1:], right, np.zeros(1))[0]
        return Line(round(slope, DIGITS), round(intercept, DIGITS))


def _most_probable(X: Doubles, right: Bools, prior: Doubles) -> list[float]:
    """Return the most probable weights by Newton's method, with the mean of their prior."""
    weights = prior.copy()
    for _ in range(100):
        probability = 1 / (1 + np.exp(-np.clip(X @ weights, -30, 30)))
        gradient = X.T @ (probability - right) + PRECISION * (weights - prior)
        curvature = (X.T * (probability * (1 - probability))) @ X + PRECISION * np.eye(len(prior))
        step = np.linalg.solve(curvature, gradient)
        weights -= step / max(1.0, float(np.abs(step).max()))  # far away whole steps may oscillate
        if np.abs(step).max() < 10**-DIGITS / 2:
            break
    return [float(weight) for weight in weights]
