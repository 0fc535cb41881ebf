"""The contract of trainers: same treebank and seed, same bytes; any treebank of trees will do, and no other."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from tests.contract.subjects import OWN, Subject
from tests.reference.toy_model import content
from tests.reference.toy_parser import TRAINING, trees
from tests.strategies import treebanks
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, roots
from treevote.errors import InputError
from treevote.models.parsers.pipeline.parser import PipelineTrainer
from treevote.models.parsers.transition.parser import TransitionTrainer
from treevote.parallel import Jobs

own = pytest.mark.parametrize("subject", OWN.values(), ids=OWN)


@pytest.mark.parametrize("jobs", [Jobs(), Jobs(2, "threading"), Jobs(2)], ids=str)
def test_any_number_of_jobs_gives_the_same_bytes(subject: Subject, parser: Any, jobs: Jobs) -> None:
    assert content(subject.train(TRAINING, seed=3, jobs=jobs).record()) == content(parser.record())


def test_the_seed_is_0_unless_another_is_given(subject: Subject) -> None:
    seed = inspect.signature(subject.trainer.train).parameters.get("seed")
    assert seed is None or seed.default == 0  # None: all options are passed on


def test_another_seed_gives_another_parser_if_training_is_random(subject: Subject, parser: Any) -> None:
    other = subject.train(TRAINING, seed=4)
    assert (content(other.record()) != content(parser.record())) == subject.seeded


def test_progress_rises_to_its_total_in_each_stage(subject: Subject) -> None:
    calls: dict[str, list[tuple[int, int]]] = {}
    subject.train(TRAINING, jobs=Jobs(progress=lambda name, *call: calls.setdefault(name, []).append(call)))
    assert tuple(calls) == subject.stages
    for steps in calls.values():
        total = steps[0][1]
        assert steps == [(done, total) for done in range(1, total + 1)] * (len(steps) // total)


@own
def test_sentences_of_several_roots_are_learned(subject: Subject) -> None:
    two = Treebank.of([(["a", "b", "c"], [0, 1, 0], ["root", "x", "root"]), (["a", "b"], [0, 1], ["root", "x"])] * 10)
    parser = subject.train(two)
    assert not parser.single_root
    assert trees(parser.parse(two)) == trees(two)


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@settings(max_examples=10)
@given(treebanks(max_sentences=5).filter(lambda bank: bank.n_tokens > 0), treebanks())
def test_parses_are_trees_whatever_was_learned(subject: Subject, training: Treebank, text: Treebank) -> None:
    parser = subject.train(training)
    again = subject.parser.from_record(parser.record())
    for treebank in (training, text):
        parse = parser.parse(treebank)
        assert are_trees(parse).all()
        assert (parse.deprels[parse.is_token] >= 0).all()
        assert trees(again.parse(treebank)) == trees(parse)
        if parser.single_root:
            assert (roots(parse)[np.diff(treebank.offsets) > 1] == 1).all()


@own
@pytest.mark.parametrize(
    "sentences",
    [
        [(["a"], [0], ["root"])],
        [(["a"], [0], ["root"])] * 20,
        [(["a", "b"], [2, 0], ["x", "root"])] * 20,
        [(["a", "b"], [0, 0], ["root", "root"])] * 20,
        [(["a", "b", "c"], [2, 0, 2], ["x", "x", "x"])],  # one label
    ],
)
def test_the_smallest_treebanks_are_learned(subject: Subject, sentences: Any) -> None:
    treebank = Treebank.of(sentences)
    assert trees(subject.train(treebank).parse(treebank)) == trees(treebank)


@own
@pytest.mark.parametrize(
    ("treebank", "problem"),
    [
        (Treebank.of([]), "expected trees to learn from"),
        (Treebank.of([([], [], [])]), "expected trees to learn from"),
        (Treebank.of([(["a", "b"], [-1, -1], ["_", "_"])], name="plain"), "plain: .* found sentences without"),
        (Treebank.of([(["a", "b"], [2, 1], ["x", "y"])], name="bad"), "bad, sentence 1: token 1: expected a tree"),
    ],
)
def test_sentences_without_trees_are_refused(subject: Subject, treebank: Treebank, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        subject.train(treebank)


@pytest.mark.parametrize("trainer", [TransitionTrainer, PipelineTrainer])
def test_features_below_the_cutoff_are_not_enough(trainer: Any) -> None:
    tiny = Treebank.of([(["a", "b", "c"], [2, 0, 2], ["x", "root", "y"])], name="tiny")
    with pytest.raises(InputError, match="tiny: expected features that occur 3 times, found none; give"):
        trainer(templates=("s0.form", "q0.form"), cutoff=3).train(tiny)
