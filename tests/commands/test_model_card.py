"""The card of a model: what it knows, what a person tells, and when it should not be used."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

import treevote
from tests.command_line import fails, run
from tests.reference.toy_grammar import toy_treebank
from treevote.commands.inspect import inspect
from treevote.report.model import as_text

TOLD = """
name = "Toy <parser>"
language = "en"
licence = "CC0 | public"
data = "a grammar of toys"
not_for = ["poems"]
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("card") / "model"
    members = ["lr-svm-forward", "lr-svm-backward"]
    treevote.train(toy_treebank(30, seed=1), toy_treebank(20, seed=2), members=members, output=path)
    return path


@pytest.fixture
def told(tmp_path: Path) -> Path:
    path = tmp_path / "card.toml"
    path.write_text(TOLD)
    return path


def test_one_part_of_speech_with_weights_is_one(model: Path) -> None:
    facts = inspect(model)
    assert "of their own for 1 UPOS tag\n" in as_text(facts | {"votes": {**facts["votes"], "pos": ["NOUN"]}})


def test_a_card_as_text(model: Path, told: Path) -> None:
    text = run("inspect", model, "--card", told)
    assert text.startswith("Toy <parser>\n")
    for part in (
        "licence of data   CC0 | public",
        "30 sentences",
        "on development data, gold tags",
        "vote",
        "- poems",
        "- running text",
    ):
        assert part in text
    assert "is not stated" not in text


def test_a_card_as_markdown(model: Path, told: Path) -> None:
    text = run("inspect", model, "--card", told, "--markdown")
    assert text.startswith("# Toy &lt;parser>\n")
    assert "| licence of data | CC0 \\| public |" in text
    assert "## Scores on development data" in text
    assert "- poems\n" in text
    untold = run("inspect", model, "--markdown")
    assert "| licence of data | not stated |" in untold
    assert "is not stated" in untold


def test_a_card_as_json(model: Path, told: Path) -> None:
    card = json.loads(run("inspect", model, "--card", told, "--json"))["card"]
    assert card["training_data"]["licence"] == "CC0 | public"
    assert card["training_data"]["tokens"] == toy_treebank(30, seed=1).n_tokens
    assert set(card["scores"]) == {"lr-svm-forward", "lr-svm-backward", "vote"}
    assert card["not_for"][-1] == "poems"
    assert json.loads(run("inspect", model, "--json"))["card"]["training_data"]["licence"] is None


def test_a_model_that_was_not_measured_says_so(tmp_path: Path) -> None:
    treevote.train(toy_treebank(10, seed=1), members=["lr-svm-forward"], output=tmp_path / "model")
    text = run("inspect", tmp_path / "model", "--markdown")
    assert "it was not measured" in text
    assert "by their confidence: it has none" in text


def test_a_single_member_is_its_own_vote(told: Path, tmp_path: Path) -> None:
    members = ["lr-svm-forward"]
    treevote.train(toy_treebank(10, seed=1), toy_treebank(10, seed=2), members=members, output=tmp_path / "model")
    for options in (["--card", told], ["--markdown"]):
        assert "vote" not in run("inspect", tmp_path / "model", *options).split()


def test_one_thing_is_counted_as_one(model: Path, told: Path, tmp_path: Path) -> None:
    parser = treevote.load(model)
    facts: dict[str, Any] = {**parser.facts, "adaptation": {"rounds": [{}], "target_train": {"sentences": 1}}}
    facts["training"] = {**facts["training"], "sentences": 1, "labels": 1}
    treevote.save(dataclasses.replace(parser, facts=facts), tmp_path / "one")
    text = run("inspect", tmp_path / "one", "--card", told)
    assert "1 round, 1 labelled sentence\n" in text
    assert ", 1 sentence, " in text
    assert ", 1 label\n" in text


def test_a_file_that_cannot_be_used_is_told(model: Path, told: Path) -> None:
    assert "cannot read it" in fails("inspect", model, "--card", told.with_name("none.toml"))
    told.write_text("license = 'x'")
    assert "did you mean 'licence'" in fails("inspect", model, "--card", told)
    told.write_text("not_for = 'x'")
    assert "card.toml: not_for: expected an array" in fails("inspect", model, "--card", told)


@pytest.mark.parametrize(
    "damage", [{"scores": {"vote": [1]}}, {"scores": [3]}, {"training": 3, "development": [1]}], ids=str
)
def test_facts_of_no_training_are_told(model: Path, told: Path, tmp_path: Path, damage: dict[str, Any]) -> None:
    parser = treevote.load(model)
    treevote.save(dataclasses.replace(parser, facts={**parser.facts, **damage}), tmp_path / "damaged")
    package = "package", tmp_path / "damaged", "--name", "toy", "--licence", "MIT", "-o", tmp_path / "dist"
    reason = f"{tmp_path / 'damaged'}: the facts of the model are damaged"
    for options in (["--rounds", model], ["--card", told], ["--markdown"], []):
        assert reason in fails("inspect", tmp_path / "damaged", *options)
    assert reason in fails(*package)
    assert not (tmp_path / "dist").exists()
