"""Search with sorted lists: greedy, beam and best-first over any transition system."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, NamedTuple, TypeVar

C = TypeVar("C")


class System(NamedTuple, Generic[C]):
    """A transition system for search: legal actions, their scores, the next configurations.

    Of the configurations with one ``outline``, a beam keeps the best.
    """

    start: C
    steps: int
    legal: Callable[[C], list[int]]
    advance: Callable[[C, int], C]
    is_final: Callable[[C], bool]
    scores: Callable[[C], Sequence[int]]
    outline: Callable[[C], Hashable]


def best(scores: Sequence[int], among: list[int]) -> int:
    return max(among, key=lambda action: (scores[action], -action))


def log_probabilities(scores: Sequence[int], among: list[int], scale: float) -> dict[int, float]:
    most = max(scores[action] for action in among)
    logs = {action: (scores[action] - most) * scale for action in among}
    total = 0.0
    for log in logs.values():
        if log > -30:
            total += math.exp(log)
    return {action: log - math.log(total) for action, log in logs.items()}


def greedy(system: System[C], start: C | None = None) -> C:
    here = system.start if start is None else start
    while not system.is_final(here):
        here = system.advance(here, best(system.scores(here), system.legal(here)))
    return here


def beam(
    system: System[C], width: int, scale: float, margin: float, allowed: Callable[[C], list[int]] | None = None
) -> C:
    """Keep the ``width`` most probable derivations after each step; ties go to the first found.

    Of several legal actions those ``allowed`` are taken; their probabilities are those among the legal ones.
    """
    kept = [(0.0, system.start)]
    for _ in range(system.steps):
        candidates = []
        for total, here in kept:
            if total < kept[0][0] - margin:
                break
            among = system.legal(here)
            logs = {among[0]: 0.0}
            if len(among) > 1:
                logs = log_probabilities(system.scores(here), among, scale)
                among = allowed(here) if allowed else among
            candidates += [(total + logs[action], system.advance(here, action)) for action in among]
        candidates.sort(key=lambda candidate: -candidate[0])
        kept = best_of_each(candidates[:width], system.outline)
    return kept[0][1]


def best_of_each(candidates: Sequence[tuple[float, C]], outline: Callable[[C], Hashable]) -> list[tuple[float, C]]:
    """Return candidates, the best first, without those whose outline a better one has."""
    found: dict[Hashable, tuple[float, C]] = {}
    for candidate in candidates:
        found.setdefault(outline(candidate[1]), candidate)
    return list(found.values())


def best_first(system: System[C], width: int, scale: float, pops: int) -> tuple[C, bool]:
    """Follow the most probable configuration; return the final one, and whether it came from falling back."""
    heap: list[tuple[float, int, C, int]] = [(0.0, 0, system.start, 0)]
    entries, farthest, most_steps = 1, system.start, 0
    for _ in range(pops * system.steps + 1):
        cost, _, here, steps = heapq.heappop(heap)
        if steps > most_steps:
            farthest, most_steps = here, steps
        if system.is_final(here):
            return here, False
        among, scores = system.legal(here), system.scores(here)
        logs = log_probabilities(scores, among, scale)
        for _ in range(min(width, len(among))):
            action = best(scores, among)
            among = [other for other in among if other != action]
            heapq.heappush(heap, (cost - logs[action], entries, system.advance(here, action), steps + 1))
            entries += 1
    return greedy(system, farthest), True
