"""The columns of a treebank against each other: the kernel agrees with the checks that name a fault."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from treevote.corpus.consistency import are_sound, inconsistency

SOUND = ([0, 3, 5], [0, 1, 2, 0, 1], [-1, 2, 0, -1, 0], [-1, 0, 1, -1, -1], 3, 2)


@st.composite
def columns(draw: st.DrawFn) -> tuple[list[int], list[int], list[int], list[int], int, int]:
    """Draw offsets, tokens, heads, deprels and the numbers of words and labels; about half of them are sound."""
    lengths = draw(st.lists(st.integers(1, 3), max_size=3))
    offsets = [0, *np.cumsum(lengths, dtype=int).tolist()]
    n_words, n_labels = draw(st.integers(1, 3)), draw(st.integers(0, 2))
    tokens = [draw(st.integers(0, n_words - 1)) for _ in range(offsets[-1])]
    deprels = [draw(st.integers(-1, n_labels - 1)) for _ in range(offsets[-1])]
    heads = [-1 if i == 0 else draw(st.integers(-1, n - 1)) for n in lengths for i in range(n)]
    broken = draw(st.sampled_from([None, None, offsets, tokens, heads, deprels]))
    if broken:
        broken[draw(st.integers(0, len(broken) - 1))] += draw(st.integers(-3, 3))
    return offsets, tokens, heads, deprels, n_words, n_labels


@given(columns())
@example(SOUND)
@example(([], [], [], [], 1, 0))
@example(([0, 1, 1], [0], [-1], [-1], 1, 0))
@example(([0, 9], [0], [-1], [-1], 1, 0))
def test_columns_are_sound_where_no_fault_is_named(
    drawn: tuple[list[int], list[int], list[int], list[int], int, int],
) -> None:
    offsets = np.array(drawn[0], np.int64)
    tokens, heads, deprels = (np.array(column, np.int32) for column in drawn[1:4])
    sound = are_sound(offsets, tokens, heads, deprels, *drawn[4:])
    named: dict[str, Any] = {"offsets": offsets, "tokens": tokens, "heads": heads, "deprels": deprels}
    assert sound == (inconsistency(named, *drawn[4:]) is None)
    for column in named.values():
        column.flags.writeable = False  # for which no kernel is compiled
    assert sound == (inconsistency(named, *drawn[4:]) is None)


@pytest.mark.parametrize("place", range(4))
def test_each_column_is_looked_at_to_its_end(place: int) -> None:
    drawn = [list(column) for column in SOUND[:4]]
    assert are_sound(*(np.array(c, np.int64 if i == 0 else np.int32) for i, c in enumerate(drawn)), *SOUND[4:])  # type: ignore[call-arg, arg-type]
    for change in (-5, 5):
        for at in range(len(drawn[place])):
            drawn[place][at] += change
            arrays = [np.array(c, np.int64 if i == 0 else np.int32) for i, c in enumerate(drawn)]
            assert not are_sound(*arrays, *SOUND[4:])  # type: ignore[call-arg, arg-type]
            drawn[place][at] -= change
