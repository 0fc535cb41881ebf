"""Small plots, as SVG that takes its colours from the page: a line for each system, and a forest of intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from treevote.drawing.widths import ems
from treevote.evaluation.results import Evaluation, Group
from treevote.report.markup import count, rate, span, text
from treevote.report.series import colour, mark, named, sample, stroke

WIDTH, HEIGHT, TICK = 340.0, 270.0, 11.0
LEFT, RIGHT, TOP, BOTTOM = 36.0, 12.0, 12.0, 226.0
STRIP = 24.0
"""Size of a plot and of its type, the edges of the field in it, and the height of the bars below it, in CSS pixels."""

PLOTTED = (
    ("sentence length", "Sentence length", "words"),
    ("length", "Dependency length", "words from head to dependent"),
    ("distance to root", "Distance to the root", "arcs"),
)
"""Breakdowns that are plotted, by what their names begin with, and title and unit; of several the finest."""

MIN_TOKENS = 20
"""Smaller groups are not plotted: a few tokens make a line jump."""


class Point(NamedTuple):
    """A value at a place of the axis, with its interval, which may be missing."""

    x: float
    value: float
    low: float | None = None
    high: float | None = None


class Axis(NamedTuple):
    """The ticks below a plot: place and name; and for each place the share of the tokens, or nothing."""

    ticks: Sequence[tuple[float, str]]
    shares: Sequence[float] = ()
    caption: str = ""


def breakdown_plots(evaluation: Evaluation) -> list[tuple[str, str]]:
    """Return title and SVG of a plot for each breakdown whose groups have an order.

    By properties of the tree a system may have other tokens in a group than the gold tree: then F1 is drawn.
    """
    drawn: list[tuple[str, str]] = []
    for name, title, unit in PLOTTED:
        found = [parts for parts in evaluation.breakdowns if parts.ordered and parts.name.startswith(name)]
        finest = max(found, key=lambda parts: len(parts.groups), default=None)
        groups = [group for group in finest.groups if group.tokens >= MIN_TOKENS] if finest else []
        if len(groups) > 1:
            drawn.append((title, _breakdown_plot(groups, title, unit)))
    return drawn


def _breakdown_plot(groups: Sequence[Group], title: str, unit: str) -> str:
    total = sum(group.tokens for group in groups)
    lines: list[list[Point]] = [[] for _ in groups[0].cells]
    for x, group in enumerate(groups):
        for line, cell in zip(lines, group.cells, strict=True):
            if cell.f1 is not None:
                line.append(Point(x, cell.f1))
            elif cell.precision is None and cell.las.value is not None:
                line.append(Point(x, cell.las.value, cell.las.low, cell.las.high))
    ticks = [(float(x), group.value) for x, group in enumerate(groups)]
    shares = [group.tokens / total for group in groups]
    figure = "F1" if any(cell.f1 is not None for group in groups for cell in group.cells) else "LAS"
    return line_plot(f"{title}: {figure}", lines, Axis(ticks, shares, unit))


def learning_curve(curve: Mapping[str, Sequence[tuple[int, float]]], names: Sequence[str]) -> str:
    """Return a plot of accuracy against training data, on a logarithmic axis.

    Parameters
    ----------
    curve : mapping of str to sequence of (int, float)
        For each name sizes of the training data, in sentences, and percentages.
    names : sequence of str
        Names of the systems: a curve of the same name has the same mark.
    """
    order = [*names, *(name for name in curve if name not in names)]
    lines = [[Point(math.log10(n), value) for n, value in sorted(curve.get(name, ())) if n > 0] for name in order]
    sizes = sorted({n for line in curve.values() for n, _ in line if n > 0})
    return line_plot(
        "Accuracy by training data", lines, Axis([(math.log10(n), count(n)) for n in sizes], (), "sentences")
    )


def line_plot(title: str, lines: Sequence[Sequence[Point]], axis: Axis) -> str:
    """Return a plot with a line for each system, in their order; intervals are thin uprights.

    Parameters
    ----------
    title : str
        What is drawn, for those who cannot see it.
    lines : sequence of sequence of Point
        From left to right.
    axis : Axis
        What is below.

    Examples
    --------
    >>> "<title>LAS by length</title>" in line_plot("LAS by length", [[Point(0, 90.0)]], Axis([(0, "1-10")]))
    True
    """
    bounds = [bound for line in lines for p in line for bound in (p.value, p.low, p.high) if bound is not None]
    places = [place for place, _ in axis.ticks]
    step, low, high = scale(min(bounds, default=0.0), max(bounds, default=100.0))
    bottom = BOTTOM - (STRIP + 8 if axis.shares else 0)
    field = Field(min(places, default=0.0), max(places, default=0.0), low, high, bottom)

    n_ticks = round((high - low) / step) + 1
    marks = [
        f'<path class="grid" d="M{LEFT:g},{field.y(tick):.1f}H{WIDTH - RIGHT:g}"/>'
        f'<text class="tick end" x="{LEFT - 7:g}" y="{field.y(tick) + 3.5:.1f}">{_tick(tick, step)}</text>'
        for tick in (low + step * i for i in range(n_ticks))
    ]
    marks += _below(axis, field)
    for i, line in enumerate(lines):
        aside = 3.0 * (i - (len(lines) - 1) / 2)  # so that intervals do not hide each other
        spots = [(field.x(p.x) + aside, field.y(p.value), p) for p in line]
        for x, _, p in spots:
            if p.low is not None and p.high is not None:
                path = f"M{x:.1f},{field.y(p.low):.1f}V{field.y(p.high):.1f}"
                marks.append(f'<path class="whisker" d="{path}" stroke="{colour(i)}"/>')
        if len(spots) > 1:
            path = "L".join(f"{x:.1f},{y:.1f}" for x, y, _ in spots)
            marks.append(f'<path class="line" d="M{path}" {stroke(i)}/>')
        marks += [f"<g><title>{rate(p.value)}</title>{mark(i, x, y)}</g>" for x, y, p in spots]
    return _svg(title, WIDTH, HEIGHT, marks)


class Field(NamedTuple):
    """From the values of a plot to the places on it."""

    first: float
    last: float
    low: float
    high: float
    bottom: float

    def x(self, place: float) -> float:
        """Return how far to the right a place of the axis is."""
        left, right = LEFT + 16, WIDTH - RIGHT - 16
        return left + (place - self.first) / ((self.last - self.first) or 1.0) * (right - left)

    def y(self, value: float) -> float:
        """Return how far down a value is."""
        return self.bottom - (value - self.low) / (self.high - self.low) * (self.bottom - TOP)


def scale(low: float, high: float) -> tuple[float, float, float]:
    """Return the step of an axis of percentages and its ends: round numbers around all values.

    Examples
    --------
    >>> scale(71.3, 93.8), scale(89.0, 89.0), scale(100.0, 100.0)
    ((5.0, 70.0, 95.0), (0.5, 88.5, 89.5), (0.5, 99.5, 100.0))
    """
    step = next((step for step in (0.5, 1.0, 2.0, 5.0, 10.0, 20.0) if high - low <= 5 * step), 20.0)
    bottom, top = math.floor(low / step) * step, math.ceil(high / step) * step
    return (step, bottom, top) if bottom < top else (step, max(bottom - step, 0.0), min(top + step, 100.0))


def forest(evaluation: Evaluation, metric: str, names: Sequence[str]) -> str:
    """Return the intervals of all systems below each other, as a list: it fits itself to the width of the page.

    Parameters
    ----------
    evaluation : Evaluation
        Where they come from.
    metric : str
        Of which rate.
    names : sequence of str
        What the systems are called.
    """
    rates = [system.rates[metric] for system in evaluation.systems]
    bounds = [bound for r in rates for bound in (r.value, r.low, r.high) if bound is not None]
    step, low, high = scale(min(bounds, default=0.0), max(bounds, default=100.0))

    def x(value: float) -> str:
        return f"{100 * (value - low) / (high - low):.2f}%"

    ticks = [low + step * i for i in range(round((high - low) / step) + 1)]
    grid = "".join(f'<i class="grid" style="left:{x(tick)}"></i>' for tick in ticks)
    items = []
    for i, (name, r) in enumerate(zip(names, rates, strict=True)):
        track = grid
        if r.value is not None and r.low is not None and r.high is not None:
            ends = f"left:{x(r.low)};right:calc(100% - {x(r.high)});background:{colour(i)}"
            track += f'<i class="interval" style="{ends}"></i>{sample(i, f"left:{x(r.value)}")}'
        value = f'<span class="value">{rate(r.value)} <small>{span(r.low, r.high)}</small></span>'
        items.append(f'<li>{named(i, name)}<span class="track" aria-hidden="true">{track}</span>{value}</li>')
    labels = "".join(f'<i style="left:{x(tick)}">{_tick(tick, step)}</i>' for tick in ticks)
    axis = f'<li class="axis" aria-hidden="true"><span class="track">{labels}</span></li>'
    return f'<ul class="forest">{"".join(items)}{axis}</ul>'


def _tick(value: float, step: float) -> str:
    return f"{value:.1f}" if step < 1 else f"{value:.0f}"


def _below(axis: Axis, field: Field) -> list[str]:
    """Return the names of the ticks, as many as there is room for, and the bars of the shares."""
    marks, end = list[str](), -math.inf
    for place, name in axis.ticks:
        half = ems(name) * TICK / 2
        if field.x(place) - half > end:
            marks.append(f'<text class="tick" x="{field.x(place):.1f}" y="{BOTTOM + 16:g}">{text(name)}</text>')
            end = field.x(place) + half + 3
    most = max(axis.shares, default=1.0)
    for (place, _), share in zip(axis.ticks, axis.shares, strict=False):
        height = STRIP * share / most
        path = f"M{field.x(place) - 8:.1f},{BOTTOM:g}v-{height:.1f}h16v{height:.1f}z"
        marks.append(f'<path class="share" d="{path}"><title>{100 * share:.1f} % of the tokens</title></path>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    return [*marks, f'<text class="tick" x="{middle:g}" y="{BOTTOM + 36:g}">{text(axis.caption)}</text>']


def _svg(title: str, width: float, height: float, marks: Sequence[str]) -> str:
    return (
        f'<svg class="plot" role="img" viewBox="0 0 {width:g} {height:g}" style="max-width:{1.2 * width:g}px">'
        f"<title>{text(title)}</title>{''.join(marks)}</svg>"
    )
