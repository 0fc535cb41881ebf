"""Decoders by their definition: brute force over all trees."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from tests.reference.trees import is_tree, non_projective_arcs
from treevote.kernels import Floats

Heads = tuple[int, ...]


@cache
def all_trees(n: int, single_root: bool) -> list[Heads]:
    """Return all trees over ``n`` tokens, with the head of ROOT, -1, in front."""
    if single_root:
        return [tree for tree in all_trees(n, False) if tree.count(0) == 1]
    return [(-1, *heads) for heads in itertools.product(range(n + 1), repeat=n) if is_tree((-1, *heads))]


@cache
def projective_trees(n: int, single_root: bool) -> list[Heads]:
    return [tree for tree in all_trees(n, single_root) if not any(non_projective_arcs(tree))]


def first_order_values(scores: Floats, trees: Sequence[Heads]) -> list[tuple[int, float]]:
    """Return of each tree how many arcs were not pruned and the sum of their scores: more is better, in this order."""
    arcs = scores.astype(np.float64)[range(1, len(scores)), np.array(trees)[:, 1:]]
    kept = arcs > -1e30
    return list(zip(kept.sum(axis=1).tolist(), np.where(kept, arcs, 0).sum(axis=1).tolist(), strict=True))


class Model(NamedTuple):
    """Scores of arcs (h, m), sibling parts (h, s, m) with s = -1 for none, and grandparent parts (g, h, m)."""

    arcs: Mapping[tuple[int, int], float]
    siblings: Mapping[tuple[int, int, int], float]
    grandparents: Mapping[tuple[int, int, int], float]


def inner_sibling(tree: Heads, m: int) -> int:
    """Return the nearest dependent of the same head between head and ``m``, -1 if there is none."""
    h = tree[m]
    between = range(m - 1, h, -1) if h < m else range(m + 1, h)
    return next((s for s in between if tree[s] == h), -1)


def second_order_score(model: Model, tree: Heads) -> float:
    """Return the sum of the scores of all parts, -inf if an arc is no candidate."""
    if any((tree[m], m) not in model.arcs for m in range(1, len(tree))):
        return float("-inf")
    return sum(
        model.arcs[tree[m], m]
        + model.siblings[tree[m], inner_sibling(tree, m), m]
        + model.grandparents[tree[tree[m]], tree[m], m]
        for m in range(1, len(tree))
    )


def neighbours(tree: Heads, single_root: bool) -> Iterator[Heads]:
    """Yield the trees that differ from ``tree`` in one head."""
    n = len(tree) - 1
    for m, h in itertools.product(range(1, n + 1), range(n + 1)):
        other = (*tree[:m], h, *tree[m + 1 :])
        if h != tree[m] and is_tree(other) and (not single_root or other.count(0) == 1):
            yield other
