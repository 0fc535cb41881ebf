"""The vote by its definition: brute force over all trees."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import cache


def is_tree(heads: Sequence[int]) -> bool:
    """Tell whether all tokens lead to ROOT; ``heads[d - 1]`` is the head of token ``d``."""
    for token in range(1, len(heads) + 1):
        for _ in heads:
            token = heads[token - 1] if token else 0
        if token:
            return False
    return True


@cache
def all_trees(n: int) -> list[tuple[int, ...]]:
    """Return all trees over ``n`` tokens; there are ``(n + 1) ** (n - 1)`` (Cayley)."""
    return [heads for heads in itertools.product(range(n + 1), repeat=n) if is_tree(heads)]


def admissible_trees(arcs: Mapping[tuple[int, int], object], n: int, single_root: bool) -> Iterator[tuple[int, ...]]:
    """Yield the trees over the arcs (head, dependent); if none, those with arcs from ROOT or the one root."""
    wanted = [heads for heads in all_trees(n) if not single_root or heads.count(0) == 1]
    voted = [heads for heads in wanted if all(arc in arcs for arc in zip(heads, range(1, n + 1), strict=True))]
    if voted:
        yield from voted
        return
    for heads in wanted:
        hubs = {0, heads.index(0) + 1} if single_root else {0}
        if all((head, d) in arcs or head in hubs for d, head in enumerate(heads, start=1)):
            yield heads


def best_tree(scores: Mapping[tuple[int, int], int], n: int, single_root: bool) -> tuple[int, ...]:
    """Return the tree with the largest sum of scores, in a tie the smallest sequence of heads."""

    def key(heads: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        return -sum(scores.get((head, d), 0) for d, head in enumerate(heads, start=1)), heads

    return min(admissible_trees(scores, n, single_root), key=key)


def vote(
    heads: Sequence[Sequence[int]], labels: Sequence[Sequence[str]], weights: Sequence[int], single_root: bool
) -> tuple[list[int], list[str | None], list[float], list[float]]:
    """Return heads, labels (None without a vote), support and label support of one sentence, without ROOT."""
    n, systems = len(heads[0]), range(len(heads))
    if all(head < 0 for row in heads for head in row):
        return [-1] * n, [None] * n, [0.0] * n, [0.0] * n

    def voters(head: int, d: int) -> list[int]:
        return [i for i in systems if heads[i][d - 1] == head]

    def weight_of(head: int, d: int) -> int:
        return sum(weights[i] for i in voters(head, d))

    def label_of(head: int, d: int) -> tuple[int, int]:
        """Return the weight of the heaviest label, and the first system that has it."""
        weight: dict[str, int] = {}
        for i in voters(head, d):
            own = 0 if labels[i][d - 1] == "_" else weights[i]  # which is no label
            weight[labels[i][d - 1]] = weight.get(labels[i][d - 1], 0) + own
        most = max(weight.values())
        return most, next(i for i in voters(head, d) if weight[labels[i][d - 1]] == most)

    arcs = {(heads[i][d - 1], d): i for i in systems for d in range(1, n + 1) if heads[i][d - 1] >= 0}

    def key(tree: tuple[int, ...]) -> tuple[int, int, int, tuple[int, ...]]:
        voted = [(head, d) for d, head in enumerate(tree, start=1) if (head, d) in arcs]
        # an arc without a vote comes after those of all systems
        places = sum(label_of(*arc)[1] for arc in voted) + len(heads) * (n - len(voted))
        return (
            -sum(weight_of(*arc) for arc in voted),
            -sum(label_of(*arc)[0] for arc in voted),
            places,
            tree,
        )

    tree = min(admissible_trees(arcs, n, single_root), key=key)
    chosen: list[str | None] = []
    support, label_support = [], []
    for d, head in enumerate(tree, start=1):
        if (head, d) not in arcs:
            chosen.append(None)
            support.append(0.0)
            label_support.append(0.0)
            continue
        most, first = label_of(head, d)
        everyone = sum(weights[i] for i in systems if heads[i][d - 1] >= 0)
        chosen.append(labels[first][d - 1])
        support.append(weight_of(head, d) / everyone)
        label_support.append(most / weight_of(head, d))
    return list(tree), chosen, support, label_support
