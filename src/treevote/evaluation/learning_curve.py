"""A learning curve: scores of models that learned from more and more sentences, and what more of them are worth.

The error, 100 - LAS, is a power of the number of sentences, ``a * n ** -b``: a line in logarithms, fitted by least
squares. The range is that of Student's t with the deviations of the rounds from the line. Fewer than three rounds have
no deviations, so there is no forecast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

FEWEST = 3  # least number of rounds of different sizes for a forecast
MORE = 100  # number of sentences that the forecast adds
LEVEL = 0.95  # probability that the range of a forecast holds the gain, if the errors are a power of the size


class Round(NamedTuple):
    """A model of the curve: its name, the sentences and tokens that it learned from, and its LAS."""

    model: str
    sentences: int
    tokens: int
    las: float


class Forecast(NamedTuple):
    """The gain in LAS by ``MORE`` sentences after the largest round, and the range of the gain."""

    gain: float
    low: float
    high: float
    exponent: float  # b


def forecast(rounds: Sequence[Round]) -> Forecast | None:
    """Return what the next sentences are worth; None with fewer than three sizes, or without an error.

    >>> four = [Round("", n, 10 * n, 100 - 60 * n**-0.25) for n in (100, 200, 400, 800)]
    >>> found = forecast(four)
    >>> round(found.gain, 3), round(found.exponent, 3), round(found.high - found.low, 3)
    (0.327, 0.25, 0.0)
    >>> forecast(four[:2])
    """
    from scipy.special import stdtrit  # slow to import

    sizes = np.array([one.sentences for one in rounds], np.float64)
    errors = 100 - np.array([one.las for one in rounds])
    if len(np.unique(sizes)) < FEWEST or (errors <= 0).any():
        return None
    design = np.column_stack([np.ones_like(sizes), -np.log(sizes)])
    spread = np.linalg.inv(design.T @ design)
    (level, exponent) = line = spread @ design.T @ np.log(errors)
    deviations = np.log(errors) - design @ line
    freedom = len(rounds) - 2
    ends = sizes.max(), sizes.max() + MORE
    expected = [math.exp(level - exponent * math.log(size)) for size in ends]
    gain = expected[0] - expected[1]
    slope = np.array([gain, expected[1] * math.log(ends[1]) - expected[0] * math.log(ends[0])])
    variance = float(deviations @ deviations) / freedom * float(slope @ spread @ slope)
    width = float(stdtrit(freedom, (1 + LEVEL) / 2)) * math.sqrt(max(variance, 0.0))
    now = min(expected[0], 100.0)
    low, gain, high = np.clip([gain - width, gain, gain + width], now - 100, now).tolist()  # LAS is from 0 to 100
    return Forecast(gain, low, high, float(exponent))
