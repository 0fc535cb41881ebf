"""A good tree, projective or not, of a second-order model: a projective one, improved head by head.

McDonald & Pereira (2006), "Online learning of approximate dependency parsing algorithms": the best
non-projective tree is hard to find with sibling or grandparent parts, but most trees are nearly projective. Start
from the best projective tree; as long as there is one, make the change of a single head that gains most and leaves a
tree. The result is a local optimum: no change of one head improves it.

The change of the head of ``d`` from ``h`` to another gains the score of the new arc and of its parts; the next
outer sibling there gets ``d`` as its partner; the dependents of ``d`` get another grandparent. All that ends at
``h`` is lost. So what a change gains is found from the few parts around ``d``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.corpus.trees import list_dependents, number_subtrees
from treevote.kernels import Floats, Ints, Longs, kernel
from treevote.models.graph.parts import (
    Candidates,
    Grandparents,
    Siblings,
    find_parts,
    grandparent_part,
    sibling_part,
)

CHANGES_PER_TOKEN = 2
"""The number of changes made to a tree is at most this times the number of its tokens."""


@kernel
def climb(
    n: int,
    candidates: Candidates,
    siblings: Siblings,
    grandparents: Grandparents,
    arc_scores: Floats,
    sibling_scores: Floats,
    grandparent_scores: Floats,
    single_root: bool,
    heads: Ints,
) -> int:
    """Improve a tree by changes of single heads, to other candidate arcs, until none is left that does.

    Parameters
    ----------
    n : int
        Number of tokens.
    candidates, siblings, grandparents : Candidates, Siblings, Grandparents
        Arcs that were not pruned, and their parts.
    arc_scores, sibling_scores, grandparent_scores : ndarray of float32
        The score of each arc and of each part.
    single_root : bool
        Whether ROOT has exactly one dependent and must keep it.
    heads : ndarray of int32, shape (n + 1,)
        A tree of candidate arcs, with one root if ``single_root``; written to. A tree with another arc is left alone.

    Returns
    -------
    int
        How many changes were made, at most :data:`CHANGES_PER_TOKEN` times ``n``.

    Notes
    -----
    Of changes that gain equally much, that of the leftmost dependent is made, and to its leftmost head. All changes
    are tried before one is made, which for ``k`` candidates for each token takes of order ``n * k`` steps, times the
    number of dependents of a head.

    Examples
    --------
    >>> from treevote.models.graph.parts import candidates_of, grandparents_of, siblings_of
    >>> candidates = candidates_of(np.array([[0, 0, 0], [1, 0, 1], [1, 1, 0]], np.bool_))
    >>> siblings, grandparents = siblings_of(candidates), grandparents_of(candidates)
    >>> arcs, pairs, chains = np.zeros(4, np.float32), np.zeros(5, np.float32), np.zeros(6, np.float32)
    >>> chains[4], heads = 2, np.array([-1, 0, 0], np.int32)  # the chain 0 -> 1 -> 2
    >>> climb(2, candidates, siblings, grandparents, arcs, pairs, chains, False, heads), heads.tolist()
    (1, [-1, 0, 1])
    """
    arcs = find_parts(candidates, siblings, grandparents, heads)[:, 0].copy()
    if n < 1 or arcs[1:].min() < 0:
        return 0
    model = _Model(candidates, siblings, grandparents, arc_scores, sibling_scores, grandparent_scores)
    tree = _Tree(arcs, np.empty(n + 1, np.int32), np.empty(n + 1, np.int32))
    enter, leave = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    n_changes = 0
    while n_changes < CHANGES_PER_TOKEN * n:
        list_dependents(heads, tree.first, tree.following)
        number_subtrees(heads, enter, leave)
        best, most = -1, 0.0
        for d in range(1, n + 1):
            if single_root and heads[d] == 0:
                continue
            present = _worth(int(arcs[d]), tree, model)
            for arc in range(candidates.first[d], candidates.first[d + 1]):
                h = candidates.heads[arc]
                below = enter[d] <= enter[h] <= leave[d]
                if arc == arcs[d] or below or (single_root and h == 0):
                    continue
                gain = _worth(arc, tree, model) - present
                if gain > most:
                    best, most = arc, gain
        if best < 0:
            break
        d = candidates.dependents[best]
        heads[d], arcs[d] = candidates.heads[best], best
        n_changes += 1
    return n_changes


class _Model(NamedTuple):
    """What is given."""

    candidates: Candidates
    siblings: Siblings
    grandparents: Grandparents
    arc_scores: Floats
    sibling_scores: Floats
    grandparent_scores: Floats


class _Tree(NamedTuple):
    """The arc to each token, and the dependents of each position as :func:`list_dependents` lists them."""

    arcs: Longs
    first: Ints
    following: Ints


@kernel
def _worth(arc: int, tree: _Tree, model: _Model) -> float:
    """Return what an arc to a token adds to the score of the tree without the arc that the token has now."""
    h, d = int(model.candidates.heads[arc]), int(model.candidates.dependents[arc])
    inner, outer = _siblings_beside(h, d, tree)
    partner = int(tree.arcs[inner]) if inner >= 0 else -1
    score = model.arc_scores[arc] + np.float64(model.sibling_scores[sibling_part(model.siblings, arc, partner)])
    if outer >= 0:
        score += model.sibling_scores[sibling_part(model.siblings, int(tree.arcs[outer]), arc)]
        score -= model.sibling_scores[sibling_part(model.siblings, int(tree.arcs[outer]), partner)]
    score += model.grandparent_scores[grandparent_part(model.candidates, model.grandparents, arc, int(tree.arcs[h]))]
    dependent = tree.first[d]
    while dependent >= 0:
        lower = int(tree.arcs[dependent])
        score += model.grandparent_scores[grandparent_part(model.candidates, model.grandparents, lower, arc)]
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
