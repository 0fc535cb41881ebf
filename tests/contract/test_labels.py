"""The contract of labels: the same ones are allowed in training data and in models."""

from __future__ import annotations

import dataclasses
import io

import pytest

from tests.contract.subjects import OWN, Subject
from treevote.conll.reader import read
from treevote.conll.writer import dumps
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError, ModelError
from treevote.store.record import Record

ODD = ["a b", "↑", "↓", "\\", "é:ß", "\u00a0", "\u200b", "_", "0"]
WRONG = ["", "a\x00", "\x1b[31m", "a\rb", "\x85", "\u2028", "\u2029", "\ud800", "a\tb", "a\nb"]
own = pytest.mark.parametrize("subject", OWN.values(), ids=OWN)


def toy(label: str) -> Treebank:
    """Return some trees, one of them not projective, with a label in many places."""
    words, labels = ["a", "b", "c", "d"], ["x", "root", "det", "x"]
    made = Treebank.of([(words, [2, 0, 2, 3], labels), (words, [3, 0, 2, 2], labels)] * 4, "toy")
    return made.with_trees(made.heads, made.deprels, [label, *made.labels[1:]])


def with_label(record: Record, label: str) -> Record:
    """Return a record in which every occurrence of some label is replaced."""
    texts = dict(record.texts)
    if "labels" in texts:
        texts["labels"] = (*texts["labels"][:-1], label)
    parts = {name: with_label(part, label) for name, part in record.parts.items()}
    return dataclasses.replace(record, texts=texts, parts=parts)


@own
def test_odd_labels_are_learned(subject: Subject) -> None:
    treebank = Treebank.concatenate([toy(label) for label in ODD])
    back = subject.parser.from_record(subject.train(treebank).record())
    parse = back.parse(treebank)
    assert set(parse.labels) <= {*ODD, "root", "det"}
    assert read(io.BytesIO(dumps(parse).encode())).n_tokens == treebank.n_tokens


@own
def test_labels_that_could_not_be_read_back_are_refused(subject: Subject) -> None:
    for label in WRONG:
        with pytest.raises(InputError, match=r"^toy, sentence 1: token 1: expected a label with no control character"):
            subject.train(toy(label))


@own
def test_a_record_with_such_labels_is_refused(subject: Subject) -> None:
    record = subject.train(toy("x")).record()
    for label in WRONG:
        with pytest.raises(ModelError, match=r"the label .* is empty or has control characters"):
            subject.parser.from_record(with_label(record, label))
