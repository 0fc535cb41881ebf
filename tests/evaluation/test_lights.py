"""Traffic lights: limits that hold the stated precision where they are chosen, for as many arcs as possible."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote.corpus.treebank import Treebank
from treevote.evaluation.lights import FEWEST, GREEN, NAMES, RED, Lights, measured

arcs = st.lists(st.tuples(st.integers(1, 19), st.booleans()), min_size=1, max_size=60)


@given(arcs, st.sampled_from([1, 5, FEWEST]))
def test_the_limits_are_the_widest_with_the_stated_precision(drawn: list[tuple[int, bool]], times: int) -> None:
    rows = drawn * times
    confidence = np.array([level / 20 for level, _ in rows], np.float32)
    right = np.array([is_right for _, is_right in rows])
    limits = Lights.chosen(confidence, right)
    levels = sorted({round(float(sure), 3) for sure in confidence})
    sure = confidence.astype(np.float64).round(3)
    greens = [level for level in levels if (sure >= level).sum() >= FEWEST and right[sure >= level].mean() >= GREEN]
    assert limits.green == min(greens, default=2.0)
    reds = [level for level in levels if (sure < level).any() and right[sure < level].mean() <= RED]
    assert limits.red == min(max(reds, default=0.0), limits.green)
    shown = np.array([limits.of(float(each)) for each in confidence])
    assert set(shown) <= set(NAMES)
    if (shown == "green").any():
        assert right[shown == "green"].mean() >= GREEN


def test_the_lights_of_a_parse_are_told_with_share_and_precision() -> None:
    words, heads, labels = ["a", "dog", "barks", "."], [2, 3, 0, 3], ["det", "nsubj", "root", "punct"]
    gold = Treebank.of([(words, heads, labels)] * FEWEST)
    parse = gold.with_trees(np.where(gold.heads == 2, 3, gold.heads).astype(np.int32), gold.deprels, gold.labels)
    assert measured(gold, parse) == {}
    sure = np.array([0, 0.3, 0.99, 0.99, 0.9] * FEWEST, np.float32)
    facts = measured(gold, dataclasses.replace(parse, confidence=sure, label_confidence=sure))
    assert facts["green"] == pytest.approx(0.9)
    assert facts["green_arcs"] == {"share": 75.0, "precision": 100.0}
    assert facts["red_arcs"] == {"share": 25.0, "precision": 0.0}
    assert Lights.from_facts({"lights": facts}) == Lights(0.9, 0.9)


def test_what_is_given_is_green_whatever_the_limits() -> None:
    assert Lights(2.0, 0.0).of(1.0) == "green"
    assert Lights(2.0, 0.0).of(0.999) == "yellow"


def test_an_arc_at_a_limit_has_the_better_light() -> None:
    limits = Lights(0.9, 0.5)
    assert [limits.of(sure) for sure in (0.9, 0.899, 0.5, 0.499)] == ["green", "yellow", "yellow", "red"]


def test_limits_that_are_no_numbers_are_none() -> None:
    assert Lights.from_facts({}) is None
    assert Lights.from_facts({"lights": {"green": "1", "red": 0.5}}) is None
