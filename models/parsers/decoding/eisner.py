"""The best projective tree of a first-order model: Eisner's algorithm.

Eisner (1996, "Three new probabilistic models for dependency parsing"; 2000, "Bilexical grammars and their
cubic-time parsing algorithms") builds half-trees over spans of words ``i..j``. A half-tree is headed by the word
at one end of its span:

- *complete*: the other end has all its dependents on the inner side, and takes no more;
- *incomplete*: the other end is a dependent of the head.

With ``right`` for half-trees headed by ``i`` and ``left`` for those headed by ``j``::

    joined(i, j)           = max over i <= k < j of complete right(i, k) + complete left(k + 1, j)
    incomplete right(i, j) = joined(i, j) + score of i -> j
    incomplete left(i, j)  = joined(i, j) + score of j -> i
    complete right(i, j)   = max over i < k <= j of incomplete right(i, k) + complete right(k, j)
    complete left(i, j)    = max over i <= k < j of complete left(i, k) + incomplete left(k, j)

For a left end ``i``, from the last to the first, whole rows ``j`` of these matrices are filled at once: the value of a
split ``k`` is passed on to all ``j`` behind it as soon as it is known, in a loop over adjacent memory without branches.
Backtracking finds the best splits again, in quadratic time.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from treevote.kernels import Doubles, Floats, Ints, Longs, kernel

NEVER = -1e30
"""Score of a pruned arc in a matrix of scores; arcs with less, -inf or NaN are pruned too."""

_Chart: TypeAlias = tuple[Doubles, Doubles, Doubles, Doubles]
"""Scores ``[i, j]`` of half-trees: right complete, right incomplete, left complete, left incomplete."""


@kernel
def decode(scores: Floats, single_root: bool, heads: Ints) -> None:
    """Find the projective tree with the highest sum of scores, and write the head of each token, -1 for ROOT.

    ``scores[d, h]`` is that of the arc from ``h`` to ``d``, shape (n + 1, n + 1); row 0 and the diagonal are not read.
    Arcs of `NEVER` or less, such as -inf, are pruned; no score is +inf. With ``single_root`` ROOT has exactly one
    dependent.

    There is always a tree; it has as few pruned arcs as possible. Sums are made in double precision. Ties go to the
    leftmost split of a span, and to the leftmost root. Time is cubic, memory 32 ``(n + 1) ** 2`` bytes.

    >>> scores, heads = np.zeros((4, 4), np.float32), np.empty(4, np.int32)
    >>> scores[[1, 2, 3, 3], [0, 0, 1, 2]] = 5, 3, 3, 1  # the arc 1 -> 3 spans 2, which hangs on ROOT
    >>> decode(scores, False, heads)
    >>> heads.tolist()
    [-1, 0, 0, 2]
    """
    n = len(heads) - 1
    heads[0] = -1
    if n < 1:
        return
    shape, joined = (n + 1, n + 1), np.empty(n + 1)
    right_complete, left_complete = np.empty(shape), np.empty(shape)
    chart = right_complete, np.empty(shape), left_complete, np.empty(shape)
    for i in range(n, 0 if single_root else -1, -1):
        _fill_row(i, scores, joined, chart)

    pending = np.empty((3 * n + 3, 2), np.int64)  # complete half-trees: head and end
    pending[0, 0], pending[0, 1], n_pending = 0, n, 1
    if single_root:
        best, root = -np.inf, 1
        for d in range(1, n + 1):
            score = left_complete[1, d] + _bounded(scores[d, 0]) + right_complete[d, n]
            if score > best:
                best, root = score, d
        heads[root] = 0
        pending[0, 0], pending[0, 1], pending[1, 0], pending[1, 1], n_pending = root, 1, root, n, 2
    _backtrack(pending, n_pending, scores, chart, heads)


@kernel
def _fill_row(i: int, scores: Floats, joined: Doubles, chart: _Chart) -> None:
    """Fill row ``i`` of all matrices, given the rows behind it; ``joined`` is a workspace."""
    right_complete, right_incomplete, left_complete, left_incomplete = chart
    n = len(joined) - 1
    for j in range(i, n + 1):
        joined[j], right_complete[i, j], left_complete[i, j] = -np.inf, -np.inf, -np.inf
    right_complete[i, i], left_complete[i, i] = 0.0, 0.0
    for k in range(i, n + 1):
        if k > i:
            right = joined[k] + _bounded(scores[k, i])
            right_incomplete[i, k] = right
            for j in range(k, n + 1):
                score = right + right_complete[k, j]
                right_complete[i, j] = score if score > right_complete[i, j] else right_complete[i, j]
            if i > 0:
                left = joined[k] + _bounded(scores[i, k])
                left_incomplete[i, k] = left
                left_complete[i, k] = left if left > left_complete[i, k] else left_complete[i, k]
        right, left = right_complete[i, k], left_complete[i, k]
        for j in range(k + 1, n + 1):
            score = right + left_complete[k + 1, j]
            joined[j] = score if score > joined[j] else joined[j]
        if k > i:
            for j in range(k + 1, n + 1):
                score = left + left_incomplete[k, j]
                left_complete[i, j] = score if score > left_complete[i, j] else left_complete[i, j]


@kernel
def _bounded(score: float) -> float:
    """Return the score of an arc, pruned or not, as a finite number."""
    return score if score > NEVER else NEVER


@kernel
def _backtrack(pending: Longs, n_pending: int, scores: Floats, chart: _Chart, heads: Ints) -> None:
    """Write the heads within the first complete half-trees in ``pending``, the rest of which is a workspace.

    A split is found by its score, which the same additions gave before; no search leaves its span.
    """
    right_complete, right_incomplete, left_complete, left_incomplete = chart
    while n_pending:
        n_pending -= 1
        head, end = pending[n_pending, 0], pending[n_pending, 1]
        if head == end:
            continue
        if head < end:
            d, k = head + 1, head
            while d < end and right_incomplete[head, d] + right_complete[d, end] != right_complete[head, end]:
                d += 1
            score = _bounded(scores[d, head])  # pyright: ignore[reportArgumentType]
            while k < d - 1 and right_complete[head, k] + left_complete[k + 1, d] + score != right_incomplete[head, d]:
                k += 1
            from_head, from_d = k, k + 1
        else:
            d = end
            while d < head - 1 and left_complete[end, d] + left_incomplete[d, head] != left_complete[end, head]:
                d += 1
            score, k = _bounded(scores[d, head]), d  # pyright: ignore[reportArgumentType]
            total = left_incomplete[d, head]
            while k < head - 1 and right_complete[d, k] + left_complete[k + 1, head] + score != total:
                k += 1
            from_head, from_d = k + 1, k
        heads[d] = head
        pending[n_pending, 0], pending[n_pending, 1] = d, end
        pending[n_pending + 1, 0], pending[n_pending + 1, 1] = head, from_head
        pending[n_pending + 2, 0], pending[n_pending + 2, 1] = d, from_d
        n_pending += 3
