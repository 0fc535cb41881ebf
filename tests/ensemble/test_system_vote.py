"""Laws of the vote of any parsers: without a development set the weights are equal, or shares of common arcs."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given, settings

from tests.ensemble.parses import assert_same_trees, systems
from tests.ensemble.test_selection import GOLD, noisy
from treevote.corpus.treebank import Treebank
from treevote.ensemble import system_vote
from treevote.ensemble.judge import learn
from treevote.ensemble.selection import Selection, VoteKind
from treevote.ensemble.system_vote import vote_systems
from treevote.ensemble.vote import vote
from treevote.ensemble.weights import Weights
from treevote.evaluation.counts import evaluate


@pytest.mark.parametrize("weights", ["equal", "agreement"])
@settings(max_examples=40)
@given(systems())
def test_weights_without_a_development_set_are_those_that_were_asked_for(
    weights: Literal["equal", "agreement"], parses: list[Treebank]
) -> None:
    by = Weights.equal(len(parses)) if weights == "equal" else Weights.by_agreement(parses)
    named = {f"system {i}": parse for i, parse in enumerate(parses)}
    found = vote_systems(named, weights=weights, single_root=True)
    assert_same_trees(found.parse, vote(parses, by, single_root=True))
    assert found.voters == tuple(named)
    assert [system["weight"] for system in found.facts["systems"]] == [*by.overall]
    assert found.facts["weights"] == weights


DEVELOPMENT = {f"m{i}": noisy(GOLD, share, i) for i, share in enumerate((0.4, 0.1, 0.99, 0.2))}
TEXT = {name: noisy(GOLD, 0.2, 10 + i) for i, name in enumerate(DEVELOPMENT)}


@pytest.mark.parametrize(
    ("weights", "confidence"), [("equal", False), ("accuracy", True), ("pos", False), ("learned", False)]
)
def test_weights_of_a_development_set_are_those_of_a_judge_that_learned_there(
    weights: VoteKind, confidence: bool
) -> None:
    known = list(DEVELOPMENT.values())
    found = vote_systems(TEXT, weights=weights, confidence=confidence, development=(GOLD, known), single_root=True)
    judge, voted = learn(weights, GOLD, known, single_root=True)
    expected = judge.vote(list(TEXT.values()), single_root=True)
    assert_same_trees(found.parse, expected)
    sure = confidence or weights == "learned"
    assert (found.parse.confidence is not None) == sure
    if found.parse.confidence is not None and expected.confidence is not None:
        assert found.parse.confidence.tolist() == expected.confidence.tolist()
    best = max(DEVELOPMENT, key=lambda name: evaluate(GOLD, DEVELOPMENT[name]).las)
    las = evaluate(GOLD, voted).las
    told = found.facts["development"]
    assert (told["las"], told["gain"]["over"]) == (round(las, 2), best)
    assert told["gain"]["las"] == pytest.approx(las - evaluate(GOLD, DEVELOPMENT[best]).las)


def test_a_selection_tells_of_each_system_its_place_and_what_it_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    choice = Selection(("m3", "m1"), "accuracy", 90.0, {"m3": 80.5, "m1": 90.25}, {"m0": 90.5, "m2": 70.0})
    monkeypatch.setattr(system_vote, "select", lambda *known, **options: choice)
    known = list(DEVELOPMENT.values())
    found = vote_systems(TEXT, selected=True, development=(GOLD, known), single_root=True)
    by = Weights.by_accuracy(GOLD, [known[3], known[1]])
    assert_same_trees(found.parse, vote([TEXT["m3"], TEXT["m1"]], by, single_root=True))
    assert found.voters == ("m3", "m1")
    told = [(own["name"], own["place"], own["weight"], own["ablation"]) for own in found.facts["systems"]]
    first, second = by.overall
    expected = [("m0", None, None, 0.5), ("m1", 2, second, -0.25), ("m2", None, None, -20.0), ("m3", 1, first, 9.5)]
    assert told == expected
