"""``treevote train``: what it measures on, what it leaves out, and its presets."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import content, fails, run
from tests.paths import TOY
from treevote import train
from treevote.commands.train import FEW, FEWEST, FOLDS, chosen
from treevote.commands.treebanks import read_training
from treevote.conll.reader import read
from treevote.ensemble.annotator_trainer import AnnotatorTrainer
from treevote.ensemble.parser import load
from treevote.ensemble.selection import LARGEST
from treevote.errors import ConfigError, TreevoteWarning
from treevote.report.scores import HALVES

MEMBERS = ("lr-svm-forward", "lr-svm-backward")
BARE = "1\tdogs\tdog\tNOUN\t_\t_\t_\t_\t_\t_\n2\tbark\tbark\tVERB\t_\t_\t_\t_\t_\t_\n\n"


def repeated(path: Path, times: int) -> Path:
    path.write_bytes(TOY.read_bytes() * times)
    return path


def facts(model: Path) -> Any:
    return load(model).facts


def sentences(given: pytest.WarningsRecorder) -> list[str]:
    return [str(warning.message) for warning in given]


def test_sentences_without_trees_are_left_out_and_counted(tmp_path: Path) -> None:
    some = tmp_path / "toy.conllu"
    some.write_text(BARE + TOY.read_text("utf-8") + BARE, "utf-8")
    with pytest.warns(TreevoteWarning) as said:
        train(some, some, output=tmp_path / "some", members=MEMBERS)
    train(TOY, TOY, output=tmp_path / "all", members=MEMBERS)
    assert content(tmp_path / "some") == content(tmp_path / "all")
    left_out = f"{some}: 2 of 14 sentences have no tree and are left out"
    learned = "toy.conllu: 100 % of its sentences are among the training data: what is measured on them is too good"
    assert sentences(said) == [left_out, left_out, learned]


def test_a_treebank_without_any_tree_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bare.conllu").write_text(BARE, "utf-8")
    sentence = fails("train", "--train", tmp_path / "bare.conllu", "-o", tmp_path / "model")
    assert "expected trees, found a file without: every HEAD is '_'" in sentence


def test_words_without_a_head_are_counted_and_whole_trees_alone_are_measured(tmp_path: Path) -> None:
    half, some = BARE.replace("_\t_\t_\t_\n\n", "0\troot\t_\t_\n\n"), tmp_path / "some.conllu"
    some.write_text(half + BARE + TOY.read_text("utf-8"), "utf-8")
    with pytest.warns(TreevoteWarning) as said:
        train(some, output=tmp_path / "some", members=MEMBERS, folds=2)
    n = read(TOY).n_sentences
    assert sentences(said) == [
        f"{some}: 1 of {n + 2} sentences have no tree and are left out".replace(
            "have no tree and are", "has no tree and is"
        ),
        f"{some}: 1 word has no head, in 1 of {n + 1} sentences; "
        "members that have learned from the whole ones complete these trees",
    ]
    assert facts(tmp_path / "some")["training"]["sentences"] == n + 1
    assert facts(tmp_path / "some")["familiarity"]["tokens"] == read(TOY).n_tokens


def test_open_labels_beside_heads_are_told(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    tree = BARE.replace("_\t_\t_\t_\n2", "2\t_\t_\t_\n2").replace("_\t_\t_\t_\n\n", "0\troot\t_\t_\n\n")
    some = tmp_path / "some.conllu"
    some.write_text(tree + TOY.read_text("utf-8"), "utf-8")
    read_training([some], "auto")
    assert sentences(recwarn)[-1] == (
        f"{some}: 1 word has a head and the label _, which counts as any other label; "
        "write the right labels, or _ as HEAD as well"
    )
    some.write_text(tree.replace("root", "_"), "utf-8")  # a treebank without labels
    recwarn.clear()
    read_training([some], "auto")
    assert not any("the label _" in warning for warning in sentences(recwarn))


def test_partial_trees_need_a_whole_one(tmp_path: Path) -> None:
    half = tmp_path / "half.conllu"
    half.write_text(BARE.replace("_\t_\t_\t_\n\n", "0\troot\t_\t_\n\n"), "utf-8")
    sentence = run("train", "--train", half, "-o", tmp_path / "model", code=1)
    assert "expected some whole trees to learn from, found sentences without a part of their heads" in sentence
    sentence = fails("train", "--train", TOY, "--dev", half, "-o", tmp_path / "model")
    assert "sentence 1: expected a HEAD in 0..2, found '_' (unknown)" in sentence


def test_a_small_treebank_is_measured_on_folds_by_default(tmp_path: Path) -> None:
    n_toys = -(-FEWEST // read(TOY).n_sentences)
    enough, fewer = repeated(tmp_path / "enough", n_toys), repeated(tmp_path / "fewer", n_toys - 1)
    train(enough, output=tmp_path / "measured", members=MEMBERS)
    assert facts(tmp_path / "measured")["folds"] == FOLDS
    assert load(tmp_path / "measured").has_confidence
    train(enough, output=tmp_path / "none", members=MEMBERS, folds=0)
    assert "folds" not in facts(tmp_path / "none")
    assert FEWEST < FEW
    report = run("train", "--train", fewer, "-o", tmp_path / "bare", "--members", MEMBERS[0])
    assert "not measured: no scores and no confidence; add --dev FILE, or --folds 3" in report
    assert "folds" not in facts(tmp_path / "bare")


def test_a_training_is_measured_on_one_thing(tmp_path: Path) -> None:
    sentence = fails("train", "--train", TOY, "--dev", TOY, "--folds", 2, "-o", tmp_path / "model")
    assert "measured on a development set or on folds; leave one of them out" in sentence


def test_the_fast_preset_is_one_greedy_parser(tmp_path: Path) -> None:
    run("train", "--train", TOY, "-o", tmp_path / "model", "--fast")
    (member,) = load(tmp_path / "model").members.values()
    assert member.trainer.search == "greedy"


@pytest.mark.parametrize("options", [(), ("--best",)])
def test_a_network_tags_in_the_best_preset_alone(
    tmp_path: Path, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[AnnotatorTrainer] = []

    def refused(*files: object, annotator: AnnotatorTrainer, **others: object) -> None:
        asked.append(annotator)
        raise ConfigError("not trained")

    monkeypatch.setattr("treevote.commands.train.train", refused)
    assert "not trained" in fails("train", "--train", TOY, "-o", tmp_path / "model", "--from-tokens", *options)
    assert [annotator.tagger.neural is not None for annotator in asked] == [bool(options)]


@pytest.mark.parametrize("options", [("--fast", "--best"), ("--fast", "--members", "a"), ("--best", "--members", "a")])
def test_presets_exclude_each_other_and_members(tmp_path: Path, options: tuple[str, ...]) -> None:
    assert "give one of them" in fails("train", "--train", TOY, "-o", tmp_path / "model", *options)


def test_a_greedy_search_has_no_width(tmp_path: Path) -> None:
    said = fails("train", "--train", TOY, "-o", tmp_path / "model", "--fast", "--search", "greedy", "--beam", "8")
    assert "--search greedy has no width; leave --beam out, or choose --search beam or best-first" in said
    assert not (tmp_path / "model").exists()


def test_a_selection_needs_several_members_and_chooses_their_weights(tmp_path: Path) -> None:
    arguments = ("train", "--train", TOY, "--dev", TOY, "-o", tmp_path / "model", "--select")
    assert "--fast has one member, and nothing to select from" in fails(*arguments, "--fast")
    assert "chooses their weights as well" in fails(*arguments, "--members", ",".join(MEMBERS), "--weights", "equal")


def test_too_many_members_to_select_from_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "dev.conllu").write_text(TOY.read_text("utf-8").replace("\tdet\t", "\todd\t"), "utf-8")  # a warning
    arguments = ("--dev", tmp_path / "dev.conllu", "-o", tmp_path / "model", "--select")
    said = fails("train", TOY, *arguments, "--members", ",".join(["pipeline"] * (LARGEST + 1)))
    assert f"a selection has {LARGEST} members at most, found {LARGEST + 1}; name fewer" in said


def test_zero_is_a_seed_and_a_number_of_folds(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("seed = 1\nfolds = 2\n")
    configuration = chosen(tmp_path / "config.toml", "default", {"seed": 0, "folds": 0, "members": (), "select": False})
    assert (configuration.seed, configuration.folds, configuration.select) == (0, 0, False)


def test_a_preset_is_no_configuration_file(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("seed = 1\n")
    sentence = fails("train", "--train", TOY, "-o", tmp_path / "model", "--fast", "--config", tmp_path / "config.toml")
    assert "leave it out, or --config" in sentence


@pytest.mark.parametrize("weights", ["equal", "learned"])
def test_a_vote_whose_weights_were_learned_on_the_development_data_is_explained(tmp_path: Path, weights: str) -> None:
    dev = repeated(tmp_path / "dev.conllu", 8)
    options = ("--dev", dev, "--members", ",".join(MEMBERS), "--weights", weights)
    said = run("train", TOY, *options, "-o", tmp_path / "model")
    run("parse", tmp_path / "model", dev, "-o", tmp_path / "parse.conllu")
    (system,) = json.loads(run("evaluate", dev, tmp_path / "parse.conllu", "--json"))["systems"]
    assert facts(tmp_path / "model")["weights"] == weights
    assert (" ".join(HALVES.split()) in " ".join(said.split())) == (weights == "learned")
    if weights == "equal":
        assert re.findall(r"^vote +(\S+)", said, re.MULTILINE)[0] == f"{system['rates']['LAS']['value']:.2f}"
