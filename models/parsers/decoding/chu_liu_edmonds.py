"""The best tree of a first-order model, projective or not: the algorithm of Chu & Liu and of Edmonds.

Chu & Liu (1965) and Edmonds (1967), "Optimum branchings"; for parsing McDonald et al. (2005), "Non-projective
dependency parsing using spanning tree algorithms". Every token takes its best head. If all heads lead to ROOT, they are
the tree. If not, there is a cycle: it is contracted to one node, the weight of an arc into the node is its gain over
the arc of the cycle that it replaces, and the node takes its best head in turn. At last the nodes are expanded, the
youngest first: the arc into a node stays, and so do all arcs of its cycle but the replaced one.

As in Tarjan (1977), "Finding optimum branchings", for dense graphs, the time is quadratic. Dependents of arcs are
contracted, heads are not: ``node_of`` gives the node of each position, to exclude heads within the node itself.

*Penalties* ensure exactly one root and avoid pruned arcs. They take precedence over scores: the best tree has the
lowest penalty, then the highest score. Penalties are integers, so their sums are exact.
"""

from __future__ import annotations

import numpy as np

from treevote.kernels import Doubles, Floats, Ints, Longs, kernel
from treevote.models.parsers.decoding.eisner import NEVER


@kernel
def decode(scores: Floats, single_root: bool, heads: Ints) -> None:
    """Find the tree with the highest sum of scores; parameters as for `treevote.models.parsers.decoding.eisner.decode`.

    Sums are made in double precision. Ties between arcs into a token or a cycle go to the leftmost head, then to the
    leftmost dependent. Time is quadratic, memory 16 ``(n + 1) ** 2`` bytes.
    """
    n = len(heads) - 1
    # The row of a node is that of its first token: gain and penalty of each head, and the token that its arc enters.
    gains, penalties = np.empty((n + 1, n + 1)), np.empty((n + 1, n + 1), np.int32)
    entries = np.empty((n + 1, n + 1), np.int32)
    for d in range(1, n + 1):
        for h in range(n + 1):
            kept = scores[d, h] > NEVER
            gains[d, h] = scores[d, h] if kept else 0.0
            penalties[d, h] = (0 if kept else 1) + (n + 1 if single_root and h == 0 else 0)
            entries[d, h] = d

    # Nodes by number: ROOT and the tokens, then the cycles, which are fewer than the tokens.
    node_of = np.arange(n + 1)  # the outermost node that a position is in by now
    row_of, cycle_of = np.arange(2 * n + 1), np.zeros(2 * n + 1, np.int64)
    head_of, entry_of = np.zeros(2 * n + 1, np.int64), np.zeros(2 * n + 1, np.int64)
    path_of = np.zeros(2 * n + 1, np.int64)  # the token whose path along the heads came first to a node
    path_of[0] = -1
    n_nodes = n + 1
    for start in range(1, n + 1):
        node = int(node_of[start])
        while path_of[node] == 0:
            row = row_of[node]
            path_of[node] = start
            head_of[node] = _best_head(node, gains[row], penalties[row], node_of)
            entry_of[node] = entries[row, head_of[node]]
            node = int(node_of[head_of[node]])
            if path_of[node] == start:
                row_of[n_nodes] = row_of[node]
                _merge_rows(node, gains, penalties, entries, node_of, row_of, head_of)
                _contract(node, n_nodes, node_of, cycle_of, head_of)
                node = n_nodes
                n_nodes += 1

    settled = np.zeros(n_nodes, np.bool_)
    for node in range(n_nodes - 1, 0, -1):
        if not settled[node]:
            inner = entry_of[node]
            heads[inner] = head_of[node]
            while inner != node:  # the nodes on the way of the arc to its token get their head from it
                settled[inner] = True
                inner = cycle_of[inner]
    heads[0] = -1


@kernel
def _best_head(node: int, gains: Doubles, penalties: Ints, node_of: Longs) -> int:
    """Return the best head of a node outside itself, by the row of the node."""
    best = 0
    for h in range(1, len(node_of)):
        if node_of[h] != node and (
            penalties[h] < penalties[best] or (penalties[h] == penalties[best] and gains[h] > gains[best])
        ):
            best = h
    return best


@kernel
def _merge_rows(
    node: int, gains: Doubles, penalties: Ints, entries: Ints, node_of: Longs, row_of: Longs, head_of: Longs
) -> None:
    """Merge the rows of the nodes on the cycle through ``node`` into its row."""
    into = row_of[node]
    member = node
    while True:
        row = row_of[member]
        replaced, replaced_penalty = gains[row, head_of[member]], penalties[row, head_of[member]]
        for h in range(len(node_of)):
            gain, penalty = gains[row, h] - replaced, penalties[row, h] - replaced_penalty
            better = penalty < penalties[into, h] or (penalty == penalties[into, h] and gain > gains[into, h])
            equal = penalty == penalties[into, h] and gain == gains[into, h]
            if member == node or better or (equal and entries[row, h] < entries[into, h]):
                gains[into, h], penalties[into, h], entries[into, h] = gain, penalty, entries[row, h]
        member = node_of[head_of[member]]
        if member == node:
            return


@kernel
def _contract(node: int, cycle: int, node_of: Longs, cycle_of: Longs, head_of: Longs) -> None:
    """Make the nodes on the cycle through ``node`` parts of the node ``cycle``."""
    member = node
    while cycle_of[member] == 0:
        cycle_of[member] = cycle
        member = node_of[head_of[member]]
    for position in range(len(node_of)):
        if cycle_of[node_of[position]] == cycle:
            node_of[position] = cycle
