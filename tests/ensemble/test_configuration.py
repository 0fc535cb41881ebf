"""Configurations: their defaults, and names of members."""

from __future__ import annotations

from treevote.ensemble.configuration import Configuration, ensemble_of
from treevote.ensemble.members import DEFAULT_MEMBERS, known_members


def test_the_default_seed_is_that_of_the_command() -> None:
    assert Configuration().seed == 0


def test_a_member_that_is_named_again_gets_a_number() -> None:
    trainer = ensemble_of(Configuration(members=("pipeline",) * 4))
    assert list(trainer.members) == ["pipeline", "pipeline-2", "pipeline-3", "pipeline-4"]


def test_default_and_all_stand_for_several_members() -> None:
    assert tuple(ensemble_of(Configuration(members=("biaffine", "default"))).members) == ("biaffine", *DEFAULT_MEMBERS)
    assert set(ensemble_of(Configuration(members=("all",))).members) == set(known_members())
