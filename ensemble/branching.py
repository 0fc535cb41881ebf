"""The heaviest arborescence among many nodes: for the rare sentence on which networkx would take minutes.

Edmonds (1967), grown along one path as by Gabow, Galil, Spencer & Tarjan (1986), "Efficient algorithms for finding
minimum spanning trees in undirected and directed graphs": each node takes its heaviest arc, and a cycle becomes a node
of its own, with the arcs of its members.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping


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
    """Return the heads of the heaviest arborescence with root 0.

    Parameters
    ----------
    scores : mapping of (head, dependent) to int
        No dependent is 0.

    Returns
    -------
    dict of int to int, or None
        The head of each node; any of the heaviest arborescences if there are several. None if 0 does not reach all.

    Notes
    -----
    Time grows with ``n_arcs * log(n_arcs) ** 2``.

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


def _find(group: dict[int, int], node: int) -> int:
    """Return the outermost cycle that a node is in, or the node itself."""
    while group[node] != node:
        group[node] = group[group[node]]
        node = group[node]
    return node
