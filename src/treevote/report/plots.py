"""Geometry of the plots, which templates draw: a line for each system in a look of its own, the axis of percentages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from treevote.drawing.widths import ems
from treevote.evaluation.results import Cell, Evaluation, Group

WIDTH, HEIGHT, TICK = 340, 270, 11
LEFT, RIGHT, TOP, BOTTOM = 36, 328, 12, 226
STRIP = 24
"""Size of a plot and of its type, the edges of the field in it, and the height of the bars below it, in CSS pixels."""


class Series(NamedTuple):
    """The look of a system: an SVG path around its point, a pattern of dashes, a colour on light and on dark paper."""

    mark: str
    dashes: str
    light: str
    dark: str


SERIES = (
    Series("m-4,0a4,4 0 1 0 8,0a4,4 0 1 0 -8,0z", "none", "#0b5c8a", "#6db6e8"),  # disc
    Series("m-3.6,-3.6h7.2v7.2h-7.2z", "7 3", "#b3400f", "#f0955f"),  # square
    Series("m0,-4.6l4.6,8h-9.2z", "2 3", "#4b7a1d", "#9bc95f"),  # triangle
    Series("m0,-5l5,5l-5,5l-5,-5z", "9 3 2 3", "#7a3e9d", "#c79bea"),  # diamond
    Series("m0,4.6l4.6,-8h-9.2z", "4 2", "#8a6d00", "#d9b84a"),  # inverted triangle
    Series("m-4.4,-1.4h3v-3h2.8v3h3v2.8h-3v3h-2.8v-3h-3z", "1.5 2", "#52606d", "#a3b1bf"),  # cross
)
"""The looks of the systems in turn."""

PLOTTED = (
    ("sentence length", "Sentence length", "words"),
    ("length", "Dependency length", "words from head to dependent"),
    ("distance to root", "Distance to the root", "arcs"),
)
"""Plotted breakdowns: first words of the name, title and unit. Of several breakdowns the finest is plotted."""

MIN_TOKENS = 20
"""Minimum number of tokens of a group: fewer make a line jump."""


class Scale(NamedTuple):
    """An axis of percentages: the distance of its ticks, and its ends."""

    step: float
    low: float
    high: float

    @staticmethod
    def of(values: Iterable[float | None]) -> Scale:
        """Return round numbers around all values."""
        known = [value for value in values if value is not None] or [0.0, 100.0]
        low, high = min(known), max(known)
        step = next((step for step in (0.5, 1.0, 2.0, 5.0, 10.0, 20.0) if high - low <= 5 * step), 20.0)
        bottom, top = math.floor(low / step) * step, math.ceil(high / step) * step
        if bottom == top:
            bottom, top = max(bottom - step, 0.0), min(top + step, 100.0)
        return Scale(step, bottom, top)

    @property
    def ticks(self) -> Iterator[tuple[float, str]]:
        """The share of the axis up to each tick, 0 to 1, and its name."""
        for i in range(round((self.high - self.low) / self.step) + 1):
            tick = self.low + self.step * i
            yield self.share(tick), f"{tick:.1f}" if self.step < 1 else f"{tick:.0f}"

    @property
    def starts(self) -> str:
        """Where the axis starts, in words, unless it is 0."""
        return f"the axis starts at {self.low:g}" if self.low else ""

    def share(self, value: float) -> float:
        """Return the share of the axis up to a value, 0 to 1."""
        return (value - self.low) / (self.high - self.low)


class Spot(NamedTuple):
    """A point of a line, in CSS pixels, its value, and the ends of its interval if there is one."""

    x: float
    y: float
    value: float
    low: float | None
    high: float | None


class Plot(NamedTuple):
    """A plot in CSS pixels, of a figure (LAS or F1) by groups in a unit.

    ``grid`` has height and name of each tick of the axis of percentages, ``ticks`` place and name of groups with room
    below, ``bars`` place, height and percentage of the tokens of each group, and ``lines`` the spots of each system.
    ``starts`` tells where the axis starts if not at 0; ``diagonal`` is the path of perfect calibration.
    """

    title: str
    figure: str
    unit: str
    grid: list[tuple[float, str]]
    ticks: list[tuple[float, str]]
    bars: list[tuple[float, float, float]]
    lines: list[list[Spot]]
    starts: str = ""
    diagonal: str = ""
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = RIGHT
    bottom: int = BOTTOM


def place_of(share: float) -> float:
    """Return the place of a share of the horizontal axis."""
    return round(LEFT + 16 + share * (RIGHT - LEFT - 32), 1)


def height_of(share: float, base: int = BOTTOM - 8) -> float:
    """Return the height of a share of the axis of percentages, which begins at a base."""
    return round(base - share * (base - TOP), 1)


def plots(evaluation: Evaluation) -> list[Plot]:
    """Return a plot for each breakdown in ``PLOTTED`` with two groups or more that are large enough."""
    drawn = []
    for name, title, unit in PLOTTED:
        found = [parts.groups for parts in evaluation.breakdowns if parts.ordered and parts.name.startswith(name)]
        groups = [group for group in max(found, key=len, default=()) if group.tokens >= MIN_TOKENS]
        if len(groups) > 1:
            drawn.append(plot(groups, title, unit, evaluation.scored))
    return drawn


def plot(groups: Sequence[Group], title: str, unit: str, total: int) -> Plot:
    """Return the plot of a breakdown: LAS, or F1 where a system may have other tokens in a group than the gold tree.

    The bars are shares of the ``total`` of tokens, also of those in groups that are left out.
    """
    n_systems = len(groups[0].cells)
    scale = Scale.of(bound for group in groups for cell in group.cells for bound in _point(cell))
    most = max(group.tokens for group in groups)
    places = [LEFT + 16 + i / (len(groups) - 1) * (RIGHT - LEFT - 32) for i in range(len(groups))]
    y = partial(height_of, base=BOTTOM - STRIP - 8)

    def spots(system: int) -> Iterator[Spot]:
        aside = 3 * (system - (n_systems - 1) / 2)  # so that intervals do not hide each other
        for x, group in zip(places, groups, strict=True):
            value, *ends = _point(group.cells[system])
            if value is not None:
                low, high = (None if end is None else y(scale.share(end)) for end in ends)
                yield Spot(round(x + aside, 1), y(scale.share(value)), value, low, high)

    ticks, bars, end = [], [], -math.inf
    for x, group in zip(places, groups, strict=True):
        bars.append((round(x, 1), round(STRIP * group.tokens / most, 1), 100 * group.tokens / total))
        half = ems(group.value) * TICK / 2
        if x - half > end:
            ticks.append((round(x, 1), group.value))
            end = x + half + 3
    return Plot(
        title,
        "F1" if any(cell.f1 is not None for group in groups for cell in group.cells) else "LAS",
        unit,
        [(y(share), name) for share, name in scale.ticks],
        ticks,
        bars,
        [list(spots(system)) for system in range(n_systems)],
        scale.starts,
    )


def calibration(evaluation: Evaluation) -> Plot | None:
    """Return the reliability curve: accuracy by confidence, for the systems whose files carry one; None without any."""
    found = [system.reliability["label"]["bins"] if system.reliability else [] for system in evaluation.systems]
    if not any(found):
        return None
    least = min(min(mean, accuracy) for bins in found for _, mean, accuracy in bins)
    scale = Scale.of([100 * least, 100.0])

    def spot(mean: float, accuracy: float) -> Spot:
        return Spot(place_of(scale.share(mean)), height_of(scale.share(accuracy)), accuracy, None, None)

    return Plot(
        "Confidence and accuracy",
        "right",
        "confidence of arc and label, in percent",
        [(height_of(share), name) for share, name in scale.ticks],
        [(place_of(share), name) for share, name in scale.ticks],
        [],
        [[spot(100 * mean, 100 * accuracy) for _, mean, accuracy in bins] for bins in found],
        scale.starts,
        f"M{place_of(0)},{height_of(0)}L{place_of(1)},{height_of(1)}",
    )


def _point(cell: Cell) -> tuple[float | None, float | None, float | None]:
    """Return the value that is plotted, and the ends of its interval."""
    if cell.f1 is not None:
        return cell.f1, None, None
    return (cell.las.value, cell.las.low, cell.las.high) if cell.precision is None else (None, None, None)
