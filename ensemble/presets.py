"""Presets of a training: one fast parser, the default ensemble, and the best vote among eight members."""

from __future__ import annotations

from typing import Literal, TypeAlias

from treevote.ensemble.configuration import Configuration

Preset: TypeAlias = Literal["fast", "default", "best"]

PRESETS: dict[Preset, Configuration] = {
    "fast": Configuration(member={"lr-maxent-forward": {"search": "greedy"}}, folds=0),
    "default": Configuration(),
    "best": Configuration(
        members=(
            "lr-structured-forward",
            "graph-mira",
            "pipeline",
            "lr-structured-backward",
            "lr-structured-forward",
            "lr-structured-backward",
            "lr-maxent-forward",
            "lr-maxent-backward",
        ),
        member={"lr-structured-forward": {"width": 16}, "lr-structured-backward": {"width": 16}},
        select=True,
    ),
}
"""Configurations by name."""
