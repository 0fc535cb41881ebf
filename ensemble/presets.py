"""Presets of a training: one fast parser, the default ensemble, and the best vote among all families."""

from __future__ import annotations

from typing import Literal, TypeAlias

from treevote.ensemble.configuration import Configuration

Preset: TypeAlias = Literal["fast", "default", "best"]

PRESETS: dict[Preset, Configuration] = {
    "fast": Configuration(member={"lr-maxent-forward": {"search": "greedy"}}, folds=0),
    "default": Configuration(),
    "best": Configuration(
        members=(
            "lr-maxent-forward",
            "lr-maxent-backward",
            "lr-svm-forward",
            "lr-svm-backward",
            "graph-mira",
            "graph-perceptron",
            "pipeline",
            "decision-list",
        ),
        select=True,
    ),
}
"""Configurations by name."""
