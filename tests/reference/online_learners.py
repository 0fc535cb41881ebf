"""The online learners row by row, as their papers have them, in double precision."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from treevote.kernels import Doubles, Longs


def maxent(X: Doubles, y: Longs, weights: Doubles, epochs: int, rate: float, seed: int) -> tuple[Doubles, Doubles]:
    """Descend the gradient of the log-loss; return coefficients (n_classes, n_features) and intercepts.

    A row whose class is sure is passed over, and so are classes that are as good as impossible.
    """
    rng = np.random.default_rng(seed)
    n_classes = int(y.max()) + 1
    W, b = np.zeros((n_classes, X.shape[1])), np.zeros(n_classes)
    for epoch in range(epochs):
        order = rng.permutation(len(X))
        for step, part in enumerate(np.array_split(order, 20)):
            falling = rate * (1 - (epoch + step / 20) / epochs)
            for i in part:
                p = softmax(W @ X[i] + b)
                if p[y[i]] > 0.9995:
                    continue
                p[y[i]] -= 1
                p[np.abs(p) <= 1e-3] = 0
                W -= falling * weights[i] * np.outer(p, X[i])
                b -= falling * weights[i] * p
    return W, b


def passive_aggressive(
    X: Doubles, y: Longs, weights: Doubles, epochs: int, C: float, seed: int
) -> tuple[Doubles, Doubles]:
    """Give each row its margin by the smallest change, and average over what there is after each row."""
    rng = np.random.default_rng(seed)
    n_classes = int(y.max()) + 1
    W, b = np.zeros((n_classes, X.shape[1])), np.zeros(n_classes)
    sum_W, sum_b, moments = np.zeros_like(W), np.zeros_like(b), 0
    for _ in range(epochs):
        for i in rng.permutation(len(X)):
            scores = W @ X[i] + b
            rival = max((k for k in range(n_classes) if k != y[i]), key=lambda k: (scores[k], -k))
            loss = 1 - scores[y[i]] + scores[rival]
            if loss > 0:
                length = min(C * weights[i], loss / (2 * (X[i] @ X[i] + 1)))
                for k, sign in ((y[i], 1), (rival, -1)):
                    W[k] += sign * length * X[i]
                    b[k] += sign * length
            sum_W += W
            sum_b += b
            moments += 1
    return sum_W / moments, sum_b / moments
