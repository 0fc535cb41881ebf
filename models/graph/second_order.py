"""The best projective tree of a second-order model: consecutive siblings and grandparents.

Koo & Collins (2010), "Efficient third-order dependency parsers", extend the half-trees of Eisner's algorithm by the
head ``g`` of their head (*g-spans*); siblings join as in McDonald & Pereira (2006). Here the dynamic program goes
over candidate arcs only. With ``inner`` for the position next to ``h`` on the side of ``m``::

    complete(g -> h, e)    = max over m, from h up to e, of incomplete(g, h, m) + complete(h -> m, e)
    incomplete(g, h, m)    = score of h -> m + score of (g, h, m)
                             + the higher of  score of (h, -, m) + complete(h -> m, inner)
                             and  max over s of  score of (h, s, m) + incomplete(g, h, s) + between(h, s, m)
    between(h, s, m)       = max over neighbours p, q from s to m of complete(h -> s, p) + complete(h -> m, q)

- ``complete(g -> h, e)`` is the half-tree of ``h`` with all its dependents from ``h`` to ``e``. There is a row for
  each candidate arc and a last one for ROOT, which has no head, and a column for each position ``e``.
- ``incomplete(g, h, m)`` ends with the dependent ``m``. There is one for each grandparent part.
- ``between(h, s, m)`` are the words between consecutive siblings. There is one for each sibling part.

Half-trees over ``i..j`` are found for the left end ``i`` from the last to the first, and for each by ascending ``j``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Doubles, Floats, Ints, Longs, kernel
from treevote.models.graph.parts import Candidates, Grandparents, Siblings, arcs_by_head, find_parts

LONGEST = 500
"""For sentences with this many tokens or more a first-order decoder will do.

