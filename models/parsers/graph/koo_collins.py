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

from treevote.kernels import Doubles, Ints, Longs, kernel
from treevote.models.parsers.graph.parts import Candidates, ScoredParts, arcs_by_head


@kernel
def decode(scored: ScoredParts, single_root: bool, heads: Ints) -> float:
    """Find the projective tree of candidate arcs with the highest sum of scores, and return this sum.

    ``heads`` receives the head of each token, and -1 for ROOT, unless there is no projective tree and the sum is -inf.
    With ``single_root`` ROOT has exactly one dependent.

    Sums are made in double precision. Ties between derivations of a half-tree go to the first one in the order of
    dependents from left to right, a dependent without inner siblings before those with some. With ``k`` candidates for
    each token, the time is of order ``n ** 2 * k ** 2``, and the memory is 8 bytes for each of ``n ** 2 * k``
    half-trees and for each part.
    """
    candidates, siblings, grandparents, _, _, _ = scored
    n_arcs, n = len(candidates.heads), len(candidates.first) - 2
    outgoing, start, middle = arcs_by_head(candidates)
    complete = np.full((n_arcs + 1, n + 1), -np.inf)
    for arc in range(n_arcs + 1):
        complete[arc, candidates.dependents[arc] if arc < n_arcs else 0] = 0.0
    chart = _Chart(complete, np.empty(len(grandparents.partners)), np.empty(len(siblings.partners)))

    for i in range(n, -1, -1):
        right, left = middle[i], candidates.first[i]  # the next arc from i to its right, and into i from there
        while left < candidates.first[i + 1] and candidates.heads[left] < i:
            left += 1
        only = single_root and i == 0
        for j in range(i + 1, n + 1):
            if right < start[i + 1] and candidates.dependents[outgoing[right]] == j:
                arc = int(np.int64(outgoing[right]))  # as wide as ``left``
                _attach(arc, only, scored, chart)
                _complete_right(arc, scored, chart)
                right += 1
            if left < candidates.first[i + 1] and candidates.heads[left] == j:
                _attach(left, only, scored, chart)
                left += 1
            if i > 0:
                _complete_left(j, i, outgoing[start[j] : middle[j]], scored, chart)

    score = float(chart.complete[n_arcs, n])
    if score > -np.inf:
        heads[0] = -1
        _backtrack(scored, chart, outgoing, start, heads)
    return score


class _Chart(NamedTuple):
    """Scores of half-trees: ``complete`` has the shape (n_arcs + 1, n + 1), the others are parallel to the parts."""

    complete: Doubles
    incomplete: Doubles
    between: Doubles


@kernel
def _rows_of(h: int, candidates: Candidates) -> tuple[int, int]:
    """Return the range of rows of ``complete`` for half-trees of ``h``: start, end."""
    n_arcs = len(candidates.heads)
    return (candidates.first[h], candidates.first[h + 1]) if h > 0 else (n_arcs, n_arcs + 1)


@kernel
def _attach(arc: int, only: bool, scored: ScoredParts, chart: _Chart) -> None:
    """Score the incomplete half-trees that end with an arc; ``only`` if it must have no inner sibling."""
    h, d = scored.candidates.heads[arc], scored.candidates.dependents[arc]
    from_part, to_part = scored.siblings.first[arc], scored.siblings.first[arc + 1]
    from_grandparent, to_grandparent = scored.grandparents.first[arc], scored.grandparents.first[arc + 1]
    complete, incomplete = chart.complete, chart.incomplete

    alone = scored.sibling_scores[from_part] + complete[arc, h + 1 if h < d else h - 1]
    for grandparent in range(from_grandparent, to_grandparent):
        incomplete[grandparent] = alone
    for part in range(from_part + 1, from_part + 1 if only else to_part):
        sibling = int(scored.siblings.partners[part])
        s = scored.candidates.dependents[sibling]
        left, right = (sibling, arc) if h < d else (arc, sibling)
        best = -np.inf
        for k in range(min(s, d), max(s, d)):
            score = complete[left, k] + complete[right, k + 1]
            best = score if score > best else best
        chart.between[part] = best
        for place in range(to_grandparent - from_grandparent):
            score = _beside(part, place, scored, chart)
            grandparent = from_grandparent + place
            incomplete[grandparent] = score if score > incomplete[grandparent] else incomplete[grandparent]
    for grandparent in range(from_grandparent, to_grandparent):
        attached = incomplete[grandparent] + scored.arc_scores[arc]
        incomplete[grandparent] = attached + scored.grandparent_scores[grandparent]


