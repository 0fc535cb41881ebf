"""The slow twins of the kernels of the biaffine parser: one sum, one letter, one step at a time."""

from __future__ import annotations

import math

import numpy as np

from treevote.kernels import Doubles, Floats


def product(a: Floats, b: Floats, c: Floats) -> Floats:
    """Add a product to ``c`` term by term, with a rounding after each operation."""
    c = c.copy()
    for i in range(len(a)):
        for j in range(b.shape[1]):
            for k in range(len(b)):
                c[i, j] = c[i, j] + a[i, k] * b[k, j]
    return c


def logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def lstm(x: list[Doubles], recurrent: Doubles, mask: Doubles) -> list[Doubles]:
    """Return the outputs for one sentence, given W x + b of each word in the order of reading."""
    n = len(recurrent)
    h, c, outputs = np.zeros(n), np.zeros(n), []
    for own in x:
        z = own + (h * mask) @ recurrent
        i, f, o = (np.vectorize(logistic)(z[k * n : (k + 1) * n]) for k in range(3))
        c = f * c + i * np.tanh(z[3 * n :])
        h = o * np.tanh(c)
        outputs.append(h)
    return outputs


def convolution(tables: Floats, bias: Floats, letters: list[int]) -> list[float]:
    """Return the value of each filter for one word: the maximum over its places of the sum of three terms."""
    values = []
    for j in range(len(bias)):
        sums = []
        for place in range(len(letters)):
            around = [(k, place + k - 1) for k in range(3) if 0 <= place + k - 1 < len(letters)]
            sums.append(bias[j] + sum(tables[k, letters[at], j] for k, at in around))
        values.append(math.tanh(max(sums)) if sums else 0.0)
    return values
