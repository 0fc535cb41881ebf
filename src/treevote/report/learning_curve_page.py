"""A learning curve as a page: the rounds as a line, the next sentences as a point with its range, and a table."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from treevote.drawing.widths import ems
from treevote.evaluation.learning_curve import MORE, Forecast, Round, forecast
from treevote.report import page
from treevote.report.learning_curve import BY_FOLDS, rounds_of, same_measure, sentence
from treevote.report.plots import TICK, Plot, Scale, Spot, height_of, place_of


def write_page(
    models: Mapping[str, Mapping[str, Any]], path: str | os.PathLike[str], *, command: str = "", date: str = ""
) -> None:
    """Write the page of models, by name and facts; the same arguments give the same bytes."""
    rounds = rounds_of(models)
    found = forecast(rounds)
    page.write_page(
        "learning_curve.html",
        path,
        command=command,
        date=date,
        forecast=found,
        note="" if same_measure(models) else BY_FOLDS,
        plot=plot(rounds, found),
        rounds=rounds,
        sentence=sentence(rounds, found),
    )


def plot(rounds: Sequence[Round], found: Forecast | None) -> Plot:
    """Return the plot: LAS by the number of sentences, and a line from the last round to the forecast.

    The range of the forecast ends at 0 and 100.
    """
    last, more = rounds[-1], []
    if found is not None:
        more = [min(100.0, max(0.0, last.las + gain)) for gain in (found.gain, found.low, found.high)]
    scale = Scale.of([*(one.las for one in rounds), *more])
    sizes = [one.sentences for one in rounds] + [last.sentences + MORE] * (found is not None)
    spread = max(1, sizes[-1] - sizes[0])

    def x(size: int) -> float:
        return place_of((size - sizes[0]) / spread)

    def y(las: float) -> float:
        return height_of(scale.share(las))

    lines = [[Spot(x(one.sentences), y(one.las), one.las, None, None) for one in rounds]]
    if found is not None:
        point, low, high = more
        lines.append([lines[0][-1], Spot(x(sizes[-1]), y(point), point, y(low), y(high))])
    ticks: list[tuple[float, str]] = []
    for size in reversed(sizes):  # the last ones are of interest
        name = f"{size:,}"
        if not ticks or x(size) + (ems(name) + ems(ticks[-1][1])) * TICK / 2 + 3 < ticks[-1][0]:
            ticks.append((x(size), name))
    grid = [(height_of(share), name) for share, name in scale.ticks]
    return Plot("LAS by sentences", "LAS", "sentences", grid, ticks[::-1], [], lines, scale.starts)
