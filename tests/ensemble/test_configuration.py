"""Configurations: their defaults, and names of members."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.toy_grammar import toy_treebank
from tests.values import comparing_arrays, settable
from treevote.ensemble.configuration import Configuration, ensemble_of
from treevote.ensemble.members import DEFAULT_MEMBERS, kind_of, known_members
from treevote.errors import ConfigError


def test_the_default_seed_is_that_of_the_command() -> None:
    assert Configuration().seed == 0


def test_a_member_that_is_named_again_gets_a_number() -> None:
    trainer = ensemble_of(Configuration(members=("pipeline",) * 4))
    assert list(trainer.members) == ["pipeline", "pipeline-2", "pipeline-3", "pipeline-4"]


def test_default_and_all_stand_for_several_members() -> None:
    assert tuple(ensemble_of(Configuration(members=("biaffine", "default"))).members) == ("biaffine", *DEFAULT_MEMBERS)
    assert set(ensemble_of(Configuration(members=("all",))).members) == set(known_members())


def test_a_copy_takes_the_name_of_no_other_member() -> None:
    tables = {"a": {"like": "lr-svm-forward"}, "a-2": {"like": "pipeline"}}
    members = ensemble_of(Configuration(members=("a", "a", "a-2"), member=tables)).members
    assert {name: kind_of(trainer) for name, trainer in members.items()} == {
        "a": "lr-parser",
        "a-3": "lr-parser",
        "a-2": "pipeline-parser",
    }


@given(st.permutations(["a", "b", "c"]))
def test_the_order_of_tables_does_not_matter(names: list[str]) -> None:
    tables: dict[str, Any] = {
        "a": {"like": "pipeline", "depth": 1},
        "b": {"like": "a", "cutoff": 7},
        "c": {"like": "b"},
    }
    found = ensemble_of(Configuration(members=("a", "b", "c"), member={name: tables[name] for name in names}))
    assert found == ensemble_of(Configuration(members=("a", "b", "c"), member=tables))
    assert found.members["c"] == found.members["b"] != found.members["a"]


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"a": {"like": "b"}, "b": {"like": "a"}}, "the members a, b are like each other"),
        ({"a": {"like": "pipeline", "kind": "lr-parser"}}, "expected pipeline-parser, the kind of pipeline, found lr-"),
        ({"wide": {"like": "wide"}}, "unknown member in member.wide.like 'wide'"),
    ],
)
def test_a_member_is_like_another_one(tables: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        ensemble_of(Configuration(member=tables))
    assert ensemble_of(Configuration(member={"pipeline": {"like": "pipeline"}})).members  # the known one


@pytest.mark.parametrize("settings", [5, [("width", 3)], {1: 2}])
def test_settings_are_a_table(settings: Any) -> None:
    with pytest.raises(ConfigError, match="settings: expected a table, found"):
        ensemble_of(Configuration(), settings)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"C": "x"}, "C: expected a number, found 'x'"),
        ({"epochs": True}, "epochs: expected a whole number, found True"),
    ],
)
def test_an_option_of_a_learner_has_its_type(options: dict[str, Any], said: str) -> None:
    trainer = ensemble_of(Configuration(member={"mine": {"like": "lr-svm-forward", "options": options}}))
    with pytest.raises(ConfigError, match=f"member mine: options.{said}"):
        trainer.train(toy_treebank(5, 1))


def test_what_members_make_is_a_value() -> None:
    assert settable("treevote.ensemble") == {"_Place"}  # of a model on disk, locked or not
    assert not comparing_arrays("treevote.ensemble")
