"""Adam (Kingma & Ba 2015), with a learning rate that falls to zero."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Floats, kernel

BETA1, BETA2, EPSILON = 0.9, 0.95, 1e-8
"""Shares of the running means that a step keeps, and what keeps a step finite."""


class Adam(NamedTuple):
    """Parameters, and the running means of their derivatives and of the squares of these; all of one shape."""

    parameters: Floats
    means: Floats
    squares: Floats

    @classmethod
    def of(cls, parameters: Floats) -> Adam:
        """Start with parameters, which every step changes."""
        return cls(parameters, np.zeros_like(parameters), np.zeros_like(parameters))

    def step(self, gradient: Floats, number: int, rate: float) -> None:
        """Make step ``number``, from 1, and set the gradient to zero."""
        correction = np.sqrt(1 - BETA2**number)
        step(*self, gradient, np.float32(rate * correction / (1 - BETA1**number)), np.float32(EPSILON * correction))


_KEPT1, _NEW1, _KEPT2, _NEW2 = map(np.float32, (BETA1, 1 - BETA1, BETA2, 1 - BETA2))


@kernel
def step(
    parameters: Floats, means: Floats, squares: Floats, gradient: Floats, rate: np.float32, epsilon: np.float32
) -> None:
    """Change the parameters by a step of Adam, section 2, in its more efficient order."""
    for i in range(len(parameters)):
        d = gradient[i]
        means[i] = _KEPT1 * means[i] + _NEW1 * d
        squares[i] = _KEPT2 * squares[i] + _NEW2 * d * d
        parameters[i] -= np.true_divide(rate * means[i], np.sqrt(squares[i]) + epsilon)
        gradient[i] = np.float32(0.0)
