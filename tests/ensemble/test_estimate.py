"""The range of LAS on a text without labels: its laws, and worked examples."""

from __future__ import annotations

from math import exp, sqrt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.adaptation.test_adapt import DEV, before
from treevote.ensemble.estimate import LEAD, SourceScores, all_agree, estimate, log_odds
from treevote.ensemble.parser import EnsembleParser
from treevote.evaluation.agreement import unanimous

percents = st.floats(0, 100)
TOKENS = 1000


def range_of(odds: float, lowest: float, highest: float) -> Any:
    """Return the range of a text of 1,000 tokens, given odds of LAS, and the shifts of their logarithm."""
    p = odds / (1 + odds)
    error = 1 / sqrt(TOKENS * max(p * (1 - p), 0.01))
    ends = odds * exp(lowest - error), odds * exp(highest + error)
    return pytest.approx([100 * end / (1 + end) for end in ends], abs=0.0051)


@pytest.mark.parametrize(
    ("agreed", "sentences", "odds"),
    [
        (80.0, 0, 4.0),
        (80.0, 50, 4.0),  # as long as those of the source
        (50.0, 0, 4 / 4**1.2),
        (80.0, 25, 4 * 2**0.13),
        (80.0, 1, 4 * 3**0.13),  # not split into sentences
        (80.0, 1000, 4 / 3**0.13),
        (0.0, 0, 4 / (4 * 999) ** 1.2),
        (100.0, 0, 4 * (999 / 4) ** 1.2),
    ],
)
def test_a_range_by_agreement_by_hand(agreed: float, sentences: int, odds: float) -> None:
    """Of two members LAS leads by 0.13 at the usual rate; here it does by 0 on as many tokens: by 0.065."""
    found = estimate(SourceScores(80.0, 80.0, 3000, 2, 20.0), agreed, None, TOKENS, sentences)
    assert found is not None
    assert list(found[:2]) == range_of(odds * exp(0.065), -0.30, 0.14)


@pytest.mark.parametrize(("confidence", "odds"), [(80.0, 4.0), (50.0, 1.0), (100.0, 999.0)])
def test_a_range_by_confidence_by_hand(confidence: float, odds: float) -> None:
    found = estimate(SourceScores(90.0, None), None, confidence, TOKENS)
    assert found is not None
    assert list(found[:2]) == range_of(odds, -1.0, 0.0)


@given(percents, percents, percents, percents)
def test_less_agreement_never_means_more_accuracy(las: float, here: float, one: float, other: float) -> None:
    low, high = (estimate(SourceScores(las, here), agreed, None, TOKENS) for agreed in sorted((one, other)))
    assert low is not None
    assert high is not None
    assert low.low <= high.low
    assert low.high <= high.high


@given(st.floats(1, 99), percents)
def test_as_much_agreement_as_on_a_large_source_means_an_accuracy_near_that(las: float, agreed: float) -> None:
    found = estimate(SourceScores(las, agreed, 10**9), agreed, None, TOKENS)
    assert found is not None
    assert found.low - 0.01 <= las <= found.high + 0.01


@given(percents, percents, st.integers(0, 10**6), st.integers(2, 9))
def test_the_lead_over_agreement_is_between_measured_and_usual(las: float, here: float, n: int, members: int) -> None:
    few, many = (SourceScores(las, here, tokens, members).lead for tokens in (n, 2 * n + 1))
    measured, usual = log_odds(las) - log_odds(here), LEAD * (members - 1)
    assert min(measured, usual) - 1e-9 <= few <= max(measured, usual) + 1e-9
    assert abs(many - measured) <= abs(few - measured) + 1e-9
    assert SourceScores(las, here, 0, members).lead == pytest.approx(usual)


@given(percents, percents, st.integers(1, 10**6), st.integers(2, 9))
def test_two_standard_errors_are_the_most_that_the_usual_lead_moves(las: float, here: float, n: int, k: int) -> None:
    p = las / 100
    moved = SourceScores(las, here, n, k).lead - (log_odds(las) - log_odds(here))
    assert abs(moved) <= 2 / sqrt(n * max(p * (1 - p), 0.01)) + 1e-9


@pytest.mark.parametrize("members", [2, 3])
@pytest.mark.parametrize("agreed", [50.0, 80.0, 95.0, 98.9])  # the same member twice or three times, and weak ones
def test_the_range_for_the_development_data_holds_their_accuracy(agreed: float, members: int) -> None:
    for tokens in (1000, 2000, 100_000):
        found = estimate(SourceScores(77.0, agreed, tokens, members), agreed, None, tokens)
        assert found is not None
        assert found.low <= 77 <= found.high


@pytest.mark.parametrize(("agreed", "told"), [(98.9, 98.9), (99.0, None), (100.0, None)])
def test_members_that_hardly_ever_differ_tell_nothing(agreed: float, told: float | None) -> None:
    model = before()
    facts = {**model.facts, "familiarity": {**model.familiarity, "agreement": agreed}}
    found = SourceScores.of(EnsembleParser(model.members, model.judge, facts))
    assert found is not None
    assert found.agreement == told


@given(st.floats(1, 99), percents, st.integers(1, 10**6))
def test_a_longer_text_has_a_narrower_range(las: float, agreed: float, tokens: int) -> None:
    short, long = (estimate(SourceScores(las, 50.0), agreed, None, n) for n in (tokens, 4 * tokens))
    assert short is not None
    assert long is not None
    assert short.low <= long.low <= long.high <= short.high


@given(st.floats(1, 99), percents, st.integers(1, 400), st.integers(1, 400))
def test_longer_sentences_mean_more_accuracy_at_the_same_agreement(las: float, agreed: float, n: int, m: int) -> None:
    source = SourceScores(las, 50.0, TOKENS, length=20.0)
    many, few = (estimate(source, agreed, None, TOKENS, sentences) for sentences in (max(n, m), min(n, m)))
    usual, unknown = (estimate(source, agreed, None, TOKENS, sentences) for sentences in (TOKENS // 20, 0))
    assert many is not None
    assert few is not None
    assert many.low <= few.low
    assert many.high <= few.high
    assert usual == unknown == estimate(source._replace(length=None), agreed, None, TOKENS, n)
    assert estimate(source, agreed, None, TOKENS, 1) == estimate(source, agreed, None, TOKENS, 10)  # not split


def test_agreement_goes_before_confidence() -> None:
    assert estimate(SourceScores(90.0, 90.0), 80.0, 99.0, TOKENS) == estimate(
        SourceScores(90.0, 90.0), 80.0, None, TOKENS
    )
    assert estimate(SourceScores(90.0, 90.0), None, 80.0, TOKENS) == estimate(
        SourceScores(50.0, None), None, 80.0, TOKENS
    )
    assert estimate(SourceScores(90.0, None), 80.0, None, TOKENS) is None


def test_a_model_without_development_data_estimates_nothing() -> None:
    model = before()
    assert SourceScores.of(model) is not None
    assert SourceScores.of(EnsembleParser(model.members, model.judge, {})) is None


def test_the_agreement_on_the_source_is_that_of_its_development_data() -> None:
    found = SourceScores.of(before())
    assert found is not None
    assert found.agreement is not None
    assert found.length == DEV.n_tokens / len(DEV)
    agreed = unanimous(list(before().parse_members(DEV).values()))[DEV.is_token]
    assert abs(found.agreement - 100 * agreed.mean()) < 0.01
    voted = all_agree(before().parse(DEV))
    assert voted is not None
    assert voted[DEV.is_token].tolist() == agreed.tolist()
