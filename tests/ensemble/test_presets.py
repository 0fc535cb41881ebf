"""Presets: the fast one is one parser that nothing is measured on, the best one treats directions alike."""

from __future__ import annotations

from treevote.ensemble.configuration import PRESETS


def test_the_fast_preset_measures_nothing() -> None:
    assert PRESETS["fast"].folds == 0
    assert list(PRESETS["fast"].member.values()) == [{"search": "greedy"}]


def test_directions_have_the_same_settings() -> None:
    forward, backward = (PRESETS["best"].member[f"lr-structured-{name}"] for name in ("forward", "backward"))
    assert forward == backward == {"width": 16}
