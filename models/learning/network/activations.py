"""Activation functions: tanh and the logistic function for recurrent units, a leaky rectifier, softmax."""

from __future__ import annotations

import numpy as np

from treevote.kernels import Floats, leaf

SLOPE = np.float32(0.1)  # slope of the leaky rectifier below 0 (Dozat & Manning 2017)

_A0, _A1, _A2, _A3, _A4 = map(np.float32, (34459425.0, 4729725.0, 135135.0, 990.0, 1.0))
_B0, _B1, _B2, _B3, _B4 = map(np.float32, (34459425.0, 16216200.0, 945945.0, 13860.0, 45.0))
_END = np.float32(6.297)  # there the quotient is 1
_HALF, _ONE = np.float32(0.5), np.float32(1.0)


@leaf
def tanh(x: np.float32) -> np.float32:
    """Return the hyperbolic tangent by nine levels of the continued fraction of Lambert (1768), to five decimals.

    It is made of additions, multiplications and a division, so all machines agree on it, and loops over it are fast.
    """
    y = min(max(x, -_END), _END)
    square = y * y
    above = y * (_A0 + square * (_A1 + square * (_A2 + square * (_A3 + square * _A4))))
    below = _B0 + square * (_B1 + square * (_B2 + square * (_B3 + square * _B4)))
    return min(max(np.true_divide(above, below), -_ONE), _ONE)


@leaf
def logistic(x: np.float32) -> np.float32:
    """Return 1 / (1 + exp(-x))."""
    return _HALF + _HALF * tanh(_HALF * x)


def rectify(x: Floats) -> Floats:
    """Return the leaky rectifier of each number; its slope is `slope_of` the result."""
    return np.where(x > 0, x, SLOPE * x)


def slope_of(y: Floats) -> Floats:
    """Return the derivative of `rectify` by its result."""
    return np.where(y > 0, _ONE, SLOPE)


@leaf
def softmax(scores: Floats) -> None:
    """Turn scores into probabilities, in place."""
    largest = scores[0]
    for k in range(1, len(scores)):
        if scores[k] > largest:
            largest = scores[k]
    total = np.float32(0)
    for k in range(len(scores)):
        scores[k] = np.exp(scores[k] - largest)
        total += scores[k]
    for k in range(len(scores)):
        scores[k] /= total
