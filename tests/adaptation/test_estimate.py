"""Estimates of accuracy on a text without labels: ranges, their laws, and what an adaptation reports of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.adaptation.test_adapt import DEV, SOURCE, TEXT, before
from tests.adaptation.test_labelled import FEW, run
from treevote.adaptation import measuring
from treevote.adaptation.annotation import Annotation
from treevote.adaptation.data import Data
from treevote.adaptation.guard import DomainScores
from treevote.adaptation.measuring import Measurement, after_changes, estimates, of_labels
from treevote.adaptation.silver import label_profile, profile
from treevote.conll.writer import write
from treevote.corpus.treebank import Treebank
from treevote.ensemble.estimate import Estimate, SourceScores, estimate
from treevote.ensemble.familiarity import ENOUGH_VOTES, text_counts
from treevote.evaluation.counts import count_by_sentence
from treevote.report.adaptation import as_text

percents = st.floats(0, 100)
TOKENS = 1000


@given(percents, percents, percents)
def test_a_range_is_within_0_and_100_and_its_ends_in_order(las: float, here: float, there: float) -> None:
    for found in (
        estimate(SourceScores(las, here), there, None, TOKENS),
        estimate(SourceScores(las, None), None, there, TOKENS),
    ):
        assert found is not None
        assert 0 <= found.low <= found.high <= 100
        assert found[:2] == (round(found.low, 2), round(found.high, 2))
        for changed in (0.0, here):
            after = after_changes(found, changed)
            assert 0 <= after.low <= found.low <= found.high <= after.high <= 100
            assert after[:2] == (round(after.low, 2), round(after.high, 2))


@pytest.mark.parametrize("most", [measuring.MAX_HELD_OUT, 300])
def test_the_range_before_an_adaptation_is_that_which_parse_tells(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(measuring, "MAX_HELD_OUT", most)
    whole = Treebank.concatenate([DEV] * 30)
    text = whole.select(np.arange(0, len(whole), -(-len(whole) // most)))
    (counts,) = text_counts(before(), before().parse(text), [0, len(text)])
    assert counts.expected(before()) is not None
    assert measuring.expected(before(), lambda: [whole[:3], whole[3:3], whole[3:]]) == counts.expected(before())
    assert measuring.expected(before(), list) is None
    short = whole.select(np.flatnonzero(np.cumsum(whole.lengths) < ENOUGH_VOTES))
    (counts,) = text_counts(before(), before().parse(short), [0, len(short)])
    assert measuring.expected(before(), lambda: [short]) is counts.expected(before()) is None


def test_labels_give_the_interval_of_a_rate() -> None:
    found = of_labels(count_by_sentence(DEV, before().parse(DEV)))
    assert found is not None
    las = 100 * count_by_sentence(DEV, before().parse(DEV))["arcs"].sum() / DEV.n_tokens
    assert found.low <= las <= found.high
    assert found.basis == "labels"
    none = Treebank.of([])
    assert of_labels(count_by_sentence(none, none)) is None


def test_an_adaptation_tells_where_its_estimates_are_from_and_whether_they_hold(tmp_path: Path) -> None:
    write(TEXT, tmp_path / "text.conllu")
    data = Data(SOURCE, [tmp_path / "text.conllu"], DEV)
    facts: Any = run(tmp_path / "without", data).report
    assert [each["basis"] for each in facts["estimates"]] == ["agreement", "changes"]
    assert all(each["holds"] is None for each in facts["estimates"])
    assert not re.search("range +from +holds", as_text(facts))
    labelled = Data(SOURCE, [tmp_path / "text.conllu"], DEV, DEV, target_train=FEW)
    facts = run(tmp_path / "labelled", labelled).report
    assert re.search("range +from +holds", as_text(facts))
    assert [each["basis"] for each in facts["estimates"]] == ["labels", "labels"]
    target = {each["metric"]: each for each in facts["scores"] if each["domain"] == "target"}["LAS"]
    for each in facts["estimates"]:
        truth = target[each["model"]]
        assert each["holds"] == (each["low"] <= truth + 0.005 and truth - 0.005 <= each["high"])
        assert np.isclose(each["error"], each["las"] - truth, atol=0.02)


def test_no_range_comes_from_a_sample_or_an_estimate_alone() -> None:
    nothing, known = DomainScores(None, None, None), Estimate(80.0, 90.0, "agreement")
    without = Measurement(nothing, {}, DEV)
    assert estimates(None, without, without) == []
    empty = Measurement(nothing, {}, Treebank.of([]))
    rows: list[Any] = estimates(known, empty, empty)
    assert [(row["model"], row["low"]) for row in rows] == [("before", 80.0)]


def test_no_range_holds_less_than_what_did_not_change() -> None:
    assert after_changes(Estimate(80.0, 90.0, "agreement"), 0.0)[:2] == (80.0, 90.0)


@given(st.integers(0, 40))
def test_the_range_of_an_adapted_model_is_that_of_its_changed_arcs(changed: int) -> None:
    nothing, known = DomainScores(None, None, None), Estimate(40.0, 60.0, "agreement")
    old, new = (Treebank.of([(["w"] * 40, [0] * 40, ["y"] * n + ["x"] * (40 - n))]) for n in (0, changed))
    rows: list[Any] = estimates(known, Measurement(nothing, {}, old), Measurement(nothing, {}, new))
    assert (rows[1]["low"], rows[1]["high"]) == after_changes(known, 100 * changed / 40)[:2]


@pytest.mark.parametrize(
    ("right", "holds"), [(11_998, False), (11_999, True), (12_000, True), (18_001, True), (18_002, False)]
)
def test_a_range_holds_with_its_ends_as_they_are_shown(right: int, holds: bool) -> None:
    scores: Any = {"target": {"arcs": np.array([right]), "tokens": np.array([30_000])}}
    measured = Measurement(DomainScores(None, None, None), scores, Treebank.of([(["w"], [0], ["x"])]))
    rows: Any = estimates(Estimate(40.0, 60.0, "agreement"), measured, measured)
    assert rows[0]["holds"] == holds
    assert rows[0]["error"] == round(rows[0]["las"] - round(right / 300, 2), 2)


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ([True, False, True], (2, 10, 66.67, 90.91, 5.0)),
        ([True, True, True], (3, 11, 100.0, 100.0, 3.7)),
        ([False] * 3, (0, 0, 0.0, 0.0, 0.0)),
    ],
)
def test_the_profile_of_a_selection_by_hand(kept: list[bool], expected: tuple[float, ...]) -> None:
    annotation = Annotation(np.array([3, 1, 7]), np.array([1, 1 / 2, 2 / 3]), np.ones(3), ())
    names = "sentences", "tokens", "share_of_sentences", "share_of_tokens", "length"
    of_all = {"identical": 33.33, "agreed_tokens": 74.24, "length_of_all": 3.7}
    assert profile(annotation, np.array(kept)) == of_all | dict(zip(names, expected, strict=True))
    one = profile(Annotation(np.ones(1, np.int64), np.ones(1), np.ones(1), ()), np.ones(1, np.bool_))
    assert one["share_of_tokens"] == one["agreed_tokens"] == 100


def test_the_profile_of_labels_has_the_share_of_each() -> None:
    gold = Treebank.of([(["w"] * 6, [0] * 6, [*"xxxxxy"])])
    silver = Treebank.of([(["w"] * 3, [0] * 3, [*"zzx"])])
    assert label_profile(gold, silver) == [
        {"label": "z", "source": 0.0, "added": 66.67},
        {"label": "x", "source": 83.33, "added": 33.33},
        {"label": "y", "source": 16.67, "added": 0.0},
    ]
    first: Any = label_profile(Treebank.of([(["w"] * 9, [0] * 9, [*"abcdefghi"])]), gold)
    assert [row["label"] for row in first] == [*"xyabcdef"]


@settings(max_examples=20)
@given(st.lists(st.sampled_from("xyz"), min_size=1, max_size=5))
def test_the_shares_of_labels_are_those_of_all_words(labels: list[str]) -> None:
    gold, one = (Treebank.of([(["w"] * len(own), [0] * len(own), own)]) for own in (labels, ["x"]))
    rows: Any = label_profile(gold, one)
    shares = {row["label"]: (row["source"], row["added"]) for row in rows}
    assert shares == {
        label: (round(100 * labels.count(label) / len(labels), 2), 100.0 if label == "x" else 0.0)
        for label in {*labels, "x"}
    }
