"""Hill climbing: a good tree of a second-order model, projective or not, from a projective one, head by head.

McDonald & Pereira (2006), "Online learning of approximate dependency parsing algorithms": the best non-projective tree
is hard to find with sibling or grandparent parts, but most trees are nearly projective. From the best projective tree,
the change of a single head that gains most and leaves a tree is made, again and again, up to a local optimum.

The change of the head of ``d`` gains the score of the new arc and of its parts; the next outer sibling there gets ``d``
as its partner; the dependents of ``d`` get another grandparent; the parts at the old head are lost. So the gain follows
from the few parts around ``d``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.corpus.trees import list_dependents, number_subtrees
from treevote.kernels import Ints, Longs, kernel
from treevote.models.parsers.graph.parts import Parts, ScoredParts, find_parts, grandparent_part, sibling_part

CHANGES_PER_TOKEN = 2  # at most


@kernel
def improve(scored: ScoredParts, single_root: bool, heads: Ints) -> int:
    """Improve a tree by changes of single heads, to other candidate arcs, up to a local optimum; return their number.

    A tree with an arc that is no candidate does not change. With ``single_root`` the tree keeps its one root. There are
    at most ``CHANGES_PER_TOKEN * n`` changes. Ties go to the leftmost dependent, and to its leftmost head. With ``k``
    candidates for each token, a change takes of order ``n * k`` steps, times the number of dependents of a head.
    """
    candidates, n = scored.candidates, len(heads) - 1
    arcs = find_parts(Parts(candidates, scored.siblings, scored.grandparents), heads)[:, 0].copy()
    if (arcs[1:] < 0).any():
        return 0
    tree = _Tree(arcs, np.empty(n + 1, np.int32), np.empty(n + 1, np.int32))
    begin, end = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    n_changes = 0
    while n_changes < CHANGES_PER_TOKEN * n:
        list_dependents(heads, tree.first, tree.following)
        number_subtrees(heads, begin, end)
        best, most = -1, 0.0
        for d in range(1, n + 1):
            if single_root and heads[d] == 0:
                continue
            present = _gain_of(int(arcs[d]), tree, scored)
            for arc in range(candidates.first[d], candidates.first[d + 1]):
                h = candidates.heads[arc]
                below = begin[d] <= begin[h] <= end[d]
                if arc == arcs[d] or below or (single_root and h == 0):
                    continue
                gain = _gain_of(arc, tree, scored) - present
                if gain > most:
                    best, most = arc, gain
        if best < 0:
            break
        d = candidates.dependents[best]
        heads[d], arcs[d] = candidates.heads[best], best
        n_changes += 1
    return n_changes


class _Tree(NamedTuple):
    """The arc to each token, and the dependents of each position as :func:`list_dependents` lists them."""

    arcs: Longs
    first: Ints
    following: Ints


@kernel
def _gain_of(arc: int, tree: _Tree, scored: ScoredParts) -> float:
    """Return the score that an arc to a token adds to the tree without the present arc of the token."""
    h, d = int(scored.candidates.heads[arc]), int(scored.candidates.dependents[arc])
    inner, outer = _siblings_beside(h, d, tree)
    partner = int(tree.arcs[inner]) if inner >= 0 else -1
    score = scored.arc_scores[arc] + np.float64(scored.sibling_scores[sibling_part(scored.siblings, arc, partner)])
    if outer >= 0:
        score += scored.sibling_scores[sibling_part(scored.siblings, int(tree.arcs[outer]), arc)]
        score -= scored.sibling_scores[sibling_part(scored.siblings, int(tree.arcs[outer]), partner)]
    score += scored.grandparent_scores[grandparent_part(scored.candidates, scored.grandparents, arc, int(tree.arcs[h]))]
    dependent = tree.first[d]
    while dependent >= 0:
        lower = int(tree.arcs[dependent])
        score += scored.grandparent_scores[grandparent_part(scored.candidates, scored.grandparents, lower, arc)]
        dependent = tree.following[dependent]
    return float(score)


@kernel
def _siblings_beside(h: int, d: int, tree: _Tree) -> tuple[int, int]:
    """Return the dependents of ``h`` next to ``d``, on its inner and its outer side; -1 if there is none."""
    left, right = -1, -1
    sibling = int(tree.first[h])
    while sibling >= 0 and right < 0:
        if h < sibling < d or sibling < d < h:
            left = sibling
        elif d < sibling < h or h < d < sibling:
            right = sibling
        sibling = int(tree.following[sibling])
    return (left, right) if h < d else (right, left)
