"""One difference between two sets of counts over the same sentences: points, interval and p-value."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from treevote.evaluation.intervals import percentiles
from treevote.evaluation.significance import bootstrap_p, bootstrap_sums, randomization_p, rates
from treevote.evaluation.verdict import LEVEL, Probability, bounded
from treevote.kernels import Longs

SAMPLES, PERMUTATIONS = 1_000, 10_000  # number of bootstrap samples, and of permutations of the randomization test


def enough(least: int, n_systems: int) -> int:
    """Return the number of samples for the pairs of systems: Holm's correction leaves the least p below half of LEVEL.

    >>> enough(1_000, 2), enough(1_000, 20)
    (1000, 7600)
    """
    return max(least, round(2 / LEVEL) * math.comb(n_systems, 2))


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Rates of two systems in percent, the second minus the first in points with its 95 % interval, and p.

    p is the larger one of the paired bootstrap and the randomization test. Rates of nothing are None.
    """

    before: float | None
    after: float | None
    points: float | None
    low: float | None
    high: float | None
    p: Probability


def paired(first: Longs, second: Longs, *, seed: int = 0) -> PairedDifference:
    """Compare two systems by right items and all items of each sentence, shape (n_sentences, 2) each.

    >>> never, always = np.array([[0, 1]] * 20), np.array([[1, 1]] * 20)
    >>> found = paired(never, always)
    >>> found.points, found.low, str(found.p)
    (100.0, 100.0, 'p ≤ 0.0010')
    """
    if not len(first):
        return PairedDifference(None, None, None, None, None, Probability(1.0))
    table = np.concatenate([first, second], axis=1)
    observed = rates(table.sum(axis=0).reshape(2, 2))
    drawn = rates(bootstrap_sums(table, SAMPLES, seed).reshape(SAMPLES, 2, 2))
    points = float(observed[1] - observed[0])
    bootstrap = bootstrap_p(points, drawn[:, 1] - drawn[:, 0])
    randomization = float(randomization_p(first[:, None], second[:, None], PERMUTATIONS, seed)[0])
    both = bounded(bootstrap, bootstrap, SAMPLES), bounded(randomization, randomization, PERMUTATIONS)
    p = max(both, key=lambda value: (value.p, not value.bound))
    if np.isnan(points):
        return PairedDifference(None, None, None, None, None, p)
    low, high = percentiles(drawn[:, 1] - drawn[:, 0])
    return PairedDifference(float(observed[0]), float(observed[1]), points, low, high, p)
