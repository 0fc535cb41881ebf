"""The Greedy Prepend Algorithm as it is defined: every candidate is put on top of the list and counted anew."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Rule(NamedTuple):
    pattern: tuple[int, ...]
    label: int
    gain: int


def learn(
    X: NDArray[Any],
    y: NDArray[Any],
    weights: NDArray[Any],
    min_gain: int = 1,
    max_rules: int = 1_000,
    max_length: int = 8,
    free_length: int = 2,
) -> list[Rule]:
    """Return the rules from the top; classes are numbers from 0."""
    X = np.asarray(X) > 0
    n_features, n_classes = X.shape[1], int(max(y)) + 1
    totals = [int(weights[y == label].sum()) for label in range(n_classes)]
    default = totals.index(max(totals))
    learnt = [Rule((), default, totals[default])]
    said = np.full(len(y), default)
    singles = [(feature,) for feature in range(n_features)] if min(free_length, max_length) > 1 else []
    while len(learnt) < max_rules:
        best, best_said = Rule((), 0, min_gain - 1), said
        for parent in [(), *singles, *(rule.pattern for rule in learnt[1:])]:
            if len(parent) == max_length:
                continue
            for feature in range(n_features):
                if feature in parent:
                    continue
                pattern = tuple(sorted((*parent, feature)))
                for label in range(n_classes):
                    now = np.where(X[:, pattern].all(axis=1), label, said)
                    gain = int(weights[now == y].sum() - weights[said == y].sum())
                    if gain > best.gain:
                        best, best_said = Rule(pattern, label, gain), now
        if best.gain < min_gain:
            break
        learnt.append(best)
        said = best_said
    return learnt[::-1]


def decide(rules: list[Rule], row: NDArray[Any]) -> int:
    """Return the number of the first rule that matches a row."""
    return next(number for number, rule in enumerate(rules) if all(row[feature] > 0 for feature in rule.pattern))
