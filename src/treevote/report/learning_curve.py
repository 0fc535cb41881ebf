"""A learning curve as text and as data."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from treevote.errors import ConfigError
from treevote.evaluation.learning_curve import LEVEL, MORE, Forecast, Round, forecast
from treevote.evaluation.verdict import signed
from treevote.terminal import table
from treevote.visibility import visible

BY_FOLDS = (
    "Each model is measured by folds of its own training data, which change from round to round; measure all on one "
    "development set (--dev) to compare them strictly."
)


def rounds_of(models: Mapping[str, Mapping[str, Any]]) -> list[Round]:
    """Return the rounds of models, by name and facts, the smallest first; ConfigError if one was not measured."""
    found = []
    for name, facts in models.items():
        if "scores" not in facts:
            raise ConfigError(
                f"{name} was not measured, so it has no place on a curve; train it with --folds 3 or --dev"
            )
        data = facts["training"]
        found.append(Round(name, data["sentences"], data["tokens"], facts["scores"]["vote"]["las"]))
    return sorted(found, key=lambda one: one.sentences)


def same_measure(models: Mapping[str, Mapping[str, Any]]) -> bool:
    """Tell whether all models were measured on one development set."""
    sets = {(facts.get("development") or {}).get("sha256") for facts in models.values()}
    return len(sets) == 1 and None not in sets


def as_data(models: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the rounds and the forecast."""
    rounds = rounds_of(models)
    found = forecast(rounds)
    return {
        "rounds": [one._asdict() for one in rounds],
        "one_development_set": same_measure(models),
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
    lines = [table(["round", "sentences", "tokens", "LAS", ""], rows), sentence(rounds, forecast(rounds))]
    return "\n".join(lines if same_measure(models) else [*lines, BY_FOLDS])


def sentence(rounds: Sequence[Round], found: Forecast | None) -> str:
    """Return what the next sentences are worth, in words."""
    if found is None and rounds[-1].las >= 100:
        return "No forecast: nothing is left to gain on these sentences."
    if found is None:
        return "No forecast: it takes three rounds of different sizes, as two say nothing of its uncertainty."
    return (
        f"The next {MORE} sentences are worth {signed(found.gain)} LAS ({LEVEL:.0%} range {signed(found.low)} to "
        f"{signed(found.high)}), if the error goes on falling as a power of the size (exponent {found.exponent:.2f})."
    )
