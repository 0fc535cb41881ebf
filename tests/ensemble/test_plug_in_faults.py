"""The faults of plug-ins name their member, and no line of the data."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.reference.toy_grammar import toy_treebank
from treevote import train
from treevote.conll.reader import read
from treevote.conll.writer import write
from treevote.corpus.treebank import Treebank, checksum
from treevote.ensemble import members
from treevote.ensemble.members import members_of
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.errors import InputError, ModelError
from treevote.kernels import Ints
from treevote.protocols import Family
from treevote.store.record import Record
from treevote.studies.jobs import Parsing

TOY = toy_treebank(20, 1)


def in_circles(text: Treebank) -> Ints:
    """Hang the first word on the second, and all others on the first."""
    return np.where(text.is_token, np.where(text.positions == 1, 2, 1), -1).astype(np.int32)


def written_over(text: Treebank) -> Treebank:
    """Return the trees of a text, in whose own columns there are none any more."""
    heads, deprels = text.heads.copy(), text.deprels.copy()
    text.heads[:] = text.deprels[:] = -1
    return text.with_trees(heads, deprels, text.labels)


PARSES: dict[str, Any] = {
    "parse": lambda text: 1 / 0,
    "exit": lambda text: sys.exit("no model"),
    "none": lambda text: None,
    "head": lambda text: text.with_trees(np.full_like(text.heads, 1000), text.deprels, text.labels),
    "fewer": lambda text: text[1:],
    "order": lambda text: text.select(range(len(text))[::-1]),
    "words": lambda text: dataclasses.replace(text, words=tuple(word._replace(form="x") for word in text.words)),
    "cycle": lambda text: text.with_trees(in_circles(text), text.deprels, text.labels),
    "no label": lambda text: text.with_trees(text.heads, np.full_like(text.deprels, -1), ()),
    "label": lambda text: text.with_trees(text.heads, np.zeros_like(text.deprels), ("a\nb",)),
}


@dataclass(frozen=True)
class Odd:
    """A trainer, and its parser, with a fault."""

    fault: str
    single_root: bool = True

    @property
    def trainer(self) -> Odd:
        return self

    def train(self, treebank: Treebank, *data: object, **options: object) -> Odd:
        if self.fault == "train":
            raise KeyError(self.fault)
        if self.fault == "writing":
            written_over(treebank)
        return None if self.fault == "no parser" else self  # type: ignore[return-value]  # a plug-in has no types

    def parse(self, treebank: Treebank) -> Treebank:
        parse: Treebank = {**PARSES, "writing": written_over}.get(self.fault, lambda text: text)(treebank)
        return parse

    def record(self) -> Record:
        if self.fault == "no record":
            return None  # type: ignore[return-value]  # a plug-in has no types
        raise KeyError("record")

    @classmethod
    def from_record(cls, record: Record) -> Odd:
        raise KeyError("from_record")


@pytest.fixture
def gold(tmp_path: Path) -> Treebank:
    write(TOY, tmp_path / "gold.conllu")
    return read(tmp_path / "gold.conllu")


@pytest.mark.parametrize("fault", ["train", *PARSES])
def test_a_fault_in_training_names_the_member(fault: str, gold: Treebank) -> None:
    named: Any = {**members_of(["lr-svm-forward"]), "mine": Odd(fault)}
    for trainer, dev in ((EnsembleTrainer(named), gold), (EnsembleTrainer(named, folds=2), None)):
        if dev is None and fault in ("fewer", "order"):
            continue  # one sentence at a time hides them
        with pytest.raises(ModelError, match=r"the plug-in of member mine failed \(\w+: .*\); update it") as raised:
            trainer.train(gold, dev)
        assert "gold.conllu, " not in str(raised.value) or fault == "head"


@pytest.mark.parametrize("fault", ["train", *PARSES])
def test_a_fault_in_a_study_names_the_member(fault: str, gold: Treebank) -> None:
    with pytest.raises(ModelError, match="the plug-in of member mine failed"):
        Parsing("mine", Odd(fault), gold, gold).compute(None)


def test_a_study_trains_on_data_that_a_plug_in_has_not_written_into(gold: Treebank) -> None:
    before, job = checksum(gold), Parsing("mine", Odd("writing"), gold, gold)
    job.decode(job.compute(None))
    assert checksum(gold) == before


@pytest.mark.parametrize("fault", list(PARSES))
def test_a_fault_in_a_parse_names_the_member(fault: str, gold: Treebank) -> None:
    ensemble = EnsembleTrainer(members_of(["lr-svm-forward"])).train(TOY)
    mine: Any = Odd(fault)
    with pytest.raises(ModelError, match="the plug-in of member mine failed"):
        dataclasses.replace(ensemble, members={**ensemble.members, "mine": mine}).parse(gold)


def test_a_fault_in_a_record_names_the_member(monkeypatch: pytest.MonkeyPatch) -> None:
    ensemble = EnsembleTrainer(members_of(["lr-svm-forward"])).train(TOY)
    mine: Any = Odd("no record")
    with pytest.raises(ModelError, match=r"the plug-in of member mine failed \(TypeError: expected a Record"):
        dataclasses.replace(ensemble, members={"mine": mine}).record()
    family: Any = Family("odd-parser", Odd, Odd, {"odd": mine})
    monkeypatch.setattr(members, "find_family", lambda kind: family)
    with pytest.raises(ModelError, match=r"the plug-in of member mine failed \(KeyError: 'from_record'\)"):
        members.member_from_record("mine", Record("odd-parser"))
    monkeypatch.setattr(Odd, "from_record", lambda record: Family)
    with pytest.raises(ModelError, match=r"mine failed \(TypeError: expected a parser, found type without single_root"):
        members.member_from_record("mine", Record("odd-parser"))


def test_what_is_no_parser_is_refused_after_its_training(gold: Treebank) -> None:
    named: Any = {"mine": Odd("no parser")}
    with pytest.raises(ModelError, match=r"mine failed \(TypeError: expected a parser, found NoneType without trainer"):
        EnsembleTrainer(named).train(gold)


def test_what_a_plug_in_writes_into_its_input_reaches_nobody_else(gold: Treebank) -> None:
    named: Any = {"mine": Odd("writing"), **members_of(["lr-svm-forward"])}
    before, trainer = checksum(gold), EnsembleTrainer(named)
    scores: Any = trainer.train(gold, gold).facts["scores"]
    assert scores["mine"]["las"] == 100
    trainer.train(gold).parse(gold)
    assert checksum(gold) == before


def test_what_a_plug_in_says_of_the_data_is_told_as_it_is(gold: Treebank, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*data: object, **options: object) -> Odd:
        raise InputError("expected projective trees", path="gold.conllu", line=7)

    named: Any = {"mine": Odd("")}
    monkeypatch.setattr(Odd, "train", refuse)
    with pytest.raises(InputError, match=r"^gold.conllu, line 7: expected projective trees$"):
        EnsembleTrainer(named).train(gold)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (None, r"the plug-in of member mine failed \(KeyError: 'record'\)"),
        (Record("odd", {"known": {1}}), r"the plug-in of member mine failed \(ModelError: the facts .* plain JSON"),  # type: ignore[dict-item]
        (Record("odd"), "expected one of the kinds lr-parser, .* for member mine, found 'odd'"),
    ],
)
def test_what_cannot_be_stored_is_known_before_the_training(
    record: Record | None, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trained: list[int] = []

    def noted(self: Odd, treebank: Treebank, *data: object, **options: object) -> Odd:
        trained.append(len(treebank))
        return self

    named: Any = {"mine": Odd("")}
    monkeypatch.setattr(Odd, "train", noted)
    if record is not None:
        monkeypatch.setattr(Odd, "record", lambda self: record)
    monkeypatch.setattr("treevote.commands.train.ensemble_of", lambda *_: EnsembleTrainer(named))
    write(TOY, tmp_path / "train.conllu")
    with pytest.raises(ModelError, match=said):
        train(tmp_path / "train.conllu", output=tmp_path / "model")
    assert trained == [2]


@pytest.mark.parametrize(
    ("text", "reason"),
    [("1 / 0", "division by zero"), ("raise ValueError", "ValueError"), ("raise SystemExit", "it exits")],
)
def test_the_fault_of_a_plug_in_is_what_its_error_says_or_else_the_kind_of_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, reason: str
) -> None:
    (tmp_path / "faulty_plug_in.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    points = [EntryPoint("odd", "faulty_plug_in:FAMILY", "treevote.members")]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)
    expected = f"the plug-in 'odd' (faulty_plug_in:FAMILY) cannot be loaded: {reason}; update it, or uninstall it"
    assert members.plug_ins.__wrapped__() == ({}, (expected,), {})
