"""Places of a configuration: words and labels at each are those that a person finds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.learning.features.test_features import both
from tests.reference import features as plain
from tests.reference.walks import rich_treebanks
from treevote.corpus.treebank import Treebank

PLACES = "s1", "s2", "q1", "s0.next", "q0.prev", "s0.l", "s1.r2", "s0.l.r", "s1.r.next"
LABELS = "s0.l", "s1.r2", "s0.l.r"


@pytest.mark.parametrize("template", [*(f"{place}.form" for place in PLACES), *(f"{place}.deprel" for place in LABELS)])
@settings(max_examples=15)
@given(rich_treebanks(max_sentences=2), st.lists(st.integers(0, 99), min_size=2, max_size=12))
def test_what_stands_at_a_place_is_told_apart_as_a_person_would(
    template: str, treebank: Treebank, picks: list[int]
) -> None:
    keys, features = both(treebank, treebank, [template], picks)
    assert plain.occurrences(keys) == plain.occurrences(features)
