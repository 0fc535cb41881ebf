"""``treevote vectors`` and ``train --vectors``: from text to word vectors, and to a model that has them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tests.command_line import content, fails, invoke, run
from tests.paths import TOY
from tests.reference.quick_tagger import SMALL, TINY
from treevote.api import train
from treevote.ensemble.annotator_trainer import AnnotatorTrainer
from treevote.ensemble.members import vectors_of
from treevote.ensemble.parser import load
from treevote.models.learning.vectors.files import read_vectors
from treevote.models.text.tagging.tagger import Tagger

SETTINGS = """
members = ["biaffine"]
[member.biaffine]
passes = 1
units = 8
word_size = 8
"""


def test_a_model_has_the_vectors_of_a_file(tmp_path: Path) -> None:
    vectors, config = tmp_path / "toy.vec", tmp_path / "members.toml"
    vectors.write_text("2 3\nthe 1 2 3\nζ 0 1 -1\n")
    config.write_text(SETTINGS)
    run("train", "--train", TOY, "-o", tmp_path / "model", "--config", config, "--vectors", vectors, "--folds", 0)
    parser = load(tmp_path / "model")
    assert vectors_of({name: member.trainer for name, member in parser.members.items()}) == read_vectors(vectors)
    assert "vectors of 2 words" in run("inspect", tmp_path / "model")
    run("parse", tmp_path / "model", TOY, "-o", tmp_path / "parsed.conllu")
    train(TOY, config=config, vectors=vectors, folds=0, output=tmp_path / "python")
    assert content(tmp_path / "model") == content(tmp_path / "python")
    annotator = AnnotatorTrainer("tokens", tagger=dataclasses.replace(SMALL, neural=TINY))
    tags = train(TOY, config=config, vectors=vectors, folds=0, annotator=annotator).annotator.tagger
    assert isinstance(tags, Tagger)
    assert tags.neural is not None
    assert tags.neural.trainer.vectors == read_vectors(vectors)


def test_vectors_of_a_text_are_a_file_for_training(tmp_path: Path) -> None:
    out = tmp_path / "toy.vec"
    run("vectors", TOY, TOY, "-o", out, "--size", 5, "--least", 2)
    vectors = read_vectors(out)
    assert vectors.size == 5
    assert out.read_text().splitlines()[0] == f"{len(vectors.words)} 5"
    (tmp_path / "toy.txt").write_text("the dog")
    assert "expected CoNLL-U, found running text" in fails("vectors", tmp_path / "toy.txt", "-o", out)
    assert "more than 2,000 words" in fails("vectors", TOY, "--size", 2000, "-o", out)
    assert read_vectors(out) == vectors


def test_vectors_need_a_member_that_reads_them(tmp_path: Path) -> None:
    vectors = tmp_path / "toy.vec"
    vectors.write_text("not read before that is known\n")
    problem = fails("train", "--train", TOY, "-o", tmp_path / "model", "--fast", "--vectors", vectors)
    assert "none of the members lr-maxent-forward reads word vectors; add biaffine" in problem


@pytest.mark.parametrize("kind", ["cluster", "vector"])
def test_words_of_another_language_are_told(kind: str, tmp_path: Path) -> None:
    entries = {"cluster": "0101\t{}\t3\n0110\tζωή\t2\n", "vector": "2 2\n{} 1 2\nζωή 2 1\n"}
    options = {"cluster": ("--fast", "--word-clusters"), "vector": ("--config", tmp_path / "members.toml", "--vectors")}
    (tmp_path / "members.toml").write_text(SETTINGS)
    said = f"no word of the training data has a {kind}; are the {kind}s of the same language?"
    for form, is_told in ("κόσμος", True), ("the", False):
        (tmp_path / "words").write_text(entries[kind].format(form))
        trained = invoke(
            "train", "--train", TOY, "-o", tmp_path / "model", "--folds", 0, *options[kind], tmp_path / "words"
        )
        assert trained.exit_code == 0
        assert (said in trained.stderr) == is_told
