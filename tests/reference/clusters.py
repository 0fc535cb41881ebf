"""Twins of the kernels of word clusters: the criteria as they are defined, computed anew for every change."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence

Pairs = Mapping[tuple[int, int], int]
"""How often the second word of a pair follows the first."""


def likelihood(pairs: Pairs, class_of: Sequence[int]) -> float:
    """Return the sum of N log N over pairs of classes, less those of classes as first and as second of a pair."""
    both: Counter[tuple[int, int]] = Counter()
    first: Counter[int] = Counter()
    second: Counter[int] = Counter()
    for (a, b), times in pairs.items():
        both[class_of[a], class_of[b]] += times
        first[class_of[a]] += times
        second[class_of[b]] += times
    return sum(n * math.log(n) for n in both.values()) - sum(
        n * math.log(n) for n in itertools.chain(first.values(), second.values())
    )


def exchanged(pairs: Pairs, class_of: Sequence[int], n_free: int, n_classes: int) -> tuple[list[int], bool]:
    """Return the classes after one pass, and whether some choice was a tie within rounding."""
    found, close = list(class_of), False
    for word in range(n_free):
        scores = [likelihood(pairs, [*found[:word], k, *found[word + 1 :]]) for k in range(n_classes)]
        best = max(scores)
        close |= sum(abs(score - best) < 1e-6 for score in scores) > 1
        found[word] = scores.index(best)
    return found, close


def information(counts: Sequence[Sequence[float]]) -> float:
    """Return the average mutual information of neighbouring classes, up to a factor and a constant."""
    first, second = [sum(row) for row in counts], [sum(column) for column in zip(*counts, strict=True)]
    return sum(n * math.log(n / (first[a] * second[b])) for a, row in enumerate(counts) for b, n in enumerate(row) if n)


def merged(counts: Sequence[Sequence[float]], a: int, b: int) -> list[list[float]]:
    """Return the counts with class ``b`` in class ``a``."""
    rows = [list(row) for row in counts]
    rows[a] = [x + y for x, y in zip(rows[a], rows[b], strict=True)]
    del rows[b]
    for row in rows:
        row[a] += row[b]
        del row[b]
    return rows


def losses(counts: Sequence[Sequence[float]], n_classes: int) -> dict[tuple[int, int], float]:
    """Return what the merger of each pair of classes loses."""
    whole = information(counts)
    return {(a, b): whole - information(merged(counts, a, b)) for a, b in itertools.combinations(range(n_classes), 2)}
