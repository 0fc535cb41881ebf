"""The guard at its limits: what is just enough is let through, what is less by a little is not."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from treevote.adaptation.annotation import Annotation
from treevote.adaptation.distance import Distance
from treevote.adaptation.guard import DomainScores, Guard, unfit, verdict
from treevote.adaptation.silver import profile
from treevote.errors import ConfigError

PERCENTAGES = ("source_margin", "target_margin", "estimate_margin", "min_estimate", "max_repeated")
TEXT = Distance(0.0, 0.0, 0.0, 9.0, 90.0, (), bigram_information=0.0)


@pytest.mark.parametrize("name", PERCENTAGES)
def test_limits_are_percentages(name: str) -> None:
    for value in (0.0, 100.0):
        assert getattr(dataclasses.replace(Guard(), **{name: value}), name) == value
    for value in (-0.5, 100.5):
        with pytest.raises(ConfigError, match=name):
            dataclasses.replace(Guard(), **{name: value})


def test_a_text_at_the_limits_is_fit() -> None:
    text = dataclasses.replace(TEXT, repeated=90.0)
    assert unfit(text, DomainScores(estimate=50.0), Guard()) == []
    (reason,) = unfit(dataclasses.replace(text, bigram_information=-0.1), DomainScores(estimate=50.0), Guard())
    assert "(bigram information -0.1 %, theirs is 100 %)" in reason
    assert len(unfit(dataclasses.replace(text, repeated=90.1), DomainScores(estimate=50.0), Guard())) == 1
    (reason,) = unfit(text, DomainScores(estimate=49.96), Guard())
    assert "only 49.96 (an estimate; the minimum is 50.00)" in reason


def test_a_model_at_the_limits_is_promoted() -> None:
    before = DomainScores(80.0, 60.0, 50.0)
    assert verdict(before, DomainScores(78.5, 60.0, 1.0), Guard()) == []
    assert verdict(before, DomainScores(78.5, None, 49.0), Guard()) == []
    for after in (DomainScores(78.4, 60.0), DomainScores(80.0, 59.9), DomainScores(80.0, None, 48.9)):
        assert len(verdict(before, after, Guard())) == 1


def test_a_loss_of_exactly_the_margin_is_none_too_many() -> None:
    guard = Guard(source_margin=1.5)
    for hundredths in range(1000, 9000, 7):  # as they are printed
        before, after = hundredths / 100, (hundredths - 150) / 100
        assert verdict(DomainScores(before), DomainScores(after), guard) == []
        assert len(verdict(DomainScores(before), DomainScores(round(after - 0.01, 2)), guard)) == 1


def test_the_loss_is_the_difference_of_the_exact_scores_as_the_table_shows_it() -> None:
    scores = DomainScores(target=84.2454), DomainScores(target=83.6619)  # 84.25 and 83.66, 0.58 apart
    assert verdict(*scores, Guard(target_margin=0.58)) == []
    (reason,) = verdict(*scores, Guard(target_margin=0.57))
    assert "83.66 LAS, 0.58 less" in reason
    assert [one.shown["target"] for one in scores] == [84.25, 83.66]


def test_the_profile_of_a_selection_by_hand() -> None:
    annotation = Annotation(np.array([4, 9, 7]), np.array([1.0, 0.5, 1.0]), np.ones(3), ())
    assert profile(annotation, np.array([True, True, False])) == {
        "sentences": 2,
        "tokens": 13,
        "share_of_sentences": 66.67,
        "share_of_tokens": 65.0,
        "identical": 66.67,
        "agreed_tokens": 77.5,
        "length": 6.5,
        "length_of_all": 6.7,
    }
    annotation = Annotation(np.array([4, 4, 5]), np.ones(3), np.ones(3), ())
    assert profile(annotation, np.ones(3, np.bool_))["length"] == 4.3
    assert profile(annotation, np.zeros(3, np.bool_))["length"] == 0.0
    word = profile(Annotation(np.array([1]), np.array([1.0]), np.ones(1), ()), np.ones(1, np.bool_))
    assert word["share_of_tokens"] == word["agreed_tokens"] == 100
