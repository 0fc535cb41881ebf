"""``treevote clusters`` and ``--word-clusters``: from text to models that know words that they never saw."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import treevote
from tests.command_line import content, fails, run
from tests.commands.test_train_annotator import without_tags
from tests.paths import TOY
from tests.reference.toy_text import toy_tokenizer
from treevote.commands.model_card import NOTHING, card
from treevote.corpus.treebank import Treebank
from treevote.ensemble.annotator_trainer import AnnotatorTrainer
from treevote.ensemble.members import clusters_of
from treevote.ensemble.parser import EnsembleParser, load, save
from treevote.models.learning.clusters.clusters import Clusters
from treevote.models.learning.clusters.files import read_clusters
from treevote.models.text.tagging.tagger import Tagger
from treevote.models.text.text_annotator import TextAnnotator
from treevote.report.model import as_text

MEMBER = ("--members", "lr-svm-forward", "--search", "greedy")


@pytest.fixture(scope="module")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clusters") / "toy.paths"
    run("clusters", TOY, TOY, "-o", path, "--classes", 4)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, clusters: Path) -> Path:
    path = tmp_path_factory.mktemp("model") / "model"
    run("train", "--train", TOY, "-o", path, *MEMBER, "--from-tokens", "--word-clusters", clusters, "--folds", 0)
    return path


def of(model: Path) -> list[object]:
    """Return the clusters of the parsers and of the tagger of a model."""
    parser = load(model)
    assert isinstance(parser.annotator.tagger, Tagger)
    trainers = {name: member.trainer for name, member in parser.members.items()}
    return [clusters_of(trainers), parser.annotator.tagger.clusters]


def test_parsers_and_taggers_of_a_model_know_the_clusters(model: Path, clusters: Path) -> None:
    assert of(model) == 2 * [read_clusters(clusters)]
    n_words = len(read_clusters(clusters).words)
    assert f"clusters of {n_words:,} words" in run("inspect", model)
    facts = json.loads(run("inspect", model, "--json"))
    assert facts["clusters"] == n_words
    assert "clusters of 1 word\n" in as_text({**facts, "clusters": 1})


def test_any_jobs_give_the_same_bytes(model: Path, clusters: Path, tmp_path: Path) -> None:
    again = ("--from-tokens", "--word-clusters", clusters, "--folds", 0, "--jobs", 2, "--backend", "threading")
    run("train", "--train", TOY, "-o", tmp_path / "model", *MEMBER, *again)
    assert content(tmp_path / "model") == content(model)


def test_python_gives_the_same_bytes(clusters: Path, tmp_path: Path) -> None:
    run("train", "--train", TOY, "-o", tmp_path / "command", *MEMBER, "--word-clusters", clusters, "--folds", 0)
    own: dict[str, Any] = {"members": ["lr-svm-forward"], "settings": {"search": "greedy"}, "folds": 0}
    treevote.train(TOY, output=tmp_path / "path", clusters=clusters, **own)
    treevote.train(TOY, output=tmp_path / "object", clusters=read_clusters(clusters), **own)
    assert content(tmp_path / "path") == content(tmp_path / "object") == content(tmp_path / "command")


def test_python_adapts_with_other_clusters_to_the_same_bytes(clusters: Path, tmp_path: Path) -> None:
    run("train", "--train", TOY, "-o", tmp_path / "model", *MEMBER, "--folds", 0)
    own: Any = {"train": TOY, "scheme": "paper", "force": True}
    command = ("adapt", tmp_path / "model", TOY, "--train", TOY, "--scheme", "paper", "--force")
    run(*command, "--word-clusters", clusters, "-o", tmp_path / "command")
    treevote.adapt(tmp_path / "model", TOY, tmp_path / "path", clusters=clusters, **own)
    treevote.adapt(tmp_path / "model", TOY, tmp_path / "object", clusters=read_clusters(clusters), **own)
    assert content(tmp_path / "path") == content(tmp_path / "object") == content(tmp_path / "command")
    trainers = {name: member.trainer for name, member in load(tmp_path / "path").members.items()}
    assert clusters_of(trainers) == read_clusters(clusters)


def test_an_adapted_model_keeps_its_clusters_or_gets_others(model: Path, clusters: Path, tmp_path: Path) -> None:
    text = without_tags(TOY, tmp_path / "text.conllu")
    run("clusters", text, "-o", tmp_path / "new.paths", "--classes", 3)
    adapt = ("adapt", model, text, "--train", TOY, "--rounds", 1, "--force", "--committee", "lr-svm-forward,pipeline")
    run(*adapt, "-o", tmp_path / "kept")
    assert of(tmp_path / "kept") == of(model)
    run(*adapt, "-o", tmp_path / "new", "--word-clusters", tmp_path / "new.paths")
    assert of(tmp_path / "new") == 2 * [read_clusters(tmp_path / "new.paths")]


@pytest.mark.parametrize("retrained", ["parsers", "taggers"])
def test_what_is_not_retrained_keeps_its_clusters(
    model: Path, clusters: Path, tmp_path: Path, retrained: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("clusters", TOY, "-o", tmp_path / "new.paths", "--classes", 3)
    old, new = read_clusters(clusters), read_clusters(tmp_path / "new.paths")
    tagged_with: list[Clusters] = []

    def tagged(trainer: AnnotatorTrainer, treebank: Treebank, **_: object) -> Treebank:
        tagged_with.append(trainer.tagger.clusters)
        return treebank

    monkeypatch.setattr(AnnotatorTrainer, "tagged", tagged)
    text = without_tags(TOY, tmp_path / "text.conllu")
    judges = ("--rounds", 1, "--committee", "lr-svm-forward,pipeline") if retrained == "parsers" else ()
    adapt = ("adapt", model, text, "--train", TOY, "--force", *judges)
    run(*adapt, "--dev", TOY, "-o", tmp_path / "out", "--retrain", retrained, "--word-clusters", tmp_path / "new.paths")
    parsers, taggers = (new, old) if retrained == "parsers" else (old, new)
    assert of(tmp_path / "out") == [parsers, taggers]
    assert tagged_with == [taggers]
    assert json.loads(run("inspect", tmp_path / "out", "--json"))["clusters"] == len(parsers.words)


def test_the_card_tells_of_taggers_that_learned_other_clusters_and_no_sentence(model: Path, tmp_path: Path) -> None:
    run("clusters", TOY, "-o", tmp_path / "new.paths", "--classes", 3)
    adapt = ("adapt", model, TOY, "--train", TOY, "--dev", TOY, "--force", "--retrain", "taggers")  # TOY has its tags
    run(*adapt, "-o", tmp_path / "out", "--word-clusters", tmp_path / "new.paths")
    facts = json.loads(run("inspect", tmp_path / "out", "--json"))
    assert facts["adaptation"]["taggers"]["sentences"] == 0
    assert facts["card"]["adapted_taggers"]
    del facts["adaptation"]["taggers"]["retrained"]  # as in an older model
    for n_sentences in (0, 1):
        facts["adaptation"]["taggers"]["sentences"] = n_sentences
        assert card(facts, load(model), NOTHING)["adapted_taggers"] == bool(n_sentences)
        assert ("retrained once" in as_text(facts)) == bool(n_sentences)


def test_running_text_needs_a_model_with_a_tokenizer(model: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("the dog saw the cat. the dog saw the fish.\n", "utf-8")
    assert "expected CoNLL-U, found running text; name a model" in fails("clusters", text)
    assert "no tokenizer" in fails("clusters", text, "--model", model)
    parser = load(model)
    reads = EnsembleParser(parser.members, parser.judge, parser.facts, TextAnnotator(toy_tokenizer()))
    save(reads, tmp_path / "reads")
    found = run("clusters", text, "--model", tmp_path / "reads", "--classes", 2)
    assert found
    assert all(len(line.split("\t")) == 3 for line in found.splitlines())


def test_a_fault_is_one_sentence_and_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("0\ta\n2\tb\n", "utf-8")
    said = fails("train", "--train", TOY, "-o", tmp_path / "model", "--word-clusters", tmp_path / "bad")
    assert "bad, line 2: expected a path of zeros and ones" in said
    (tmp_path / "bad").write_text("01 a 3\n", "utf-8")
    said = fails("train", "--train", TOY, "-o", tmp_path / "model", "--word-clusters", tmp_path / "bad")
    assert "word clusters, with a tab behind the path and behind the word, are for --word-clusters" in said
    assert "at least 1,000 times, found none; give more text, or lower --least" in fails(
        "clusters", TOY, "-o", tmp_path / "out", "--least", 1000
    )
    (tmp_path / "text.conllu").write_bytes(TOY.read_bytes())
    assert "both read and written" in fails("clusters", tmp_path / "text.conllu", "-o", tmp_path / "text.conllu")
    assert (tmp_path / "text.conllu").read_bytes() == TOY.read_bytes()
    assert "no such file" in fails("clusters", tmp_path / "missing.conllu").lower()
    assert {path.name for path in tmp_path.iterdir()} == {"bad", "text.conllu"}
