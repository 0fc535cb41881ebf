"""Structured training with dictionaries: beams as sorted lists, weights as numbers for (feature, action)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from tests.reference import arc_standard as twin
from tests.reference import features as plain
from tests.reference import search
from treevote.corpus.sentence import Word

LEAST = 1e-3
"""Smaller slopes are 0."""


class Example(NamedTuple):
    """A sentence with its gold tree, labels as numbers; position 0 is ROOT."""

    words: Sequence[Word]
    heads: list[int]
    labels: list[int]


class LogLinear:
    """A log-linear model of actions; a feature without initial weights never gets any."""

    def __init__(
        self,
        actions: Sequence[twin.Action],
        single_root: bool,
        templates: Iterable[str],
        known: plain.Known,
        rows: dict[plain.Feature, list[float]],
        bias: list[float],
    ) -> None:
        self.actions, self.single_root = actions, single_root
        self.templates, self.known = tuple(templates), known
        self.features, self.bias = set(rows), list(bias)
        self.weights = defaultdict(float)
        for feature, row in rows.items():
            for action, weight in enumerate(row):
                self.weights[feature, action] = weight

    def features_of(self, words: Sequence[Word], here: twin.Configuration) -> dict[plain.Feature, int]:
        found = plain.features(here, words, self.templates, self.known)
        return {feature: times for feature, times in found.items() if feature in self.features}

    def legal(self, here: twin.Configuration) -> list[int]:
        return twin.legal(here, self.actions, self.single_root)

    def advance(self, here: twin.Configuration, action: int) -> twin.Configuration:
        return twin.advance(here, action, self.actions)

    def logs(self, words: Sequence[Word], here: twin.Configuration) -> dict[int, float]:
        """Return the log-probability of each legal action, as 32-bit numbers."""
        among, found = self.legal(here), self.features_of(words, here)
        scores = {
            action: float(
                np.float32(
                    self.bias[action] + sum(times * self.weights[feature, action] for feature, times in found.items())
                )
            )
            for action in among
        }
        best = max(scores.values())
        total = 0.0
        for score in scores.values():
            total += math.exp(score - best)
        shift = np.float32(best + math.log(total))
        return {action: float(np.float32(score) - shift) for action, score in scores.items()}

    def cost(self, example: Example, here: twin.Configuration, action: int) -> float:
        """Return 1 for an arc with a wrong head, 1/2 for one with a wrong label alone."""
        kind, label = self.actions[action].kind, self.actions[action].label
        if kind == "shift":
            return 0.0
        *_, lower, upper = here.stack
        head, dependent = (lower, upper) if kind == "reduce-left" else (upper, lower)
        if example.heads[dependent.token] != head.token:
            return 1.0
        return 0.5 if example.labels[dependent.token] != label else 0.0

    def gold(self, example: Example) -> list[int]:
        """Return the actions of the oracle."""
        here, taken = twin.initial(len(example.words) - 1), []
        while not twin.is_final(here):
            kind = twin.oracle(here, example.heads)
            label = -1 if kind == "shift" else example.labels[here.stack[-1 if kind == "reduce-left" else -2].token]
            taken.append(
                next(k for k, action in enumerate(self.actions) if (action.kind, action.label) == (kind, label))
            )
            here = self.advance(here, taken[-1])
        return taken

    def violation(self, example: Example, width: int, cost: float) -> tuple[float, list[int], list[list[int]]]:
        """Return by how much a derivation is ahead of the gold one at most, and its actions; 0 and none if never.

        The last value has the actions of each derivation in the last beam.
        """
        start = twin.initial(len(example.words) - 1)
        beam, gold_total, gold_here = [(0.0, start)], 0.0, start
        most = 0.0
        found: tuple[int, ...] = ()
        for action in self.gold(example):
            candidates = []
            for total, here in beam:
                logs = self.logs(example.words, here)
                for other, log in logs.items():
                    extra = cost * self.cost(example, here, other) if len(logs) > 1 else 0.0
                    candidates.append((total + (log + extra), self.advance(here, other)))
            best = sorted(candidates, key=lambda candidate: -candidate[0])[:width]
            beam = search.best_of_each(best, twin.outline)
            gold_total += self.logs(example.words, gold_here)[action]
            gold_here = self.advance(gold_here, action)
            total, here = beam[0]
            if here.history != gold_here.history and total - gold_total > most:
                most, found = total - gold_total, here.history
        return most, list(found), [list(here.history) for _, here in beam]

    def climb(self, words: Sequence[Word], actions: Sequence[int], first: int, rate: float) -> None:
        """Move the weights up the gradient of the log-probability of each action from number ``first`` on."""
        here = twin.initial(len(words) - 1)
        for step, action in enumerate(actions):
            logs = self.logs(words, here)
            if step >= first and len(logs) > 1:
                for other, log in logs.items():
                    slope = (other == action) - math.exp(log)
                    if abs(slope) > LEAST:
                        self.bias[other] += rate * slope
                        for feature, times in self.features_of(words, here).items():
                            self.weights[feature, other] += times * rate * slope
            here = self.advance(here, action)

    def learn(self, examples: Iterable[Example], width: int, rate: float, cost: float) -> int:
        """Learn from examples in turn, and return the number of updates."""
        updates = 0
        for example in examples:
            _, wrong, _ = self.violation(example, width, cost)
            if wrong:
                gold = self.gold(example)[: len(wrong)]
                first = next(step for step in range(len(wrong)) if gold[step] != wrong[step])
                self.climb(example.words, gold, first, rate)
                self.climb(example.words, wrong, first, -rate)
                updates += 1
        return updates
