"""The LR parser as a whole: it learns, repeats itself and survives storage."""

from __future__ import annotations

import dataclasses
import hashlib
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.paths import ROOT
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_model import content
from tests.reference.toy_parser import SMALL, TEST, TRAINING, accuracy, trees
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, roots
from treevote.models.features.word_memo import WordMemo
from treevote.models.transition.arc_standard import actions_of
from treevote.models.transition.parser import TransitionParser, TransitionTrainer
from treevote.parallel import Jobs
from treevote.store import folder as store


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("learner", ["maxent", "svm"])
def test_a_parser_learns_the_toy_grammar(direction: Any, learner: str) -> None:
    parser = TransitionTrainer(direction=direction, learner=learner).train(TRAINING)
    parse = parser.parse(TEST)
    assert parser.single_root
    assert (roots(parse) == 1).all()
    assert accuracy(TEST, parse) > 0.95
    assert parse.words is TEST.words


@pytest.mark.parametrize("encoding", ["path", "head", "head+path"])
def test_non_projective_trees_come_back(encoding: Any) -> None:
    gold = toy_treebank(12, 5, crossing=True)
    parse = dataclasses.replace(SMALL, encoding=encoding, templates="rich").train(TRAINING).parse(gold)
    plain = dataclasses.replace(SMALL, encoding="none", templates="rich").train(TRAINING).parse(gold)
    assert accuracy(gold, parse) > accuracy(gold, plain)
    assert not any(mark in label for label in parse.labels for mark in "↑↓")


@pytest.mark.parametrize("search_name", ["greedy", "beam", "best-first"])
def test_the_trees_of_the_input_are_not_looked_at(search_name: Any) -> None:
    parser = SMALL.train(TRAINING).with_search(search_name, 4)
    unknown = np.where(TEST.is_token, -1, TEST.heads).astype(np.int32)
    bare = TEST.with_trees(unknown, np.full_like(TEST.deprels, -1), ())
    assert trees(parser.parse(bare)) == trees(parser.parse(TEST))


def test_a_parser_does_not_depend_on_what_it_parsed_before() -> None:
    parser = SMALL.train(TRAINING)
    fresh = TransitionParser.from_record(parser.record())
    parser.parse(toy_treebank(5, 9))
    assert trees(parser.parse(TEST)) == trees(fresh.parse(TEST))
    forgetful = dataclasses.replace(parser, memo=WordMemo(parser.memo.lexicon, limit=3))
    assert trees(forgetful.parse(TEST)) == trees(parser.parse(TEST))
    for i in (7, 3, 3):
        one = TEST.select([i])
        assert trees(parser.parse(one)) == trees(parser.parse(TEST))[i : i + 1]


def test_threads_share_a_parser() -> None:
    parser = SMALL.train(TRAINING)
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


def test_sentences_of_several_roots_are_learned() -> None:
    two = Treebank.of([(["a", "b", "c"], [0, 1, 0], ["root", "x", "root"]), (["a", "b"], [0, 1], ["root", "x"])] * 10)
    parser = TransitionTrainer(cutoff=1).train(two)
    assert not parser.single_root
    assert trees(parser.parse(two)) == trees(two)


def test_progress_is_told() -> None:
    calls: list[tuple[str, int, int]] = []
    SMALL.train(TRAINING, jobs=Jobs(progress=lambda *call: calls.append(call)))
    assert calls == [("training", done, 8) for done in range(1, 9)]


@pytest.mark.parametrize(
    "trainer", [SMALL, dataclasses.replace(SMALL, learner="svm", direction="backward", search="best-first")]
)
def test_two_trainings_give_the_same_bytes(trainer: TransitionTrainer, tmp_path: Path) -> None:
    one, two = trainer.train(TRAINING, seed=3), trainer.train(TRAINING, seed=3)
    assert content(one.record()) == content(two.record())
    assert content(one.record()) != content(trainer.train(TRAINING, seed=4).record())
    store.save(one.record(), tmp_path / "one")
    store.save(two.record(), tmp_path / "two")
    for file in sorted((tmp_path / "one").iterdir()):
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


CHILD = """
import hashlib, sys
from tests.reference.toy_grammar import toy_treebank
from treevote.store import folder as store
from treevote.models.transition.parser import TransitionParser

parse = TransitionParser.from_record(store.load(sys.argv[1])).parse(toy_treebank(40, 2))
print(hashlib.sha256(parse.heads.tobytes() + parse.deprels.tobytes() + repr(parse.labels).encode()).hexdigest())
"""


def test_a_fresh_process_parses_the_same(tmp_path: Path) -> None:
    parser = TransitionTrainer().train(TRAINING)
    store.save(parser.record(), tmp_path / "model")
    command = [sys.executable, "-c", CHILD, str(tmp_path / "model")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    parse = parser.parse(TEST)
    digest = hashlib.sha256(parse.heads.tobytes() + parse.deprels.tobytes() + repr(parse.labels).encode())
    assert done.stdout.strip() == digest.hexdigest()


def test_a_parser_travels_between_processes_whole() -> None:
    parser = SMALL.train(TRAINING)
    parser.parse(TEST)
    copy = pickle.loads(pickle.dumps(parser))
    assert content(copy.record()) == content(parser.record())
    assert trees(copy.parse(TEST)) == trees(parser.parse(TEST))
    assert not copy.guide.weights.packed.flags.writeable  # the kernels are compiled for such an array already


def test_actions_of_a_parser_are_those_of_its_treebank() -> None:
    parser = dataclasses.replace(SMALL, encoding="none").train(TEST)
    expected = actions_of(TEST, single_root=True)
    assert [column.tolist() for column in parser.actions[:4]] == [column.tolist() for column in expected[:4]]
