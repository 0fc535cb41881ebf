"""The parts (factors) of a tree that a graph-based parser scores: arcs that were not pruned, siblings, grandparents.

The score of a tree is the sum of the scores of its parts. Siblings are those of McDonald & Pereira (2006, "Online
learning of approximate dependency parsing algorithms"), grandparents those of Koo & Collins (2010, "Efficient
third-order dependency parsers"): their Model 1, with each grand-sibling part split into one part of either kind.

- every arc ``h -> m``;
- every *sibling* part ``(h, s, m)``: ``s`` is the dependent of ``h`` next to ``m`` on its inner side, that is the
  next one on the way from ``m`` to ``h``; the innermost dependent on each side of ``h`` has none;
- every *grandparent* part ``(g, h, m)``: ``g`` is the head of ``h``; the dependents of ROOT have none.

So each arc of a tree is in exactly one part of either kind. Only arcs that a first-order model has not pruned are
*candidates*, and only their parts are listed, in order, so that scores are plain parallel arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Floats, Ints, Longs, Shorts, kernel, leaf


class Candidates(NamedTuple):
    """The arcs of one sentence that were not pruned, by dependent, then by head; ROOT is position 0.

    The arcs to dependent ``d`` are ``first[d] : first[d + 1]``; ROOT has none, so ``first[0] = first[1] = 0``.
    """

    heads: Ints  # shape (n_arcs,)
    dependents: Ints
    first: Longs  # shape (n + 2,)


class Siblings(NamedTuple):
    """The sibling parts of each candidate arc ``h -> m``; those of arc ``a`` are ``first[a] : first[a + 1]``.

    A partner is the candidate arc ``h -> s`` with ``s`` strictly between ``h`` and ``m``, by ascending ``s``. The first
    part of each arc has -1: ``m`` is the innermost dependent on its side.
    """

    partners: Ints
    first: Longs


class Grandparents(NamedTuple):
    """The grandparent parts of each candidate arc ``h -> m``; those of arc ``a`` are ``first[a] : first[a + 1]``.

    The partners are the candidate arcs ``g -> h``, in order; where ``h`` is ROOT there is exactly one part, and it has
    -1. Parts that no tree has (``g`` is ``m``) or no projective one (``g`` strictly between ``h`` and ``m``) are listed
    as well, so that the parts of arc ``a`` and the arcs to its head always run in parallel.
    """

    partners: Ints
    first: Longs


class Parts(NamedTuple):
    """All parts of a sentence."""

    candidates: Candidates
    siblings: Siblings
    grandparents: Grandparents


class ScoredParts(NamedTuple):
    """All parts of a sentence, with the score of each arc, sibling part and grandparent part."""

    candidates: Candidates
    siblings: Siblings
    grandparents: Grandparents
    arc_scores: Floats
    sibling_scores: Floats
    grandparent_scores: Floats


@kernel
def parts_of(mask: Bools | Shorts) -> Parts:
    """List the parts of a sentence; see `candidates_of`, `siblings_of` and `grandparents_of`."""
    candidates = candidates_of(mask)
    return Parts(candidates, siblings_of(candidates), grandparents_of(candidates))


@kernel
def n_parts(parts: Parts) -> int:
    """Return the number of all parts."""
    return len(parts.candidates.heads) + len(parts.siblings.partners) + len(parts.grandparents.partners)


@leaf
def is_certain(candidates: Candidates, arc: int) -> bool:
    """Tell whether all trees have a candidate arc: its dependent has no other."""
    d = candidates.dependents[arc]
    return bool(candidates.first[d + 1] - candidates.first[d] == 1)


@kernel
def candidates_of(mask: Bools | Shorts) -> Candidates:
    """List the arcs from ``h`` to ``d`` for which ``mask[d, h]`` is not 0; row 0 and the diagonal are not looked at."""
    n, most, arc = len(mask) - 1, np.count_nonzero(mask), 0
    heads, dependents, first = np.empty(most, np.int32), np.empty(most, np.int32), np.zeros(n + 2, np.int64)
    for d in range(1, n + 1):
        for h in range(n + 1):
            if mask[d, h] and h != d:
                heads[arc], dependents[arc] = h, d
                arc += 1
        first[d + 1] = arc
    return Candidates(heads[:arc], dependents[:arc], first)


@kernel
def siblings_of(candidates: Candidates) -> Siblings:
    """List the sibling parts of all candidate arcs."""
    n_arcs = len(candidates.heads)
    outgoing, _, middle = arcs_by_head(candidates)
    rank = np.empty(n_arcs, np.int64)  # the place of each arc in `outgoing`
    for place in range(n_arcs):
        rank[outgoing[place]] = place
    first = np.zeros(n_arcs + 1, np.int64)
    for arc in range(n_arcs):
        h = candidates.heads[arc]
        inner = rank[arc] - middle[h] if candidates.dependents[arc] > h else middle[h] - 1 - rank[arc]
        first[arc + 1] = first[arc] + 1 + inner
    partners = np.empty(first[n_arcs], np.int32)
    for arc in range(n_arcs):
        h = candidates.heads[arc]
        innermost = middle[h] if candidates.dependents[arc] > h else rank[arc] + 1
        partners[first[arc]] = -1
        for i in range(first[arc + 1] - first[arc] - 1):
            partners[first[arc] + 1 + i] = outgoing[innermost + i]
    return Siblings(partners, first)


@kernel
def grandparents_of(candidates: Candidates) -> Grandparents:
    """List the grandparent parts of all candidate arcs."""
    n_arcs = len(candidates.heads)
    first = np.zeros(n_arcs + 1, np.int64)
    for arc in range(n_arcs):
        h = candidates.heads[arc]
        count = 1 if h == 0 else candidates.first[h + 1] - candidates.first[h]
        first[arc + 1] = first[arc] + count
    partners = np.empty(first[n_arcs], np.int32)
    for arc in range(n_arcs):
        h = candidates.heads[arc]
        for part in range(first[arc], first[arc + 1]):
            partners[part] = -1 if h == 0 else candidates.first[h] + part - first[arc]
    return Grandparents(partners, first)


@kernel
def arcs_by_head(candidates: Candidates) -> tuple[Ints, Longs, Longs]:
    """Sort the candidate arcs by head, then by dependent; return them, ``first`` and ``middle``.

    The arcs of head ``h`` are ``arcs[first[h] : first[h + 1]]``, those to its right ``arcs[middle[h] : first[h + 1]]``.
    """
    n_arcs, n = len(candidates.heads), len(candidates.first) - 2
    first = np.zeros(n + 2, np.int64)
    for arc in range(n_arcs):
        first[candidates.heads[arc] + 1] += 1
    for h in range(n + 1):
        first[h + 1] += first[h]
    middle, free, arcs = first[:-1].copy(), first.copy(), np.empty(n_arcs, np.int32)
    for arc in range(n_arcs):
        h = candidates.heads[arc]
        arcs[free[h]] = arc
        free[h] += 1
        if candidates.dependents[arc] < h:
            middle[h] += 1
    return arcs, first, middle


@kernel
def find_parts(parts: Parts, heads: Ints) -> Longs:
    """Find the parts of a tree, projective or not, shape (n + 1, 3).

    ``[d]`` are the arc to token ``d``, its sibling part and its grandparent part; -1 for an arc or part with an arc
    that is no candidate, and in row 0.
    """
    candidates, siblings, grandparents = parts
    n = len(heads) - 1
    found, inner = np.full((n + 1, 3), -1, np.int64), np.empty(n + 1, np.int64)
    for d in range(1, n + 1):
        for arc in range(candidates.first[d], candidates.first[d + 1]):
            if candidates.heads[arc] == heads[d]:
                found[d, 0] = arc
    for side in (1, -1):
        inner[:] = -1  # the arc to the last dependent of each head met so far; -2: no candidate
        for i in range(1, n + 1):
            d = i if side == 1 else n + 1 - i
            h, arc = heads[d], found[d, 0]
            if (d - h) * side > 0:
                if arc >= 0:
                    found[d, 1] = sibling_part(siblings, int(arc), int(inner[h]))
                inner[h] = arc if arc >= 0 else -2
    for d in range(1, n + 1):
        arc, upper = found[d, 0], found[heads[d], 0]
        if arc >= 0 and (heads[d] == 0 or upper >= 0):
            found[d, 2] = grandparent_part(candidates, grandparents, int(arc), int(upper))
    return found


@kernel
def sibling_part(siblings: Siblings, arc: int, partner: int) -> int:
    """Return the sibling part of an arc with this partner, -1 if it is not listed."""
    low, high = siblings.first[arc], siblings.first[arc + 1]
    while low < high:
        middle = (low + high) // 2
        if siblings.partners[middle] < partner:
            low = middle + 1
        else:
            high = middle
    return low if low < siblings.first[arc + 1] and siblings.partners[low] == partner else -1


@kernel
def grandparent_part(candidates: Candidates, grandparents: Grandparents, arc: int, upper: int) -> int:
    """Return the grandparent part of an arc whose head has the arc ``upper``, which is ignored for ROOT."""
    h = int(candidates.heads[arc])
    return int(grandparents.first[arc] + (0 if h == 0 else upper - candidates.first[h]))
