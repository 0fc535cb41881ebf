"""The selection of sentences, at the ends of its ranges and against its definition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote.adaptation.scheme import InstanceSelection, Scheme
from treevote.config import to_mapping
from treevote.report.adaptation import as_text

ENDS = (5, 10, 15, 20, 25, 30, 40, 60)
"""Upper ends of the ranges of lengths."""

# Length, agreement and confidence of a sentence.
sentences = st.lists(
    st.tuples(st.sampled_from([0, 1, 4, 5, 6, 60, 61, 200, 201]), *[st.sampled_from([0.0, 0.5, 0.75, 1.0])] * 2),
    max_size=12,
)


def selected(selection: InstanceSelection, own: list[tuple[int, float, float]]) -> list[bool]:
    lengths, agreed, confidence = zip(*own, strict=True) if own else ((), (), ())
    mask = selection.of(np.array(lengths, np.int64), np.array(agreed, np.float64), np.array(confidence, np.float64))
    return [bool(kept) for kept in mask]


def upper_end(length: int) -> int:
    return next((end for end in ENDS if length <= end), 0)


@given(sentences, st.sampled_from([0.0, 0.5, 0.75, 1.0]), st.sampled_from([0.0, 0.5]), st.sampled_from([1, 5, 200]))
def test_sentences_are_those_of_the_definition(
    own: list[tuple[int, float, float]], agreement: float, confidence: float, longest: int
) -> None:
    usable = [i for i, (n, _, sure) in enumerate(own) if 1 <= n <= longest and sure >= confidence]
    agreed = [i for i in usable if own[i][1] >= agreement]
    selection = InstanceSelection(agreement, confidence, longest)
    assert np.flatnonzero(selected(selection, own)).tolist() == agreed

    balanced = []
    for end in {upper_end(own[i][0]) for i in usable}:
        best = sorted((-own[i][1], -own[i][2], i) for i in usable if upper_end(own[i][0]) == end)
        balanced += [i for _, _, i in best[: round(Fraction(len(agreed), len(usable)) * len(best))]]
    selection = InstanceSelection(agreement, confidence, longest, balanced=True)
    assert np.flatnonzero(selected(selection, own)).tolist() == sorted(balanced)


@pytest.mark.parametrize("end", ENDS)
def test_each_range_of_lengths_gives_its_part(end: int) -> None:
    own = [(end, 1.0, 1.0), (end, 1.0, 1.0), (end + 1, 0.9, 1.0), (end + 1, 0.8, 1.0)]
    assert selected(InstanceSelection(0.95, balanced=True), own) == [True, False, True, False]


def test_the_defaults_take_identical_parses_of_up_to_200_tokens() -> None:
    own = [(200, 1.0, 0.0), (201, 1.0, 1.0), (1, 1.0, 0.0), (1, 0.99, 1.0), (0, 1.0, 1.0)]
    assert selected(InstanceSelection(), own) == [True, False, True, False, False]


@pytest.mark.parametrize("balanced", [False, True])
def test_the_report_promises_an_agreement_only_where_all_selected_sentences_have_it(balanced: bool) -> None:
    selection, agreed = InstanceSelection(0.8, balanced=balanced), np.array([1.0, 1.0, 0.5, 0.5])
    kept = selection.of(np.array([3, 3, 30, 30]), agreed, np.ones(4))
    told = as_text({"scheme": to_mapping(Scheme(selection=selection)), "committee": {"one": {}, "other": {}}})
    assert ("selected   agreement on 80 % of the tokens or more" in told) == bool((agreed[kept] >= 0.8).all())
