"""Presets: the fast one is one parser that nothing is measured on, the best one has two networks more."""

from __future__ import annotations

from treevote.ensemble.configuration import PRESETS, ensemble_of
from treevote.ensemble.members import DEFAULT_MEMBERS


def test_the_fast_preset_measures_nothing() -> None:
    assert PRESETS["fast"].folds == 0
    assert list(PRESETS["fast"].member.values()) == [{"search": "greedy"}]


def test_the_best_preset_adds_two_neural_parsers_to_the_default_members() -> None:
    trainer = ensemble_of(PRESETS["best"])
    assert tuple(trainer.members) == (*DEFAULT_MEMBERS, "biaffine", "biaffine-2")
    assert (trainer.weights, trainer.select) == ("learned", False)
