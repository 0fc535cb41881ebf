"""The heaviest tree over the arcs with votes: the maximum spanning arborescence, of equal ones the first.

Edmonds (1967), "Optimum branchings", grown along one path as by Gabow, Galil, Spencer & Tarjan (1986), "Efficient
algorithms for finding minimum spanning trees in undirected and directed graphs": each node takes its heaviest arc, and
a cycle becomes a node of its own, with the arcs of its members. Scores are Python's integers, exact whatever their
size; so ties are broken in the scores themselves.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence

MAX_TRIED = 300_000
"""Tokens times tokens tried as the root of a sentence; only in sentences of more than 500 does this leave some out."""


def spanning_tree(arcs: Sequence[Mapping[int, int]], *, single_root: bool) -> list[int]:
    """Return the heads of the heaviest tree; of equal trees the one whose sequence of heads is smallest.

    If the given arcs hold no tree, arcs with score 0 are added: from ROOT to every token and, with a single root, from
    ROOT's dependent to every other token. More are not needed: the dependent of any other arc can as well hang on ROOT
    (on ROOT's dependent), with its subtree.

    Parameters
    ----------
    arcs : sequence of mapping from int to int, length n + 1
        ``arcs[d]`` maps heads of token ``d``, other than ``d``, to the score of the arc, an integer >= 0;
        ``arcs[0]`` is empty.
    single_root : bool
        Whether ROOT must have exactly one dependent.

    Returns
    -------
    list of int, length n + 1
        The head of each token; -1 for ROOT.

    Notes
    -----
    For one root, the tokens with an arc from ROOT are tried in turn: the token keeps this arc alone, all others lose
    theirs. The sum of the best heads is an upper bound of a trial, so few are needed. In a sentence of more than 500
    tokens only the most promising roots are tried, see ``MAX_TRIED``.

    Examples
    --------
    Tokens 1 and 2 are each other's best head; the tree enters the cycle where it costs least.

    >>> spanning_tree([{}, {0: 1, 2: 5}, {1: 5, 3: 2}, {0: 4}], single_root=False)
    [-1, 2, 3, 0]
    >>> spanning_tree([{}, {0: 3}, {0: 3, 1: 1}], single_root=True)
    [-1, 0, 1]
    >>> spanning_tree([{}, {0: 3}, {0: 4}], single_root=True)
    [-1, 2, 0]
    """
    if not single_root:
        return _heaviest(arcs) or _heaviest([{}, *({0: 0, **into} for into in arcs[1:])]) or []
    return _heaviest_with_one_root(arcs, unvoted=False) or _heaviest_with_one_root(arcs, unvoted=True) or []


def _heaviest_with_one_root(arcs: Sequence[Mapping[int, int]], *, unvoted: bool) -> list[int] | None:
    """Return the heaviest tree in which ROOT has one dependent, or None if there is none."""
    inner = [{h: score for h, score in into.items() if h} for into in arcs]
    best = [max(into.values(), default=0) for into in inner]
    as_root = {d: arcs[d].get(0, 0) for d in range(1, len(arcs)) if unvoted or 0 in arcs[d]}
    alone = [] if unvoted else [d for d in range(1, len(arcs)) if not inner[d]]  # without a head but ROOT
    if len(alone) > 1:
        return None
    all_best = sum(best)
    bound = {r: all_best - best[r] + score for r, score in as_root.items() if r in alone or not alone}
    found: tuple[int, list[int]] | None = None
    for r in sorted(bound, key=lambda r: (-bound[r], r))[: max(1, MAX_TRIED // len(arcs))]:
        if found and bound[r] < -found[0]:
            break
        trial = [{r: 0, **into} for into in inner] if unvoted else list(inner)
        trial[r] = {0: as_root[r]}
        heads = _heaviest(trial)
        if heads:
            total = sum(trial[d][heads[d]] for d in range(1, len(heads)))
            found = min(found or (-total, heads), (-total, heads))
    return found[1] if found else None


def _heaviest(arcs: Sequence[Mapping[int, int]]) -> list[int] | None:
    """Return the heaviest tree over the arcs, with any number of roots, or None if there is none.

    Ties are broken in the scores: the ranks of the heads of all tokens are the digits of a number in mixed radix,
    which is taken off a score that was raised by more than this number can be.
    """
    if not all(arcs[1:]):
        return None
    scale = radix = math.prod(map(len, arcs[1:]))
    scores: dict[tuple[int, int], int] = {}
    for d, into in enumerate(arcs[1:], start=1):
        radix //= len(into)
        for rank, h in enumerate(sorted(into)):
            scores[h, d] = into[h] * scale - rank * radix
    heads = heaviest_arborescence(scores)
    return None if heads is None else [-1, *(heads[d] for d in sorted(heads))]


class _Arcs:
    """The arcs into a node: (-score, head, dependent) in a heap; ``lift`` is added to all of their scores."""

    __slots__ = ("heap", "lift")

    def __init__(self) -> None:
        self.heap: list[tuple[int, int, int]] = []
        self.lift = 0

    def push(self, score: int, head: int, dependent: int) -> None:
        heapq.heappush(self.heap, (self.lift - score, head, dependent))

    def merge(self, other: _Arcs) -> _Arcs:
        """Return the arcs of both; the smaller heap goes into the larger one."""
        small, large = sorted((self, other), key=lambda arcs: len(arcs.heap))
        for key, head, dependent in small.heap:
            large.push(small.lift - key, head, dependent)
        return large


def heaviest_arborescence(scores: Mapping[tuple[int, int], int]) -> dict[int, int] | None:
    """Return the head of each node in a heaviest arborescence with root 0; None if 0 does not reach all nodes.

    Scores are by head and dependent; no dependent is 0. Time grows with ``n_arcs * log(n_arcs) ** 2``.

    Examples
    --------
    >>> heaviest_arborescence({(0, 1): 1, (2, 1): 5, (1, 2): 5, (3, 2): 2, (0, 3): 4})
    {1: 2, 2: 3, 3: 0}
    >>> heaviest_arborescence({(2, 1): 5, (1, 2): 5}) is None
    True
    """
    arcs: dict[int, _Arcs] = {node: _Arcs() for pair in scores for node in pair}
    for (head, dependent), score in scores.items():
        arcs[dependent].push(score, head, dependent)
    nodes = sorted(arcs.keys() - {0})
    group = {node: node for node in arcs}  # to the outermost cycle, step by step
    around: dict[int, int] = {}  # to the cycle just around
    entered: dict[int, tuple[int, int]] = {}  # the arc by which a node is entered
    cycles: list[int] = []
    reached = {0}
    for start in nodes:
        node, path = _find(group, start), dict[int, None]()
        while node not in reached:
            own = arcs[node]
            while own.heap and _find(group, own.heap[0][1]) == node:  # within the cycle
                heapq.heappop(own.heap)
            if not own.heap:
                return None
            own.lift, *arc = heapq.heappop(own.heap)  # what is left competes with this arc
            entered[node] = arc[0], arc[1]
            path[node] = None
            node = _find(group, arc[0])
            if node in path:
                cycle = max(group) + 1 if not cycles else cycles[-1] + 1
                cycles.append(cycle)
                arcs[cycle], group[cycle] = _Arcs(), cycle
                member = -1
                while member != node:
                    member, _ = path.popitem()
                    group[member] = around[member] = cycle
                    arcs[cycle] = arcs[cycle].merge(arcs.pop(member))
                node = cycle
        reached.update(path)
    for cycle in reversed(cycles):
        inside = entered[cycle][1]
        while around[inside] != cycle:
            inside = around[inside]
        entered[inside] = entered[cycle]
    return {node: entered[node][0] for node in nodes}


def _find(group: dict[int, int], node: int) -> int:
    """Return the outermost cycle that a node is in, or the node itself."""
    while group[node] != node:
        group[node] = group[group[node]]
        node = group[node]
    return node
