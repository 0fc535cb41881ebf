"""What a label may be: the same for training data as for models, whatever the parser."""

from __future__ import annotations

import dataclasses
import io
from typing import Any

import pytest

from treevote.conll.reader import read
from treevote.conll.writer import dumps
from treevote.corpus.pseudo_projective import deprojectivize, projectivize
from treevote.corpus.treebank import Treebank
from treevote.ensemble.members import member_from_record
from treevote.errors import InputError, ModelError
from treevote.models.decision_list.parser import DecisionListTrainer
from treevote.models.graph.parser import GraphTrainer
from treevote.models.pipeline.parser import PipelineTrainer
from treevote.models.transition.parser import TransitionTrainer
from treevote.store.record import Record

TRAINERS: list[Any] = [
    TransitionTrainer(cutoff=1),
    GraphTrainer(order=1, bits=12, epochs=1),
    PipelineTrainer(cutoff=1),
    DecisionListTrainer(),
]
ODD = ["a b", "↑", "↓", "\\", "é:ß", "\u00a0", "\u200b", "_", "0"]
WRONG = ["", "a\x00", "\x1b[31m", "a\rb", "\x85", "\u2028", "\u2029", "\ud800", "a\tb", "a\nb"]
trainers = pytest.mark.parametrize("trainer", TRAINERS, ids=lambda trainer: type(trainer).__name__)


def toy(label: str) -> Treebank:
    """Return some trees, one of them not projective, with a label in many places."""
    words, labels = ["a", "b", "c", "d"], [label, "root", "det", label]
    return Treebank.of([(words, [2, 0, 2, 3], labels), (words, [3, 0, 2, 2], labels)] * 4, "toy")


def with_label(record: Record, label: str) -> Record:
    """Return a record in which some label, wherever it stands, is another."""
    texts = dict(record.texts)
    if "labels" in texts:
        texts["labels"] = (*texts["labels"][:-1], label)
    parts = {name: with_label(part, label) for name, part in record.parts.items()}
    return dataclasses.replace(record, texts=texts, parts=parts)


@trainers
def test_labels_that_treebanks_may_have_are_learnt_and_come_back(trainer: Any) -> None:
    for label in ODD:
        treebank = toy(label)
        back = member_from_record(trainer.train(treebank).record())
        parse = back.parse(treebank)
        assert set(parse.labels) <= {label, "root", "det"}
        assert read(io.BytesIO(dumps(parse).encode())).n_tokens == treebank.n_tokens


@trainers
def test_what_could_not_be_read_back_is_not_learnt(trainer: Any) -> None:
    for label in WRONG:
        with pytest.raises(InputError, match=r"^toy, sentence 1: expected labels with no control character in them"):
            trainer.train(toy(label))


@trainers
def test_a_record_with_labels_that_are_none_is_refused(trainer: Any) -> None:
    record = trainer.train(toy("x")).record()
    for label in WRONG:
        with pytest.raises(ModelError, match=r"the label .* is empty or has control characters"):
            member_from_record(with_label(record, label))


@pytest.mark.parametrize("encoding", ["path", "head", "head+path"])
def test_what_has_nothing_but_marks_is_left_alone(encoding: Any) -> None:
    for label in ("↓", "↑", "↑x", "↑↓"):
        parse = Treebank.of([(["a", "b"], [2, 0], [label, "root"])])
        assert deprojectivize(parse, encoding).sentence(0).deprels == ("", label, "root")
        assert deprojectivize(projectivize(parse, encoding), encoding).sentence(0).deprels == ("", label, "root")
