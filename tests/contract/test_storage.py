"""The contract of records: a stored parser is the same parser, in this process and in another."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contract.subjects import PIPELINE, SUBJECTS, Subject
from tests.paths import ROOT
from tests.reference.toy_model import content
from tests.reference.toy_parser import TEST, TRAINING, trees
from treevote.models.parsers.pipeline import template_sets as pipeline
from treevote.models.parsers.transition import template_sets as transition
from treevote.models.parsers.transition.parser import TransitionTrainer
from treevote.store import folder as store

CHILD = """
import sys
from pathlib import Path
from tests.contract.subjects import SUBJECTS
from tests.contract.test_storage import digest
from treevote.store import folder as store

for name, subject in SUBJECTS.items():
    print(digest(subject.parser.from_record(store.load(Path(sys.argv[1], name)))))
"""


def digest(parser: Any) -> str:
    """Return a digest of the parses of a few sentences, as kernels in Python take their time."""
    return hashlib.sha256(repr(trees(parser.parse(TEST.select(np.arange(8))))).encode()).hexdigest()


def test_a_stored_parser_is_the_same_parser(subject: Subject, parser: Any, tmp_path: Path) -> None:
    store.save(parser.record(), tmp_path / "one")
    again = subject.parser.from_record(store.load(tmp_path / "one"))
    assert content(again.record()) == content(parser.record())
    assert trees(again.parse(TEST)) == trees(parser.parse(TEST))
    assert getattr(again, "trainer", None) == getattr(parser, "trainer", None)
    store.save(again.record(), tmp_path / "two")
    for file in sorted((tmp_path / "one").iterdir()):
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_a_pickled_parser_is_the_same_parser(parser: Any) -> None:
    parser.parse(TEST)
    again = pickle.loads(pickle.dumps(parser))
    assert content(again.record()) == content(parser.record())
    assert trees(again.parse(TEST)) == trees(parser.parse(TEST))


def test_a_fresh_process_gives_the_same_parses_with_and_without_compiled_kernels(tmp_path: Path) -> None:
    parsers = {name: subject.train(TRAINING) for name, subject in SUBJECTS.items()}
    for name, parser in parsers.items():
        store.save(parser.record(), tmp_path / name)
    for disabled in "01":
        command, own = [sys.executable, "-c", CHILD, str(tmp_path)], {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=own)
        assert done.stdout.split() == [digest(parser) for parser in parsers.values()]


@pytest.mark.parametrize(
    ("trainer", "module"),
    [(TransitionTrainer(templates="paper", learner="svm", search="greedy"), transition), (PIPELINE, pipeline)],
)
def test_a_model_keeps_its_templates_when_the_named_set_changes(
    trainer: Any, module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = trainer.train(TRAINING)
    loaded = type(parser).from_record(parser.record())
    monkeypatch.setitem(module.TEMPLATE_SETS, "paper", "s0.form q0.upos")
    assert content(loaded.record()) == content(parser.record())
    again = type(parser).from_record(loaded.record())
    assert trees(again.parse(TEST)) == trees(parser.parse(TEST))
