"""The heaviest tree over the arcs with votes; the only module that uses networkx.

A *tree* is a *spanning arborescence* in the terms of networkx: every token has one head, and heads lead to ROOT. The
algorithm of Edmonds (1967), "Optimum branchings", finds the heaviest one: that of networkx for a short sentence. A long
one would take it minutes; there it grows along one path as by Gabow, Galil, Spencer & Tarjan (1986), "Efficient
algorithms for finding minimum spanning trees in undirected and directed graphs": each node takes its heaviest arc, and
a cycle becomes a node of its own, with the arcs of its members.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Container, Mapping, Sequence

import numpy as np

from treevote.corpus.trees import is_tree

MAX_TRIED = 300_000  # tokens times tokens tried as the root of a sentence: it matters beyond 500 tokens
MAX_NETWORKX = 12  # tokens of the longest sentence that goes to networkx, whose time grows fast: 12 ms at 15 tokens


def spanning_tree(arcs: Sequence[Mapping[int, int]], *, single_root: bool, given: Container[int] = ()) -> list[int]:
    """Return the head of each token (-1 for ROOT) in the heaviest tree; ties go to the smallest sequence of heads.

    ``arcs[d]`` maps heads of token ``d``, other than ``d``, to the score of the arc, an integer >= 0; ``arcs[0]`` is
    empty. If these arcs hold no tree (a token may have no arc, or several tokens no head but ROOT where one root is
    demanded), arcs with score 0 are added: from ROOT to every token and, with a single root, from ROOT's dependent to
    every other token. More are not needed: where a tree has another arc that was not given, its dependent can as well
    hang on ROOT (on ROOT's dependent), with all that is below it.

    Tokens 1 and 2 are each other's best head; the tree enters the cycle where it costs least.

    >>> spanning_tree([{}, {0: 1, 2: 5}, {1: 5, 3: 2}, {0: 4}], single_root=False)
    [-1, 2, 3, 0]
    """
    if not single_root:
        return _heaviest(arcs) or _heaviest(_joined(arcs, 0, given))
    return _heaviest_with_one_root(arcs, given, unvoted=False) or _heaviest_with_one_root(arcs, given, unvoted=True)


def _joined(arcs: Sequence[Mapping[int, int]], hub: int, given: Container[int]) -> list[Mapping[int, int]]:
    """Return the arcs, and one with score 0 from ``hub`` to each token that has none from it and is not given."""
    return [{}, *(into if d in given else {hub: 0, **into} for d, into in enumerate(arcs[1:], start=1))]


def _heaviest_with_one_root(arcs: Sequence[Mapping[int, int]], given: Container[int], *, unvoted: bool) -> list[int]:
    """Return the heaviest tree in which ROOT has one dependent, empty if there is none.

    Each token with an arc from ROOT is tried: it keeps this arc alone, all others lose theirs. The sum of the best
    heads is an upper bound of each trial, so few are made; in a long sentence only the most promising, see
    ``MAX_TRIED``.
    """
    inner = [{h: score for h, score in into.items() if h} for into in arcs]
    best = [max(into.values(), default=0) for into in inner]
    tokens = range(1, len(arcs))
    tried = [d for d in tokens if d in given and 0 in arcs[d]] or tokens
    as_root = {d: arcs[d].get(0, 0) for d in tried if 0 in arcs[d] or (unvoted and d not in given)}
    alone = [] if unvoted else [d for d in tokens if not inner[d]]  # without a head but ROOT
    if len(alone) > 1:
        return []
    all_best = sum(best)
    bound = {r: all_best - best[r] + score for r, score in as_root.items() if r in alone or not alone}
    found: tuple[float, list[int]] = math.inf, []
    for r in sorted(bound, key=lambda r: (-bound[r], r))[: max(1, MAX_TRIED // len(arcs))]:
        if bound[r] < -found[0]:
            break
        trial = _joined(inner, r, given) if unvoted else list(inner)
        trial[r] = {0: as_root[r]}
        if heads := _heaviest(trial):
            total = sum(trial[d][heads[d]] for d in tokens)
            found = min(found, (-total, heads))
    return found[1]


def _heaviest(arcs: Sequence[Mapping[int, int]]) -> list[int]:
    """Return the heaviest tree over the arcs, with any number of roots, empty if there is none.

    The best heads are a tree if they hold no cycle. Else ties are broken in the scores: the ranks of the heads of all
    tokens are the digits of a number in mixed radix, taken off a score that was raised by more than this number can be.
    Python's integers keep that exact.
    """
    if not all(arcs[1:]):
        return []
    best = [-1, *(min(into, key=lambda h: (-into[h], h)) for into in arcs[1:])]
    if is_tree(np.array(best, np.int32)):
        return best
    radix = scale = math.prod(len(into) for into in arcs[1:])
    scores: dict[tuple[int, int], int] = {}
    for d, into in enumerate(arcs[1:], start=1):
        radix //= len(into)
        for rank, h in enumerate(sorted(into)):
            scores[h, d] = into[h] * scale - rank * radix
    heads = (_of_networkx if len(arcs) <= MAX_NETWORKX + 1 else heaviest_arborescence)(scores) or {}
    return [-1, *(heads[d] for d in range(1, len(arcs)))] if len(heads) == len(arcs) - 1 else []


def _of_networkx(scores: Mapping[tuple[int, int], int]) -> dict[int, int]:
    """Return the heads of the heaviest branching with most arcs; there is no tree if a token has none.

    All scores are lifted so far that an arc more outweighs whatever the others gain, and that none falls below zero
    when cycles are contracted.
    """
    import networkx as nx  # slow to import, and many votes have no real conflict

    low, high = min(scores.values()), max(scores.values())
    rise = (high - low + 1) * (len({d for _, d in scores}) + 1) - low
    graph = nx.DiGraph()
    graph.add_weighted_edges_from((h, d, score + rise) for (h, d), score in scores.items())
    return {d: h for h, d in nx.maximum_branching(graph).edges}


def heaviest_arborescence(scores: Mapping[tuple[int, int], int]) -> dict[int, int] | None:
    """Return the head of each node in a heaviest arborescence with root 0; None if 0 does not reach all.

    ``scores`` are by head and dependent; no dependent is 0. Time grows with ``n_arcs * log(n_arcs) ** 2``.
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
            own.lift, *arc = heapq.heappop(own.heap)  # the remaining arcs compete with this arc
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


def _find(group: dict[int, int], node: int) -> int:
    """Return the outermost cycle that a node is in, or the node itself."""
    while group[node] != node:
        group[node] = group[group[node]]
        node = group[node]
    return node
