"""Confidence: calibrated probabilities of arcs, in the model and in the file."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ensemble.test_selection import noisy
from tests.reference.toy_grammar import toy_treebank
from treevote.corpus.treebank import Treebank
from treevote.ensemble.confidence import LEAST, Confidence
from treevote.ensemble.reliability import cross_fitted
from treevote.ensemble.vote import vote
from treevote.errors import InputError, ModelError
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.calibration import calibration_error, reliability, table

DEV, TEST = toy_treebank(300, 1), toy_treebank(300, 2)


def systems_of(gold: Treebank) -> list[Treebank]:
    return [noisy(gold, share, i) for i, share in enumerate((0.15, 0.25, 0.35))]


@pytest.fixture(scope="module")
def fitted() -> Confidence:
    """Return the confidence of three noisy systems."""
    return Confidence.fit(DEV, systems_of(DEV), vote(systems_of(DEV), single_root=True))


def test_confidence_is_calibrated_on_sentences_it_was_not_fitted_to(fitted: Confidence) -> None:
    voted = vote(systems_of(TEST), single_root=True)
    for confidence, right in zip(fitted.of(systems_of(TEST), voted), right_arcs(TEST, voted), strict=True):
        tokens = voted.is_token
        assert calibration_error(reliability(confidence[tokens], right[tokens])) < 0.03
        assert confidence[right].mean() > confidence[tokens & ~right].mean() + 0.1
        assert ((confidence[tokens] >= LEAST) & (confidence[tokens] <= 1 - LEAST)).all()
        assert (confidence[~tokens] == 0).all()


def test_a_label_is_never_surer_than_its_arc(fitted: Confidence) -> None:
    voted = vote(systems_of(TEST), single_root=True)
    arc, label = fitted.of(systems_of(TEST), voted)
    assert (label <= arc).all()


def test_more_votes_mean_more_confidence(fitted: Confidence) -> None:
    systems = systems_of(TEST)
    voted = vote(systems, single_root=True)
    arc, _ = fitted.of(systems, voted)
    assert voted.support is not None
    all_agree, alone = voted.support > 0.99, (voted.support < 0.5) & (voted.heads >= 0)
    assert arc[all_agree].mean() > arc[alone].mean() + 0.2


def test_it_comes_back_from_its_record(fitted: Confidence) -> None:
    again = Confidence.from_record(fitted.record())
    voted = vote(systems_of(TEST), single_root=True)
    for one, other in zip(fitted.of(systems_of(TEST), voted), again.of(systems_of(TEST), voted), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "other"},
        {"facts": {}},
        {"facts": {"n_members": 2}},
        {"facts": {"n_members": "3"}},
        {"arrays": {}},
        {"arrays": {"arc": np.zeros(3), "label": np.zeros(3)}},
        {"texts": {"pos": ["X"]}},
    ],
)
def test_a_forged_record_is_refused(fitted: Confidence, changes: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="the model is damaged"):
        Confidence.from_record(dataclasses.replace(fitted.record(), **changes))


def test_weights_that_give_no_probability_are_refused(fitted: Confidence) -> None:
    for arc, label in (
        (fitted.arc * np.nan, fitted.label),
        (fitted.arc, np.sign(fitted.label) * 1e308),  # their sum is no number
        (fitted.arc.astype(np.float32), fitted.label),
    ):
        with pytest.raises(ModelError, match="the model is damaged"):
            Confidence.from_record(dataclasses.replace(fitted.record(), arrays={"arc": arc, "label": label}))


def test_where_all_are_right_confidence_is_high_and_finite() -> None:
    toy = toy_treebank(3, 1)
    fitted = Confidence.fit(toy, [toy, toy], toy)
    arc, label = fitted.of([toy, toy], toy)
    assert (arc[toy.is_token] > 0.9).all()
    assert (label[toy.is_token] > 0.9).all()


def test_nothing_can_be_measured_on_nothing() -> None:
    empty = Treebank.of([], name="dev")
    with pytest.raises(InputError, match="dev: expected sentences to measure confidence on, found none"):
        Confidence.fit(empty, [empty], empty)
    assert cross_fitted(toy_treebank(1, 1), [toy_treebank(1, 1)], toy_treebank(1, 1)) == {}


@given(st.lists(st.tuples(st.floats(0, 1, width=32), st.booleans()), min_size=1, max_size=50))
def test_bins_hold_every_arc_once(arcs: list[tuple[float, bool]]) -> None:
    confidence = np.array([c for c, _ in arcs], np.float32)
    right = np.array([r for _, r in arcs])
    bins = reliability(confidence, right)
    assert sum(b.arcs for b in bins) == len(arcs)
    assert sum(b.arcs * b.accuracy for b in bins) == pytest.approx(right.sum())
    assert 0 <= calibration_error(bins) <= 1
    assert all(b.arcs > 0 for b in bins)


def test_precision_of_what_is_sure_is_none_where_nothing_is() -> None:
    found = table(np.array([0.5], np.float32), np.array([True]))
    assert (found["precision"], found["coverage"]) == (None, 0.0)
