"""The pipeline parser as a whole: it learns, repeats itself and survives storage."""

from __future__ import annotations

import dataclasses
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_model import content
from tests.reference.toy_parser import TEST, TRAINING, accuracy, trees
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, is_single_rooted, roots
from treevote.errors import ConfigError, InputError
from treevote.models.features.word_memo import WordMemo
from treevote.models.pipeline.configuration import POLICIES
from treevote.models.pipeline.parser import PipelineParser, PipelineTrainer
from treevote.parallel import Jobs
from treevote.store import folder as store

FEW = ("s0.upos", "q0.upos", "s0.upos+q0.upos", "s0.upos+q0.upos+q1.upos", "s1.upos+s0.upos", "q0.form", "q0.rval")
SMALL = PipelineTrainer(templates=FEW, cutoff=1)


def with_depth(parser: PipelineParser, depth: int) -> PipelineParser:
    return dataclasses.replace(parser, trainer=dataclasses.replace(parser.trainer, depth=depth))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("waits", [(True, False), (False, False), (True, True)])
def test_a_parser_learns_the_toy_grammar(policy: Any, waits: tuple[bool, bool]) -> None:
    parser = PipelineTrainer(policy=policy, wait_left=waits[0], wait_right=waits[1], cutoff=1).train(TRAINING)
    assert parser.single_root
    for depth in (1, 3):
        parse = with_depth(parser, depth).parse(TEST)
        assert (roots(parse) == 1).all()
        assert accuracy(TEST, parse) > 0.95
        assert parse.words is TEST.words


@pytest.mark.parametrize("learner", ["maxent", "svm", "sklearn.linear_model.LogisticRegression"])
def test_any_linear_learner_will_do(learner: str) -> None:
    parser = dataclasses.replace(SMALL, learner=learner, templates="paper").train(TRAINING)
    assert accuracy(TEST, parser.parse(TEST)) > 0.95


@pytest.mark.parametrize("encoding", ["path", "head", "head+path"])
def test_non_projective_trees_come_back(encoding: Any) -> None:
    gold = toy_treebank(12, 5, crossing=True)
    parse = PipelineTrainer(encoding=encoding, cutoff=1).train(TRAINING).parse(gold)
    plain = PipelineTrainer(encoding="none", cutoff=1).train(TRAINING).parse(gold)
    assert accuracy(gold, parse) > accuracy(gold, plain)
    assert not any(mark in label for label in parse.labels for mark in "↑↓")


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_the_trees_of_the_input_are_not_looked_at(depth: int) -> None:
    parser = with_depth(SMALL.train(TRAINING), depth)
    unknown = np.where(TEST.is_token, -1, TEST.heads).astype(np.int32)
    bare = TEST.with_trees(unknown, np.full_like(TEST.deprels, -1), ())
    assert trees(parser.parse(bare)) == trees(parser.parse(TEST))


def test_a_parser_does_not_depend_on_what_it_parsed_before_nor_on_chunks() -> None:
    parser = with_depth(SMALL.train(TRAINING), 3)
    fresh = PipelineParser.from_record(parser.record())
    parser.parse(toy_treebank(5, 9))
    whole = trees(parser.parse(TEST))
    assert whole == trees(fresh.parse(TEST))
    forgetful = dataclasses.replace(parser, memo=WordMemo(parser.memo.lexicon, limit=3))
    assert trees(forgetful.parse(TEST)) == whole
    for cut in (1, 7, 39):
        assert trees(parser.parse(TEST.select(range(cut)))) == whole[:cut]
        assert trees(parser.parse(TEST.select(range(cut, 40)))) == whole[cut:]


def test_threads_share_a_parser() -> None:
    parser = with_depth(SMALL.train(TRAINING), 2)
    parts = [TEST.select(range(first, first + 10)) for first in (0, 10, 20, 30)] * 3
    with ThreadPoolExecutor(4) as pool:
        found = [trees(parse) for parse in pool.map(parser.parse, parts)]
    assert [tree for part in found[:4] for tree in part] == trees(parser.parse(TEST))
    assert found[:4] == found[4:8] == found[8:]


def test_words_that_were_never_seen_and_sentences_without_tokens_are_parsed() -> None:
    parser = SMALL.train(TRAINING)
    parse = parser.parse(Treebank.of([(["ζ", "_", ""], [-1] * 3, ["_"] * 3), ([], [], []), (["x"], [-1], ["_"])]))
    assert are_trees(parse).all()
    assert parser.parse(Treebank.of([])).n_sentences == 0


def test_long_sentences_are_parsed_with_every_policy() -> None:
    long = Treebank.of([(["q"] * 1_000, [-1] * 1_000, ["_"] * 1_000)])
    for policy in POLICIES:
        parse = dataclasses.replace(SMALL, policy=policy, depth=2).train(TRAINING.select(range(20))).parse(long)
        assert are_trees(parse).all()
        assert is_single_rooted(parse)


def test_sentences_of_several_roots_are_learned() -> None:
    two = Treebank.of([(["a", "b", "c"], [0, 1, 0], ["root", "x", "root"]), (["a", "b"], [0, 1], ["root", "x"])] * 10)
    parser = PipelineTrainer(cutoff=1).train(two)
    assert not parser.single_root
    assert trees(parser.parse(two)) == trees(two)
    assert parser.parse_counted(two)[1] == 0


