"""A learning curve as text, as data, and as a page: a line of rounds, a point with its range, and a table."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from typing import Any

from treevote.commands.inspect import facts_read
from treevote.drawing.widths import ems
from treevote.ensemble.parser import score_tags
from treevote.errors import ConfigError
from treevote.evaluation.learning_curve import LEVEL, MORE, Forecast, Round, forecast
from treevote.evaluation.verdict import signed
from treevote.report import page
from treevote.report.plots import TICK, Plot, Scale, Spot, height_of, place_of
from treevote.terminal import table
from treevote.visibility import visible


def rounds_of(models: Mapping[str, Mapping[str, Any]]) -> list[Round]:
    """Return the rounds of models, by name and facts, the smallest first.

    ConfigError if one was not measured, ModelError if its facts are none of a training.
    """
    found = []
    for name, facts in models.items():
        if "scores" not in facts:
            remedy = "train it with --folds 3 or --dev"
            raise ConfigError(f"{name} was not measured, so it has no place on a curve; {remedy}")
        with facts_read(name):
            data, las = facts["training"], float(facts["scores"]["vote"]["las"])
            found.append(Round(name, int(data["sentences"]), int(data["tokens"]), las))
    return sorted(found, key=lambda one: one.sentences)


def same_set(models: Mapping[str, Mapping[str, Any]]) -> bool:
    """Tell whether all models were measured on one development set."""
    sets = set[str | None]()
    for name, facts in models.items():
        with facts_read(name):
            sets.add((facts.get("development") or {}).get("sha256"))
    return len(sets) == 1 and None not in sets


def incomparable(models: Mapping[str, Mapping[str, Any]]) -> str:
    """Return why the scores of models do not compare strictly; empty if they do."""
    if not same_set(models):
        return (
            "The models were not measured on one development set, but on several, or on folds of their own training "
            "data; measure all on one (--dev) to compare them strictly."
        )
    if len({score_tags(facts) for facts in models.values()}) > 1:
        return "Some models were measured with gold tags, others with predicted ones: scores differ by that, too."
    return ""


def as_data(models: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the rounds and the forecast."""
    rounds = rounds_of(models)
    found = forecast(rounds)
    return {
        "rounds": [one._asdict() for one in rounds],
        "one_development_set": same_set(models),
        "incomparable": incomparable(models),
        "forecast": None if found is None else {"sentences": MORE, "level": LEVEL, **found._asdict()},
    }


def as_text(models: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the curve for a person to read."""
    rounds = rounds_of(models)
    gains = ["", *(signed(after.las - before.las) for before, after in itertools.pairwise(rounds))]
    rows = [
        [visible(one.model), f"{one.sentences:,}", f"{one.tokens:,}", f"{one.las:.2f}", gain]
        for one, gain in zip(rounds, gains, strict=True)
    ]
    lines = table(["round", "sentences", "tokens", "LAS", ""], rows), sentence(rounds, forecast(rounds))
    return "\n".join(filter(None, [*lines, incomparable(models)]))


def sentence(rounds: Sequence[Round], found: Forecast | None) -> str:
    """Return what the next sentences are worth, in words."""
    if found is None and any(one.las >= 100 for one in rounds):
        return "No forecast: a round without an error has nothing left to gain on these sentences."
    if found is None:
        return "No forecast: it takes three rounds of different sizes, as two say nothing of its uncertainty."
    return (
        f"The next {MORE} sentences are worth {signed(found.gain)} LAS ({LEVEL:.0%} range {signed(found.low)} to "
        f"{signed(found.high)}), if the error remains a power of the size (exponent {found.exponent:.2f})."
    )


def write_page(
    models: Mapping[str, Mapping[str, Any]], path: str | os.PathLike[str], *, command: str = "", date: str = ""
) -> None:
    """Write the page of models, by name and facts; the same arguments give the same bytes."""
    rounds = rounds_of(models)
    found = forecast(rounds)
    content = {"rounds": rounds, "forecast": found, "plot": plot(rounds, found)}
    told = {"sentence": sentence(rounds, found), "note": incomparable(models)}
    page.write_page("learning_curve.html", path, **content, **told, command=command, date=date)


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
