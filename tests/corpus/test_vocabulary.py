"""Numbers of a column in order of first appearance."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treevote.corpus.vocabulary import used


@given(st.lists(st.integers(-1, 5)))
def test_places_lead_back_to_the_numbers(column: list[int]) -> None:
    numbers, places = used(np.array(column, np.int32))
    assert numbers == list(dict.fromkeys(number for number in column if number >= 0))
    assert [numbers[place] if place >= 0 else place for place in places.tolist()] == column