def test_sentences_left_in_parts_are_joined_and_counted() -> None:
    # Gold trees of three rounds, and a parser that may take one only.
    pairs = [(["a", "b", "c"], [0, 1, 2], ["root", "x", "y"])] * 20
    trainer = PipelineTrainer(policy="stay", cutoff=1, rounds=1)
    parse, unfinished = trainer.train(Treebank.of(pairs)).parse_counted(Treebank.of(pairs))
    assert unfinished == 20
    assert trees(parse) == trees(Treebank.of(pairs))
    enough = dataclasses.replace(trainer, rounds=2).train(Treebank.of(pairs))
    assert enough.parse_counted(Treebank.of(pairs))[1] == 0


def test_progress_is_told_of_both_stages() -> None:
    calls: list[tuple[str, int, int]] = []
    SMALL.train(TRAINING, jobs=Jobs(progress=lambda *call: calls.append(call)))
    assert [call for call in calls if call[0] == "heads"] == [("heads", done, 8) for done in range(1, 9)]
    assert len({name for name, _, _ in calls}) == 2


def test_two_trainings_give_the_same_bytes(tmp_path: Path) -> None:
    one, two = SMALL.train(TRAINING, seed=3), SMALL.train(TRAINING, seed=3)
    assert content(one.record()) == content(two.record())
    assert content(one.record()) != content(SMALL.train(TRAINING, seed=4).record())
    store.save(one.record(), tmp_path / "one")
    loaded = PipelineParser.from_record(store.load(tmp_path / "one"))
    assert content(loaded.record()) == content(one.record())
    assert trees(loaded.parse(TEST)) == trees(one.parse(TEST))
    assert loaded.trainer == one.trainer


def test_a_parser_travels_between_processes_whole() -> None:
    parser = SMALL.train(TRAINING)
    copy = pickle.loads(pickle.dumps(parser))
    assert content(copy.record()) == content(parser.record())
    assert trees(copy.parse(TEST)) == trees(parser.parse(TEST))


@pytest.mark.parametrize("learner", ["perceptron", "maxent"])
@pytest.mark.parametrize(
    "sentences",
    [
        [(["a"], [0], ["root"])],
        [(["a"], [0], ["root"])] * 20,
        [(["a", "b"], [2, 0], ["x", "root"])],
        [(["a", "b"], [2, 0], ["x", "root"])] * 20,
        [(["a", "b"], [0, 0], ["root", "root"])] * 20,
        [(["a", "b", "c"], [2, 0, 2], ["x", "x", "x"])],  # one label
        [(list("abcd"), [3, 0, 2, 1], ["x", "root", "y", "z"])] * 4,  # none is projective
    ],
)
def test_the_smallest_treebanks_give_parsers_that_work(learner: str, sentences: Any) -> None:
    treebank = Treebank.of(sentences)
    parser = PipelineTrainer(learner=learner, options={"rate": 0.5}, cutoff=1, depth=2).train(treebank)
    assert trees(parser.parse(treebank)) == trees(treebank) or len(sentences) == 4
    again = PipelineParser.from_record(parser.record())
    long = Treebank.of([(["a", "b", "q", "a", "b"], [-1] * 5, ["_"] * 5)])
    parse = again.parse(long)
    assert are_trees(parse).all()
    assert not is_single_rooted(treebank) or (roots(parse) == 1).all()
    assert trees(parse) == trees(parser.parse(long))


@pytest.mark.parametrize(
    ("treebank", "problem"),
    [
        (Treebank.of([]), "expected trees to learn from"),
        (Treebank.of([(["a", "b"], [-1, -1], ["_", "_"])], name="plain"), "plain: .* found sentences without"),
        (Treebank.of([(["a", "b"], [2, 1], ["x", "y"])], name="bad"), "bad, sentence 1: expected a tree"),
        (
            Treebank.of([(["a", "b", "c"], [2, 0, 2], ["x", "root", "y"])], name="tiny"),
            "tiny: expected features that occur 3 times, found none; give more sentences, or choose a lower cutoff",
        ),
    ],
)
def test_what_nothing_can_be_learned_from_is_told(treebank: Treebank, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        PipelineTrainer(templates=("s0.form", "q0.form"), cutoff=3).train(treebank)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"policy": "step"}, "unknown policy 'step'; did you mean 'step-back'"),
        ({"confidence": "logs"}, "unknown confidence 'logs'; did you mean 'log-probability'"),
        ({"depth": 0}, "depth should be in 1..4, found 0"),
        ({"depth": 5}, "depth should be in 1..4, found 5"),
        ({"rounds": 0}, "rounds should be in 1..1000, found 0"),
        ({"rounds": 10**30}, "rounds should be in 1..1000"),
        ({"cutoff": 0}, "cutoff should be at least 1"),
        ({"prune": 1.0}, "prune should be in"),
        ({"prune": float("nan")}, "prune should be in"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        dataclasses.replace(SMALL, **changes)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"learner": "perceptrn"}, "unknown learner 'perceptrn'; did you mean 'perceptron'"),
        ({"options": {"thick": 1.0}}, "unknown option of perceptron 'thick'; did you mean 'thickness'"),
        ({"options": {"rate": -1.0}}, "rate should be a positive number"),
        ({"templates": "rihc"}, "unknown template set 'rihc'; did you mean 'rich'"),
        ({"templates": ("s0.deprel",)}, "labels are not known"),
        ({"learner": "sklearn.tree.DecisionTreeClassifier"}, "needs a linear learner, sklearn.tree"),
    ],
)
def test_what_cannot_be_trained_is_told(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        dataclasses.replace(SMALL, **changes).train(TRAINING.select(range(20)))
