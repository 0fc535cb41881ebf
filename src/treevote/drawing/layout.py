"""Layout of arcs above words: lines of words, and heights and feet of arcs.

Lengths are in units of the caller; ``x`` grows to the right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.drawing.arcs import Arc, levels
from treevote.kernels import Doubles

GAP, SHOULDER, FOOT, TIGHT = 14.0, 9.0, 7.0, 4.0
"""Room between words, radius of an arc's corners, usual and minimum room between two feet on one word."""

INSET = 48.0
"""Room at the side where a sentence continues, for the labels of arcs across it."""

HALVINGS = 8
"""Steps of the search for lines of equal length."""


class Stroke(NamedTuple):
    """An arc in a line of words: the places of its two feet (the same for a stem), and its level, 1 for the lowest.

    ``head_here`` and ``dependent_here`` tell whether the word is in this line; if not, the arc runs to the margin.
    """

    arc: Arc
    head: float
    dependent: float
    level: int
    head_here: bool
    dependent_here: bool


class Line(NamedTuple):
    """A line of words: the middle of each word by position, the strokes above them, the number of their levels."""

    words: dict[int, float]
    strokes: list[Stroke]
    n_levels: int


def lay_out(
    arcs: Sequence[Arc], words: Sequence[float], labels: Sequence[float], width: float, *, mirrored: bool = False
) -> tuple[list[Line], float]:
    """Break a sentence into lines and place its arcs; return the lines and the width of the longest.

    ``words`` has the width of each word, that of ROOT ignored; ``labels`` that of the label of each arc. No line is
    longer than ``width``, unless a word is; the lines are as few as possible, and about equally long. ``mirrored``: the
    first word is at the right.
    """
    n_feet = Counter(end for arc in arcs for end in (arc.head, arc.dependent))
    words = [max(width, TIGHT * n_feet[word]) for word, width in enumerate(words)]  # wider with many feet
    centres = _centres(arcs, words, labels)
    left, right = centres - np.array(words) / 2, centres + np.array(words) / 2
    spans, full = _break(left, right, width)
    narrow = width / 2
    for _ in range(HALVINGS):  # the narrowest lines that are no more in number: no single word is left over
        middle = (narrow + width) / 2
        tried, extent = _break(left, right, middle)
        if len(tried) == len(spans) and extent <= middle:
            spans, full, width = tried, extent, middle
        else:
            narrow = middle
    lines: list[Line] = []
    for first, last in spans:
        start = (INSET if lines else 0.0) - float(left[first])
        places = {word: float(centres[word]) + start for word in range(first, last + 1)}
        line = _line(arcs, labels, places, words, full)
        lines.append(_mirrored(line, full) if mirrored else line)
    return lines, full


def _break(left: Doubles, right: Doubles, width: float) -> tuple[list[tuple[int, int]], float]:
    """Return first and last word of each line, as many as fit and at least one, and the width of the longest line."""
    n = len(left) - 1
    spans: list[tuple[int, int]] = []
    full = 0.0
    first = 1
    while first <= n:
        inset = INSET if spans else 0.0
        fits = right[n] - left[first] <= width - inset
        last = n if fits else max(int(np.searchsorted(right, left[first] + width - inset - INSET, "right")) - 1, first)
        spans.append((first, last))
        full = max(full, inset + float(right[last] - left[first]) + (INSET if last < n else 0.0))
        first = last + 1
    return spans, full


def _centres(arcs: Sequence[Arc], words: Sequence[float], labels: Sequence[float]) -> Doubles:
    """Return the middle of each word in one endless line, with room for the labels of arcs."""
    rooms = np.array(words, np.float64) + GAP
    centres = np.cumsum(rooms) - rooms / 2
    for arc, label in sorted(zip(arcs, labels, strict=True), key=lambda pair: abs(pair[0].head - pair[0].dependent)):
        if not arc.is_stem:
            first, last = sorted((arc.head, arc.dependent))
            centres[last:] += max(0.0, label + 2 * SHOULDER - (centres[last] - centres[first]))
    return centres


def _line(
    arcs: Sequence[Arc], labels: Sequence[float], places: dict[int, float], words: Sequence[float], width: float
) -> Line:
    before, behind = min(places) - 1, max(places) + 1  # the margins count as words
    here = [i for i, arc in enumerate(arcs) if not arc.is_stem and (arc.head in places or arc.dependent in places)]
    cut = [sorted(min(max(end, before), behind) for end in (arcs[i].head, arcs[i].dependent)) for i in here]
    spans = [(first, last) for first, last in cut]
    stems = [i for i, arc in enumerate(arcs) if arc.is_stem and arc.dependent in places]
    spans += [(before, behind)] * len(stems)  # above all other arcs of the word
    rooms = [_room(arcs[i], labels[i], span, places, width) for i, span in zip(here + stems, spans, strict=True)]
    heights = levels(spans, rooms)
    found = [arcs[i] for i in here + stems]
    feet = _feet(found, heights, places, words)
    strokes = []
    for i, arc in enumerate(found):
        dependent = feet.get((i, arc.dependent), 0.0 if arc.dependent <= before else width)
        head = dependent if arc.is_stem else feet.get((i, arc.head), 0.0 if arc.head <= before else width)
        strokes.append(Stroke(arc, head, dependent, heights[i], arc.head in places, arc.dependent in places))
    return Line(places, strokes, max(heights, default=0))


def _room(arc: Arc, label: float, span: tuple[int, int], places: dict[int, float], width: float) -> tuple[int, int]:
    """Return the first and last position of an arc and its label in a line; the label of a short part is longer."""
    before, behind = min(places) - 1, max(places) + 1
    xs = np.array([0.0, *places.values(), width])
    first, last = (arc.dependent, arc.dependent) if arc.is_stem else span
    middle = label_middle(float(xs[first - before]), float(xs[last - before]), label, width)
    left = before + int(np.searchsorted(xs, middle - label / 2, "right")) - 1
    right = before + int(np.searchsorted(xs, middle + label / 2))
    if arc.is_stem:
        first, last = first - 1, last + 1
    return max(min(first, left), before), min(max(last, right), behind)


def label_middle(head: float, dependent: float, label: float, width: float) -> float:
    """Return the middle of a label above that of an arc, within the line if it fits."""
    return min(max((head + dependent) / 2, label / 2), max(width - label / 2, label / 2))


def _feet(
    arcs: Sequence[Arc], heights: Sequence[int], places: dict[int, float], words: Sequence[float]
) -> dict[tuple[int, int], float]:
    """Return the foot of each arc on each of its words in the line.

    Stems have the middle, arcs to the left and right their sides, the longest nearest to the middle: so no two arcs of
    one word cross.
    """
    standing: dict[int, list[tuple[int, int, int]]] = {word: [] for word in places}
    for i, arc in enumerate(arcs):
        for end, other in {(arc.dependent, arc.head): None, (arc.head, arc.dependent): None}:
            if end in standing:
                side = 0 if arc.is_stem else -1 if other < end else 1
                standing[end].append((side, -side * heights[i], i))
    xs: dict[tuple[int, int], float] = {}
    for word, ordered in standing.items():
        step = min(FOOT, words[word] / max(len(ordered), 1))
        for k, (_, _, i) in enumerate(sorted(ordered)):
            xs[i, word] = places[word] + step * (k - (len(ordered) - 1) / 2)
    return xs


def _mirrored(line: Line, width: float) -> Line:
    strokes = [stroke._replace(head=width - stroke.head, dependent=width - stroke.dependent) for stroke in line.strokes]
    return Line({word: width - place for word, place in line.words.items()}, strokes, line.n_levels)
