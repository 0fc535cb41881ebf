"""Online learning of trees with plain dictionaries: weights after every sentence are added up, then divided."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

Features: TypeAlias = Counter[int]
Tree: TypeAlias = Sequence[int]


def learn(
    sentences: Iterable[tuple[Tree, Callable[[Tree], Features], Callable[[Mapping[int, float]], Tree]]],
    total: int,
    C: float | None,
) -> dict[int, float]:
    """Return the mean of the weights after each sentence.

    Parameters
    ----------
    sentences : iterable of (gold tree, features of a tree, parser)
        The parser takes weights; for MIRA it adds the cost of wrong heads itself.
    total : int
        How many there are.
    C : float, optional
        Maximum step size of MIRA; None for the perceptron.
    """
    weights: defaultdict[int, float] = defaultdict(float)
    summed: defaultdict[int, float] = defaultdict(float)
    for gold, features, parse in sentences:
        found = parse(weights)
        mistakes = sum(own != other for own, other in zip(gold[1:], found[1:], strict=True))
        if mistakes:
            change: Counter[int] = Counter(features(gold))
            change.subtract(features(found))
            step = 1.0
            if C is not None:
                margin = sum(weights[name] * by for name, by in change.items())
                square = sum(by * by for by in change.values())
                step = min(C, max(0.0, mistakes - margin) / square) if square else 0.0
            for name, by in change.items():
                weights[name] += step * by
        for name, weight in weights.items():
            summed[name] += weight
    return {name: weight / total for name, weight in summed.items()}


def regress(
    sentences: Iterable[tuple[Tree, Callable[[int, int], Features]]], rate: float, least: float, total: int
) -> dict[int, float]:
    """Return the mean of the weights of a logistic regression of heads after each sentence.

    Parameters
    ----------
    sentences : iterable of (gold tree, features of an arc from head to dependent)
        All words of a sentence see the weights before it.
    rate : float
        The step of the first sentence; it falls linearly, to a tenth at the end.
    least : float
        Magnitude of a gradient that counts.
    total : int
        How many sentences there are.
    """
    weights: defaultdict[int, float] = defaultdict(float)
    summed: defaultdict[int, float] = defaultdict(float)
    for number, (gold, features) in enumerate(sentences):
        step = rate * (1 - 0.9 * number / total)
        change: defaultdict[int, float] = defaultdict(float)
        for d in range(1, len(gold)):
            arcs = {h: features(h, d) for h in range(len(gold)) if h != d}
            odds = {h: math.exp(sum(weights[name] * by for name, by in arc.items())) for h, arc in arcs.items()}
            for h, arc in arcs.items():
                gradient = (h == gold[d]) - odds[h] / sum(odds.values())
                for name, by in arc.items() if abs(gradient) > least else ():
                    change[name] += step * gradient * by
        for name, by_step in change.items():
            weights[name] += by_step
        for name, weight in weights.items():
            summed[name] += weight
    return {name: weight / total for name, weight in summed.items()}
