"""Laws of training on partial trees."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.paths import TOY
from treevote.conll.reader import read
from treevote.corpus.given import Given
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_partial, are_trees
from treevote.ensemble.judge import Judge
from treevote.ensemble.member_training import Task, train_alone
from treevote.ensemble.members import members_of
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.partial_trees import completed
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.ensemble.vote import vote
from treevote.ensemble.weights import Weights
from treevote.errors import InputError

TREES = read(TOY)
MEMBERS = members_of(("lr-svm-forward", "pipeline", "graph-mira"))


@functools.cache
def parsers() -> dict[str, Any]:
    return {name: trainer.train(TREES.select(range(6))) for name, trainer in MEMBERS.items()}


def with_gaps(treebank: Treebank, gaps: list[bool]) -> Treebank:
    """Return a treebank without the heads of some tokens."""
    open_slots = np.zeros(len(treebank.tokens), np.bool_)
    open_slots[treebank.is_token] = gaps
    heads, deprels = (
        np.where(open_slots, -1, column).astype(np.int32) for column in (treebank.heads, treebank.deprels)
    )
    return treebank.with_trees(heads, deprels, treebank.labels)


def every_third_word() -> Treebank:
    """Return some whole trees, and others without the heads of every third word."""
    return with_gaps(TREES, [slot % 3 == 0 and slot > 30 for slot in range(TREES.n_tokens)])


@settings(max_examples=30)
@given(st.lists(st.booleans(), min_size=TREES.n_tokens, max_size=TREES.n_tokens), st.integers(1, len(MEMBERS)))
def test_completed_trees_hold_what_is_given_in_the_same_order(gaps: list[bool], n_members: int) -> None:
    partial = with_gaps(TREES, gaps)
    known = partial.heads >= 0
    for found in completed(partial, dict(itertools.islice(parsers().items(), n_members))).values():
        assert are_trees(found).all()
        assert (found.heads[known] == partial.heads[known]).all()
        for own, given_sentence in zip(found, partial, strict=True):
            assert own.words == given_sentence.words
            assert [one for one, other in zip(own.deprels, given_sentence.deprels, strict=True) if other] == [
                label for label in given_sentence.deprels if label
            ]


def test_a_member_learns_from_the_trees_that_the_others_complete() -> None:
    partial = every_third_word()
    whole, half_done = (partial.select(of) for of in (~are_partial(partial), are_partial(partial)))
    assert 0 < len(whole) < len(TREES)
    first = EnsembleTrainer(MEMBERS).train(whole)
    parses = first.parse_members(half_done, Given.of(half_done, "all", single_root=True))
    found = EnsembleTrainer(MEMBERS).train(partial)
    for name, trainer in MEMBERS.items():
        others = [parses[other] for other in MEMBERS if other != name]
        voted = vote(others, single_root=True, given=Given.of(half_done, "all", single_root=True))
        trees, sentences = (iter([one.select([i]) for i in range(len(one))]) for one in (voted, whole))
        own = Treebank.concatenate([next(trees if gaps else sentences) for gaps in are_partial(partial)])
        expected = train_alone(Task(name, name, trainer, own), seed=0)
        assert found.members[name].parse(TREES).heads.tolist() == expected.parse(TREES).heads.tolist()


def test_a_member_alone_completes_its_trees_itself() -> None:
    partial = every_third_word()
    half_done = partial.select(are_partial(partial))
    alone = {"pipeline": parsers()["pipeline"]}
    expected = EnsembleParser(alone, Judge(Weights.equal(1)), {}).parse(half_done, keep="all")
    found = completed(partial, alone)["pipeline"].select(are_partial(partial))
    assert [sentence.heads.tolist() for sentence in found] == [sentence.heads.tolist() for sentence in expected]


class Listener:
    """A trainer that keeps what it is given, and returns a parser of before."""

    def __init__(self) -> None:
        self.heard: list[tuple[list[int], Treebank | None]] = []

    def train(self, treebank: Treebank, dev: Treebank | None = None, **how: Any) -> Any:
        self.heard.append((treebank.heads.tolist(), dev))
        return parsers()["pipeline"]


def test_trees_without_gaps_are_learned_from_once_as_they_are() -> None:
    listener = Listener()
    EnsembleTrainer({"one": listener}).train(TREES)
    assert listener.heard == [(TREES.heads.tolist(), None)]


def test_development_data_are_those_of_both_trainings() -> None:
    listener = Listener()
    EnsembleTrainer({"one": listener}).train(every_third_word(), TREES)
    assert [dev is not None and len(dev) for _, dev in listener.heard] == [len(TREES)] * 2


def test_a_fold_is_parsed_by_members_that_learned_from_the_others_and_from_all_partial_trees() -> None:
    partial = every_third_word()
    whole = np.flatnonzero(~are_partial(partial))
    found: dict[str, Treebank] = {}
    EnsembleTrainer(MEMBERS, folds=2).train_measured(partial, on_folds=lambda gold, parses: found.update(parses))
    held_out = whole[::2]
    members = EnsembleTrainer(MEMBERS).train(partial.select(np.setdiff1d(np.arange(len(partial)), held_out)))
    for name, parse in members.parse_members(partial.select(held_out)).items():
        own = found[name].select(range(0, len(whole), 2))
        assert own.heads.tolist() == parse.heads.tolist()


def test_nothing_is_measured_on_partial_trees() -> None:
    partial = every_third_word()
    whole = partial.select(~are_partial(partial))
    facts = EnsembleTrainer(MEMBERS, folds=2).train(partial).facts
    assert facts["familiarity"]["tokens"] == whole.n_tokens  # type: ignore[index,call-overload]


def test_two_given_roots_are_a_fault_where_whole_trees_have_one() -> None:
    words, labels = ["a", "b", "c"], ["root", "root", ""]
    partial = Treebank.concatenate([TREES, Treebank.of([(words, [0, 0, -1], labels)])], "toys")
    with pytest.raises(InputError, match="found a second root"):
        EnsembleTrainer(MEMBERS).train(partial)