With 8 candidate heads for each token, one of 500 tokens takes some 40 milliseconds and 20 megabytes; both grow with
the square of its length, and the time with the square of the number of candidates, too.
"""


@kernel
def decode(
    n: int,
    candidates: Candidates,
    siblings: Siblings,
    grandparents: Grandparents,
    arc_scores: Floats,
    sibling_scores: Floats,
    grandparent_scores: Floats,
    single_root: bool,
    heads: Ints,
) -> float:
    """Find the projective tree of candidate arcs with the highest sum of scores.

    Parameters
    ----------
    n : int
        Number of tokens.
    candidates, siblings, grandparents : Candidates, Siblings, Grandparents
        Arcs that were not pruned, and their parts.
    arc_scores, sibling_scores, grandparent_scores : ndarray of float32
        The score of each arc and of each part.
    single_root : bool
        Whether ROOT must have exactly one dependent.
    heads : ndarray of int32, shape (n + 1,)
        Written to, if there is a tree: the head of each token, and -1 for ROOT.

    Returns
    -------
    float
        The sum of scores, -inf if the candidates hold no projective tree.

    Notes
    -----
    Sums are made in double precision. Of equally good derivations of a half-tree the one is taken that comes first
    when dependents are tried from left to right, a dependent without inner siblings before those with some. With
    ``k`` candidates for each token, the time is of order ``n ** 2 * k ** 2``, and the memory is 8 bytes for each of
    ``n ** 2 * k`` half-trees and for each part.

    Examples
    --------
    >>> from treevote.models.graph.parts import candidates_of, grandparents_of, siblings_of
    >>> candidates = candidates_of(np.array([[0, 0, 0], [1, 0, 1], [1, 1, 0]], np.bool_))
    >>> siblings, grandparents = siblings_of(candidates), grandparents_of(candidates)
    >>> arcs, pairs, chains = np.zeros(4, np.float32), np.zeros(5, np.float32), np.zeros(6, np.float32)
    >>> pairs[3], chains[4], heads = 1, 2, np.empty(3, np.int32)  # (0, 1, 2) as siblings; the chain 0 -> 1 -> 2
    >>> decode(2, candidates, siblings, grandparents, arcs, pairs, chains, False, heads), heads.tolist()
    (2.0, [-1, 0, 1])
    """
    n_arcs = len(candidates.heads)
    outgoing, start, middle = arcs_by_head(candidates)
    model = _Model(candidates, siblings, grandparents, arc_scores, sibling_scores, grandparent_scores)
    chart = _Chart(
        np.full((n_arcs + 1, n + 1), -np.inf), np.empty(len(grandparents.partners)), np.empty(len(siblings.partners))
    )
    chart.complete[n_arcs, 0] = 0.0
    for arc in range(n_arcs):
        chart.complete[arc, candidates.dependents[arc]] = 0.0

    for i in range(n, -1, -1):
        right, left = middle[i], candidates.first[i]  # the next arc from i to its right, and into i from there
        while left < candidates.first[i + 1] and candidates.heads[left] < i:
            left += 1
        for j in range(i + 1, n + 1):
            if right < start[i + 1] and candidates.dependents[outgoing[right]] == j:
                _attach(int(outgoing[right]), single_root and i == 0, model, chart)
                _complete_right(int(outgoing[right]), candidates, grandparents, chart)
                right += 1
            if left < candidates.first[i + 1] and candidates.heads[left] == j:
                _attach(left, False, model, chart)
                left += 1
            if i > 0:
                _complete_left(j, i, outgoing[start[j] : middle[j]], candidates, grandparents, chart)

    score = float(chart.complete[n_arcs, n])
    if score > -np.inf:
        heads[0] = -1
        _take_apart(model, chart, outgoing, start, heads)
    return score


@kernel
def tree_score(
    candidates: Candidates,
    siblings: Siblings,
    grandparents: Grandparents,
    arc_scores: Floats,
    sibling_scores: Floats,
    grandparent_scores: Floats,
    heads: Ints,
) -> float:
    """Return the score of a tree, projective or not; -inf if one of its arcs is no candidate."""
    score = 0.0
    found = find_parts(candidates, siblings, grandparents, heads)
    for d in range(1, len(heads)):
        if found[d, 0] < 0:
            return -np.inf
        score += arc_scores[found[d, 0]]
        score += sibling_scores[found[d, 1]]
        score += grandparent_scores[found[d, 2]]
    return float(score)


class _Model(NamedTuple):
    """What is given."""

    candidates: Candidates
    siblings: Siblings
    grandparents: Grandparents
    arc_scores: Floats
    sibling_scores: Floats
    grandparent_scores: Floats


class _Chart(NamedTuple):
    """What is found: ``complete`` has the shape (n_arcs + 1, n + 1), the others run beside the parts."""

    complete: Doubles
    incomplete: Doubles
    between: Doubles


@kernel
def _rows_of(h: int, candidates: Candidates) -> tuple[int, int]:
    """Return which rows of ``complete`` are for half-trees of ``h``: from, to."""
    n_arcs = len(candidates.heads)
    return (candidates.first[h], candidates.first[h + 1]) if h > 0 else (n_arcs, n_arcs + 1)


@kernel
def _attach(arc: int, only: bool, model: _Model, chart: _Chart) -> None:
    """Score the incomplete half-trees that end with an arc; ``only`` if it must have no inner sibling."""
    h, d = model.candidates.heads[arc], model.candidates.dependents[arc]
    from_part, to_part = model.siblings.first[arc], model.siblings.first[arc + 1]
    from_chain, to_chain = model.grandparents.first[arc], model.grandparents.first[arc + 1]
    complete, incomplete = chart.complete, chart.incomplete

    alone = model.sibling_scores[from_part] + complete[arc, h + 1 if h < d else h - 1]
    for chain in range(from_chain, to_chain):
        incomplete[chain] = alone
    for part in range(from_part + 1, from_part + 1 if only else to_part):
        sibling = int(model.siblings.partners[part])
        s = model.candidates.dependents[sibling]
        left, right = (sibling, arc) if h < d else (arc, sibling)
        best = -np.inf
        for k in range(min(s, d), max(s, d)):
            score = complete[left, k] + complete[right, k + 1]
            best = score if score > best else best
        chart.between[part] = best
        for place in range(to_chain - from_chain):
            score = _beside(part, place, model, chart)
            chain = from_chain + place
            incomplete[chain] = score if score > incomplete[chain] else incomplete[chain]
    for chain in range(from_chain, to_chain):
        incomplete[chain] = incomplete[chain] + model.arc_scores[arc] + model.grandparent_scores[chain]


@kernel
def _beside(part: int, place: int, model: _Model, chart: _Chart) -> float:
    """Return the score of a sibling, with all on its inner side, and of the words between."""
    chain = model.grandparents.first[model.siblings.partners[part]] + place
    return float(chart.incomplete[chain] + chart.between[part] + model.sibling_scores[part])


@kernel
def _complete_right(arc: int, candidates: Candidates, grandparents: Grandparents, chart: _Chart) -> None:
    """Carry the incomplete half-trees that end with an arc to the right on to all complete ones behind it."""
    h, d = int(candidates.heads[arc]), int(candidates.dependents[arc])
    n = chart.complete.shape[1] - 1
    from_row, to_row = _rows_of(h, candidates)
    for row in range(from_row, to_row):
        g = -1 if h == 0 else candidates.heads[row]
        begun = chart.incomplete[grandparents.first[arc] + row - from_row]
        for end in range(d, g if g > h else n + 1):  # a projective half-tree does not hold the head of its head
            score = begun + chart.complete[arc, end]
            chart.complete[row, end] = score if score > chart.complete[row, end] else chart.complete[row, end]


@kernel
def _complete_left(
    h: int, end: int, outgoing: Ints, candidates: Candidates, grandparents: Grandparents, chart: _Chart
) -> None:
    """Score the complete half-trees of ``h`` that end at a position to its left, by the arcs to its left."""
    from_row, to_row = _rows_of(h, candidates)
    for i in range(len(outgoing) - 1, -1, -1):
        arc = outgoing[i]
        if candidates.dependents[arc] < end:
            return
        outer = chart.complete[arc, end]
        for row in range(from_row, to_row):
            score = chart.incomplete[grandparents.first[arc] + row - from_row] + outer
            chart.complete[row, end] = score if score > chart.complete[row, end] else chart.complete[row, end]


@kernel
def _take_apart(model: _Model, chart: _Chart, outgoing: Ints, start: Longs, heads: Ints) -> None:
    """Write the heads of the best tree, by the splits that give the scores in the chart."""
    candidates, complete, incomplete = model.candidates, chart.complete, chart.incomplete
    n_arcs, n = len(candidates.heads), complete.shape[1] - 1
    pending, n_pending = np.empty((3 * n + 3, 2), np.int64), 1  # complete half-trees: row and end
    pending[0, 0], pending[0, 1] = n_arcs, n
    while n_pending:
        n_pending -= 1
        row, end = pending[n_pending, 0], pending[n_pending, 1]
        h = int(candidates.dependents[row]) if row < n_arcs else 0
        place = row - _rows_of(h, candidates)[0]  # of the grandparent part among those of each arc from h
        for arc in outgoing[start[h] : start[h + 1]]:
            d = candidates.dependents[arc]
            if (h < d <= end or end <= d < h) and (
                incomplete[model.grandparents.first[arc] + place] + complete[arc, end] == complete[row, end]
            ):
                pending[n_pending, 0], pending[n_pending, 1] = arc, end
                n_pending = _take_inner(int(arc), place, model, chart, pending, n_pending + 1, heads)
                break


@kernel
def _take_inner(arc: int, place: int, model: _Model, chart: _Chart, pending: Longs, n_pending: int, heads: Ints) -> int:
    """Write the heads of a dependent and its inner siblings; return the new number of pending half-trees."""
    complete, h = chart.complete, model.candidates.heads[arc]
    while True:
        d = model.candidates.dependents[arc]
        heads[d] = h
        chain = model.grandparents.first[arc] + place
        score = chart.incomplete[chain]
        part, inner = model.siblings.first[arc], h + 1 if h < d else h - 1
        alone = model.sibling_scores[part] + complete[arc, inner]
        if alone + model.arc_scores[arc] + model.grandparent_scores[chain] == score:
            pending[n_pending, 0], pending[n_pending, 1] = arc, inner
            return n_pending + 1
        part += 1
        while _beside(part, place, model, chart) + model.arc_scores[arc] + model.grandparent_scores[chain] != score:
            part += 1
        sibling = int(model.siblings.partners[part])
        left, right = (sibling, arc) if h < d else (arc, sibling)
        k = min(model.candidates.dependents[sibling], d)
        while complete[left, k] + complete[right, k + 1] != chart.between[part]:
            k += 1
        pending[n_pending, 0], pending[n_pending, 1] = left, k
        pending[n_pending + 1, 0], pending[n_pending + 1, 1] = right, k + 1
        n_pending += 2
        arc = sibling
