"""The regularized perceptron row by row, in single precision as the kernel has it."""

from __future__ import annotations

import numpy as np

from treevote.kernels import Floats, Longs


def perceptron(
    X: Floats, y: Longs, weights: Floats, epochs: int, rate: float, thickness: float, seed: int
) -> tuple[Floats, Floats]:
    """Return coefficients (n_classes, n_features) and intercepts: one unit for each class, against all others."""
    rng = np.random.default_rng(seed)
    n_classes = int(y.max()) + 1
    W, b = np.zeros((n_classes, X.shape[1]), np.float32), np.zeros(n_classes, np.float32)
    for epoch in range(epochs):
        for step, i in enumerate(rng.permutation(len(X))):
            length = np.float32(rate * (1 - (epoch + step / len(X)) / epochs)) * weights[i]
            activations = b.copy()
            for f in range(X.shape[1]):  # in this order, as rounding may decide about a mistake
                activations += X[i, f] * W[:, f]
            for k in range(n_classes):
                if k == y[i] and activations[k] < np.float32(thickness):
                    W[k] += length * X[i]
                    b[k] += length
                if k != y[i] and activations[k] >= -np.float32(thickness):
                    W[k] -= length * X[i]
                    b[k] -= length
    return W, b
