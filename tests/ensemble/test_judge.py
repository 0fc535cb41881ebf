"""The judge: weights or the model decide for the trees, the model tells the confidence of either."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.ensemble.parses import assert_same_trees
from tests.ensemble.test_candidate_model import noisy_systems
from tests.ensemble.test_selection import GOLD, noisy
from tests.reference.toy_grammar import toy_treebank
from treevote.corpus.treebank import Treebank
from treevote.ensemble.candidate_model import CandidateModel, Examples
from treevote.ensemble.candidates import MAX_SYSTEMS
from treevote.ensemble.judge import Judge, calibration, learn
from treevote.ensemble.selection import VoteKind, fit_weights
from treevote.ensemble.vote import vote
from treevote.ensemble.weights import Weights
from treevote.errors import ConfigError

DEV, TEST = toy_treebank(100, 1), toy_treebank(100, 2)


@pytest.mark.parametrize("kind", ["equal", "accuracy", "pos", "learned"])
def test_the_model_tells_the_confidence_whatever_decides_for_the_trees(kind: VoteKind) -> None:
    judge, held_out = learn(kind, DEV, noisy_systems(DEV), single_root=True)
    assert judge.kind == kind
    assert judge.model is not None
    probabilities = CandidateModel.fit(DEV, noisy_systems(DEV)).of(noisy_systems(TEST))
    if kind == "learned":
        trees = probabilities.vote(single_root=True)
    else:
        trees = vote(noisy_systems(TEST), fit_weights(kind, DEV, noisy_systems(DEV)), single_root=True)
    voted, expected = judge.vote(noisy_systems(TEST), single_root=True), probabilities.confident(trees)
    assert_same_trees(voted, expected)
    for name in ("support", "label_support", "confidence", "label_confidence"):
        assert getattr(voted, name).tobytes() == getattr(expected, name).tobytes()
    crossed = Examples.of(DEV, noisy_systems(DEV)).crossed().confident(held_out)
    assert crossed.confidence is not None
    assert held_out.confidence is not None
    assert crossed.confidence.tobytes() == held_out.confidence.tobytes()


def test_without_confidence_the_trees_are_the_same() -> None:
    for kind in ("equal", "learned"):
        judge, _ = learn(kind, DEV, noisy_systems(DEV), single_root=True)
        alone = judge.trees_alone
        assert (alone.model is None) == (kind == "equal")
        assert_same_trees(*(own.vote(noisy_systems(TEST), single_root=True) for own in (judge, alone)))


@pytest.mark.parametrize("n_systems", [1, MAX_SYSTEMS + 1])
def test_votes_are_equal_where_none_can_be_learned(n_systems: int) -> None:
    systems = [noisy(GOLD, 0.3, 1)] * n_systems
    judge, voted = learn("auto", GOLD, systems, single_root=True)
    assert judge.kind == "equal"
    assert (judge.model is None) == (voted.confidence is None) == (n_systems > MAX_SYSTEMS)
    assert (judge.recalibrated(GOLD, systems).model is None) == (n_systems > MAX_SYSTEMS)
    assert (judge.trees_alone.recalibrated(GOLD, systems).model is None) == (n_systems > MAX_SYSTEMS)


@pytest.mark.parametrize("n_systems", [MAX_SYSTEMS, MAX_SYSTEMS + 1])
def test_confidence_is_that_of_as_many_systems_as_a_model_may_have(n_systems: int) -> None:
    few, bare = GOLD[:5], Judge(Weights.equal(n_systems))
    judge = bare.recalibrated(few, [few] * n_systems)
    parts = [part for own in (bare, judge) for part in (own.weights, own.model) if part is not None]
    assert [part.n_members for part in parts] == [n_systems] * (3 if n_systems <= MAX_SYSTEMS else 2)


def test_too_many_systems_cannot_be_learned() -> None:
    with pytest.raises(ConfigError, match="at most 60 systems, found 61; name fewer"):
        learn("learned", GOLD, [GOLD] * (MAX_SYSTEMS + 1), single_root=True)


@pytest.mark.parametrize("n_rights", [1, 2])
def test_a_vote_is_learned_where_equal_votes_are_worse(n_rights: int) -> None:
    wrong = noisy(GOLD, 0.5, 1)
    judge, voted = learn("auto", GOLD, [wrong, wrong, *[GOLD] * n_rights], single_root=True)
    assert judge.kind == "learned"
    assert_same_trees(voted, Examples.of(GOLD, [wrong, wrong, *[GOLD] * n_rights]).crossed().vote(single_root=True))


@pytest.mark.parametrize("kind", ["equal", "learned"])
def test_where_all_abstain_or_the_tree_needs_an_arc_of_nobody_confidence_is_there(kind: VoteKind) -> None:
    judge, _ = learn(kind, DEV, noisy_systems(DEV), single_root=True)
    words = ["a", "b", "c"]
    circle = Treebank.of([(words, [2, 1, -1], ["x", "x", ""]), (words, [-1] * 3, [""] * 3)])
    voted = judge.vote([circle] * 3, single_root=True)
    assert voted.confidence is not None
    assert ((voted.confidence > 0) == (voted.heads >= 0)).all()
    assert np.isfinite(voted.confidence).all()


def test_its_confidence_is_measured_and_trees_alone_have_none() -> None:
    _, voted = learn("equal", DEV, noisy_systems(DEV), single_root=True)
    assert list(calibration(DEV, voted)) == ["arc", "label"]
    for parse in (DEV, replace(voted, confidence=None), replace(voted, label_confidence=None)):
        assert calibration(DEV, parse) == {}
    assert calibration(DEV[:0], voted[:0]) == {}


def test_a_judge_needs_weights_or_a_model_for_the_same_systems() -> None:
    model = CandidateModel.fit(DEV, noisy_systems(DEV))
    for weights, own in ((None, None), (Weights.equal(2), model)):
        with pytest.raises(ConfigError, match="needs weights or a model, both for the same number"):
            Judge(weights, own)
