"""``parse --lights``: a light for each arc in MISC, by limits that the model holds."""

from __future__ import annotations

from pathlib import Path

import pytest

import treevote
from tests.command_line import fails, run
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_parser import SMALL
from treevote.conll.writer import write
from treevote.evaluation.lights import NAMES, Lights


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    room = tmp_path_factory.mktemp("lights")
    trainer = treevote.EnsembleTrainer({"forward": SMALL, "backward": SMALL})
    treevote.save(trainer.train(toy_treebank(60, 1, crossing=True), toy_treebank(40, 3)), room / "model")
    treevote.save(trainer.train(toy_treebank(20, 1)), room / "bare")
    write(toy_treebank(20, 2, crossing=True), room / "test.conllu")
    return room


def items(path: Path) -> list[dict[str, str]]:
    rows = [line.split("\t")[9] for line in path.read_text("utf-8").splitlines() if line[:1].isdigit()]
    return [dict(item.split("=") for item in row.split("|")) for row in rows]


def test_lights_follow_the_confidence_and_the_limits_of_the_model(folder: Path, tmp_path: Path) -> None:
    alone, both = tmp_path / "alone.conllu", tmp_path / "both.conllu"
    run("parse", folder / "model", folder / "test.conllu", "--lights", "-o", alone)
    run("parse", folder / "model", folder / "test.conllu", "--lights", "--confidence", "--jobs", 2, "-o", both)
    limits = Lights.from_facts(treevote.load(folder / "model").facts)
    assert limits is not None
    for light, each in zip(items(alone), items(both), strict=True):
        assert light.keys() == {"Light"}
        assert light["Light"] == each["Light"] in NAMES
        assert each["Light"] == limits.of(float(each["LabelConfidence"]))


def test_lights_of_an_earlier_parse_do_not_stay_beside_a_new_confidence(folder: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.conllu", tmp_path / "second.conllu"
    run("parse", folder / "model", folder / "test.conllu", "--lights", "-o", first)
    run("parse", folder / "model", first, "--confidence", "-o", second)
    assert {frozenset(each) for each in items(second)} == {frozenset({"Confidence", "LabelConfidence"})}


def test_a_model_without_development_data_has_no_lights(folder: Path, tmp_path: Path) -> None:
    sentence = fails("parse", folder / "bare", folder / "test.conllu", "--lights", "-o", tmp_path / "out.conllu")
    assert "the model has no lights; train it with a development set (--dev), or with --folds" in sentence
    member = "--member", "forward"
    sentence = fails("parse", folder / "model", folder / "test.conllu", "--lights", *member, "-o", tmp_path / "out")
    assert "support, confidence and lights belong to a vote, not to forward alone" in sentence