@kernel
def _beside(part: int, place: int, scored: ScoredParts, chart: _Chart) -> np.float64:
    """Return the score of a sibling, with all on its inner side, and of the words between."""
    grandparent = scored.grandparents.first[scored.siblings.partners[part]] + place
    return np.float64(chart.incomplete[grandparent] + chart.between[part] + scored.sibling_scores[part])


@kernel
def _complete_right(arc: int, scored: ScoredParts, chart: _Chart) -> None:
    """Extend the incomplete half-trees that end with an arc to the right to all complete ones behind it."""
    candidates, grandparents = scored.candidates, scored.grandparents
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
def _complete_left(h: int, end: int, arcs: Ints, scored: ScoredParts, chart: _Chart) -> None:
    """Score the complete half-trees of ``h`` that end to its left at ``end``; ``arcs`` are all its arcs to its left."""
    from_row, to_row = _rows_of(h, scored.candidates)
    for i in range(len(arcs) - 1, -1, -1):
        arc = arcs[i]
        if scored.candidates.dependents[arc] < end:
            return
        outer = chart.complete[arc, end]
        for row in range(from_row, to_row):
            score = chart.incomplete[scored.grandparents.first[arc] + row - from_row] + outer
            chart.complete[row, end] = score if score > chart.complete[row, end] else chart.complete[row, end]


@kernel
def _backtrack(scored: ScoredParts, chart: _Chart, outgoing: Ints, start: Longs, heads: Ints) -> None:
    """Write the heads of the best tree: find the splits that give the scores in the chart."""
    candidates, complete, incomplete = scored.candidates, chart.complete, chart.incomplete
    n_arcs, n = len(candidates.heads), complete.shape[1] - 1
    pending, n_pending = np.empty((3 * n + 3, 2), np.int64), 1  # complete half-trees: row and end
    pending[0, 0], pending[0, 1] = n_arcs, n
    while n_pending:
        n_pending -= 1
        row, end = pending[n_pending, 0], pending[n_pending, 1]
        h = int(candidates.dependents[row] if row < n_arcs else 0)
        place = row - _rows_of(h, candidates)[0]  # of the grandparent part among those of each arc from h
        for i in range(start[h], start[h + 1]):
            arc = int(outgoing[i])
            d = candidates.dependents[arc]
            if (h < d <= end or end <= d < h) and (
                incomplete[scored.grandparents.first[arc] + place] + complete[arc, end] == complete[row, end]
            ):
                pending[n_pending, 0], pending[n_pending, 1] = arc, end
                n_pending = _backtrack_siblings(arc, place, scored, chart, pending, n_pending + 1, heads)
                break


@kernel
def _backtrack_siblings(
    arc: int, place: int, scored: ScoredParts, chart: _Chart, pending: Longs, n_pending: int, heads: Ints
) -> int:
    """Write the heads of a dependent and its inner siblings; return the new number of pending half-trees."""
    complete, h = chart.complete, scored.candidates.heads[arc]
    while True:
        d = scored.candidates.dependents[arc]
        heads[d] = h
        grandparent = scored.grandparents.first[arc] + place
        score = chart.incomplete[grandparent]
        part, inner = scored.siblings.first[arc], h + 1 if h < d else h - 1
        alone = scored.sibling_scores[part] + complete[arc, inner]
        if alone + scored.arc_scores[arc] + scored.grandparent_scores[grandparent] == score:
            pending[n_pending, 0], pending[n_pending, 1] = arc, inner
            return n_pending + 1
        part += 1
        arc_score, grandparent_score = scored.arc_scores[arc], scored.grandparent_scores[grandparent]
        last = scored.siblings.first[arc + 1] - 1
        while part < last and _beside(part, place, scored, chart) + arc_score + grandparent_score != score:
            part += 1
        sibling = int(scored.siblings.partners[part])
        left, right = (sibling, arc) if h < d else (arc, sibling)
        k, most = min(scored.candidates.dependents[sibling], d), max(scored.candidates.dependents[sibling], d) - 1
        while k < most and complete[left, k] + complete[right, k + 1] != chart.between[part]:
            k += 1
        pending[n_pending, 0], pending[n_pending, 1] = left, k
        pending[n_pending + 1, 0], pending[n_pending + 1, 1] = right, k + 1
        n_pending += 2
        arc = sibling
