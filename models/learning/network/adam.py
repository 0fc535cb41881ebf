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


BLOCK = 16
"""Parameters that are changed together."""

_KEPT1, _NEW1, _KEPT2, _NEW2 = map(np.float32, (BETA1, 1 - BETA1, BETA2, 1 - BETA2))
_ZERO = np.float32(0.0)


@kernel
def step(
    parameters: Floats, means: Floats, squares: Floats, gradient: Floats, rate: np.float32, epsilon: np.float32
) -> None:
    """Change the parameters by a step of Adam, section 2, in its more efficient order.

    Blocks whose derivatives are all zero stay as they are, their means included: most vectors of words have none in a
    batch, and would take most of the time.
    """
    for begin in range(0, len(parameters), BLOCK):
        d = gradient[begin : begin + BLOCK]
        place = 0
        while place < len(d) and d[place] == _ZERO:
            place += 1
        if place == len(d):
            continue
        p, m, v = parameters[begin : begin + BLOCK], means[begin : begin + BLOCK], squares[begin : begin + BLOCK]
        for i in range(len(d)):
            m[i] = _KEPT1 * m[i] + _NEW1 * d[i]
            v[i] = _KEPT2 * v[i] + _NEW2 * d[i] * d[i]
            p[i] -= np.true_divide(rate * m[i], np.sqrt(v[i]) + epsilon)
            d[i] = _ZERO
