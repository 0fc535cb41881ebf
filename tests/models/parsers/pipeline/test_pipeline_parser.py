"""The pipeline parser: long sentences, sentences left in parts, actions; see also ``tests.contract``."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from tests.reference.toy_parser import TRAINING, trees
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, is_single_rooted
from treevote.errors import ModelError
from treevote.models.parsers.pipeline.configuration import POLICIES
from treevote.models.parsers.pipeline.parser import PipelineParser, PipelineTrainer

FEW = ("s0.upos", "q0.upos", "s0.upos+q0.upos", "s0.upos+q0.upos+q1.upos", "s1.upos+s0.upos", "q0.form", "q0.rval")
SMALL = PipelineTrainer(templates=FEW, cutoff=1)


def test_long_sentences_are_parsed_with_every_policy() -> None:
    long = Treebank.of([(["q"] * 1_000, [-1] * 1_000, ["_"] * 1_000)])
    for policy in POLICIES:
        parse = dataclasses.replace(SMALL, policy=policy, depth=2).train(TRAINING.select(range(20))).parse(long)
        assert are_trees(parse).all()
        assert is_single_rooted(parse)


def test_sentences_left_in_parts_are_joined_and_counted() -> None:
    # Gold trees of three rounds, and a parser that may take one only.
    pairs = [(["a", "b", "c"], [0, 1, 2], ["root", "x", "y"])] * 20
    trainer = PipelineTrainer(policy="stay", cutoff=1, rounds=1)
    parse, unfinished = trainer.train(Treebank.of(pairs)).parse_counted(Treebank.of(pairs))
    assert unfinished == 20
    assert trees(parse) == trees(Treebank.of(pairs))
    enough = dataclasses.replace(trainer, rounds=2).train(Treebank.of(pairs))
    assert enough.parse_counted(Treebank.of(pairs))[1] == 0


def test_two_roots_are_joined_wherever_they_stand_if_there_is_one_root() -> None:
    apart = [(["a", "b"], [0, 0], ["root", "root"]), (["x", "y", "z"], [0, 0, 2], ["root", "root", "x"])] * 10
    parser = PipelineTrainer(cutoff=1).train(Treebank.of(apart))
    assert trees(parser.parse(Treebank.of(apart))) == trees(Treebank.of(apart))
    one = dataclasses.replace(parser, single_root=True)
    parse, unfinished = one.parse_counted(Treebank.of(apart))
    assert is_single_rooted(parse)
    assert unfinished == len(apart)


def test_a_record_whose_actions_do_not_fit_its_settings_is_refused() -> None:
    record = SMALL.train(TRAINING).record()
    trainer: Any = record.facts["trainer"]
    for change in ({"wait_right": True}, {"wait_left": False}):
        with pytest.raises(ModelError, match="its scores"):
            PipelineParser.from_record(dataclasses.replace(record, facts={**record.facts, "trainer": trainer | change}))


@pytest.mark.parametrize(("left", "right", "n_actions"), [(False, False, 3), (True, False, 4), (True, True, 5)])
def test_actions_are_those_up_to_the_last_that_is_allowed(left: bool, right: bool, n_actions: int) -> None:
    assert PipelineTrainer(wait_left=left, wait_right=right).n_actions == n_actions
    assert PipelineTrainer(wait_left=False, wait_right=right).n_actions == (5 if right else 3)
