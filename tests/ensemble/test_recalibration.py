"""Recalibration: a line over log-odds, and confidence that is better on other data than those it was fitted to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from tests.ensemble.test_selection import noisy
from tests.reference.toy_grammar import toy_treebank
from treevote.corpus.treebank import Treebank
from treevote.ensemble.confidence import Confidence
from treevote.ensemble.learned_vote import LearnedVote
from treevote.ensemble.recalibration import PRECISION, Line
from treevote.ensemble.vote import vote
from treevote.errors import InputError
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.calibration import calibration_error, reliability

DEV, FEW, TEST = toy_treebank(300, 1), toy_treebank(60, 2), toy_treebank(300, 3)
cases = st.lists(st.tuples(st.floats(-7, 7), st.booleans()), max_size=60)


def systems_of(gold: Treebank, *, harder: bool = False) -> list[Treebank]:
    """Return three noisy systems; on a harder domain they share some of their errors, so they agree in vain."""
    if harder:
        gold = noisy(gold, 0.3, 9)
    return [noisy(gold, share, seed) for share, seed in ((0.15, 0), (0.25, 1), (0.35, 2))]


def loss(line: Any, log_odds: np.ndarray, right: np.ndarray) -> float:
    x = line[0] * log_odds + line[1]
    prior = PRECISION / 2 * ((line[0] - 1) ** 2 + line[1] ** 2)
    return float(np.logaddexp(0, np.where(right, -x, x)).sum() + prior)


@given(cases)
def test_the_line_is_the_most_probable_one(given_cases: list[tuple[float, bool]]) -> None:
    log_odds = np.array([x for x, _ in given_cases])
    right = np.array([hit for _, hit in given_cases], np.bool_)
    found = minimize(loss, [1.0, 0.0], (log_odds, right), bounds=[(0, None), (None, None)])
    assert loss(Line.fit(log_odds, right), log_odds, right) < found.fun + 1e-4


@given(cases)
def test_what_was_more_probable_stays_so(given_cases: list[tuple[float, bool]]) -> None:
    line = Line.fit(np.array([x for x, _ in given_cases]), np.array([hit for _, hit in given_cases], np.bool_))
    assert line.slope >= 0
    assert np.isfinite(line).all()


def error_of(confidence: Confidence | LearnedVote, gold: Treebank) -> float:
    systems = systems_of(gold, harder=True)
    if isinstance(confidence, LearnedVote):
        voted = confidence.vote(systems, single_root=True)
        assert voted.label_confidence is not None
        sure = voted.label_confidence
    else:
        voted = vote(systems, single_root=True)
        sure = confidence.of(systems, voted)[1]
    tokens = voted.is_token
    return calibration_error(reliability(sure[tokens], right_arcs(gold, voted).arcs[tokens]))


def test_few_sentences_make_confidence_better_on_a_harder_domain() -> None:
    systems = systems_of(DEV)
    old = Confidence.fit(DEV, systems, vote(systems, single_root=True))
    few = systems_of(FEW, harder=True)
    new = old.recalibrated(FEW, few, vote(few, single_root=True))
    assert error_of(old, TEST) > 0.2
    assert error_of(new, TEST) < 0.7 * error_of(old, TEST)
    again = Confidence.from_record(new.record())
    assert np.array_equal(again.arc, new.arc)
    assert np.array_equal(again.label, new.label)


def test_few_sentences_make_a_learned_vote_better_on_a_harder_domain() -> None:
    old = LearnedVote.fit(DEV, systems_of(DEV))
    new = old.recalibrated(FEW, systems_of(FEW, harder=True))
    assert error_of(old, TEST) > 0.2
    assert error_of(new, TEST) < 0.7 * error_of(old, TEST)
    assert np.array_equal(LearnedVote.from_record(new.record()).weights, new.weights)


def test_on_the_same_domain_little_changes() -> None:
    systems = systems_of(DEV)
    voted = vote(systems, single_root=True)
    old = Confidence.fit(DEV, systems, voted)
    new = old.recalibrated(DEV, systems, voted)
    for one, other in zip(old.of(systems, voted), new.of(systems, voted), strict=True):
        assert np.abs(one - other).mean() < 0.01


def test_nothing_can_be_learned_from_no_sentence() -> None:
    systems = systems_of(DEV)
    none = DEV.select([])
    fitted = Confidence.fit(DEV, systems, vote(systems, single_root=True))
    with pytest.raises(InputError, match="found none"):
        fitted.recalibrated(none, [none] * 3, none)
    with pytest.raises(InputError, match="found none"):
        LearnedVote.fit(DEV, systems).recalibrated(none, [none] * 3)
