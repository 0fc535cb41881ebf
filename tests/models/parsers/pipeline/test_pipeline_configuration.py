"""The words that are left and the focus point: kernels equal the twin, and undo their actions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import pipeline as twin
from tests.reference.pipeline_walks import focus_of, table_of
from treevote.kernels import Ints
from treevote.models.parsers.pipeline.configuration import (
    ACTIONS,
    AFTER,
    BEFORE,
    HEAD,
    INNER,
    L1,
    L_VALENCY,
    LEFT,
    POLICIES,
    R1,
    R_VALENCY,
    RIGHT,
    Focus,
    begin,
    take,
    undo,
    words_left,
    write_heads,
)

policies = st.sampled_from(range(len(POLICIES)))


def read(T: Ints) -> tuple[list[list[int]], list[list[int]]]:
    """Return the neighbours of the words that are left, and the known dependents of all words."""
    line = [0]
    while line[-1] < len(T) - 1:
        line.append(int(T[line[-1], AFTER]))
    neighbours = [[int(T[position, BEFORE]), int(T[position, AFTER])] for position in line]
    return neighbours, T[:, [HEAD, L1, R1, INNER, L_VALENCY, R_VALENCY]].tolist()


@given(st.integers(0, 9), policies, st.integers(1, 4), st.lists(st.integers(0, 4), max_size=60))
def test_actions_do_what_the_twin_does(n: int, policy: int, rounds: int, picks: list[int]) -> None:
    T, state = words_left(n), twin.begin(n)
    focus = begin(T)
    for pick in picks:
        assert focus == focus_of(state)
        assert read(T) == read(table_of(state, n))
        if focus.a == 0:
            break
        focus = take(T, focus, policy, rounds, pick)
        state = twin.take(state, ACTIONS[pick], POLICIES[policy], rounds)
    heads = np.empty(n + 1, np.int32)
    write_heads(T, heads)
    assert heads.tolist() == twin.heads_of(state, n)


@given(st.integers(2, 9), policies, st.integers(1, 4), st.lists(st.integers(0, 4), min_size=1, max_size=40))
def test_what_is_undone_leaves_no_trace(n: int, policy: int, rounds: int, picks: list[int]) -> None:
    T = words_left(n)
    focus = begin(T)
    passed: list[tuple[Focus, int, tuple[list[list[int]], list[list[int]]]]] = []
    for pick in picks:
        if focus.a == 0:
            break
        passed.append((focus, pick, read(T)))
        focus = take(T, focus, policy, rounds, pick)
    for earlier, action, before in reversed(passed):
        undo(T, earlier, action)
        assert read(T) == before


def walk(n: int, policy: str, *actions: int, rounds: int = 9) -> list[tuple[int, int]]:
    """Return the pairs that are considered; (0, 0) at the end."""
    T = words_left(n)
    focus = begin(T)
    pairs = []
    for action in actions:
        pairs.append((focus.a, int(T[focus.a, AFTER])))
        focus = take(T, focus, POLICIES.index(policy), rounds, action)
    return [*pairs, (focus.a, int(T[focus.a, AFTER]) if focus.a else 0)]


@pytest.mark.parametrize(
    ("policy", "after_left", "after_right"),
    # The paper's (a, b, c), here 2, 3, 4, with 1 before them; b, here 3, is the focus point.
    [("start-over", (1, 2), (1, 2)), ("stay", (3, 5), (4, 5)), ("step-back", (2, 3), (2, 4))],
)
def test_where_the_focus_point_goes(policy: str, after_left: tuple[int, int], after_right: tuple[int, int]) -> None:
    assert walk(5, policy, 0, 0, LEFT) == [(1, 2), (2, 3), (3, 4), after_left]
    assert walk(5, policy, 0, 0, RIGHT) == [(1, 2), (2, 3), (3, 4), after_right]


def test_rounds_end_when_nothing_happens_or_there_were_enough() -> None:
    assert walk(3, "stay", 0, 0) == [(1, 2), (2, 3), (0, 0)]
    assert walk(4, "stay", LEFT, 0, 0) == [(1, 2), (1, 3), (3, 4), (1, 3)]
    assert walk(4, "stay", LEFT, 0, 0, rounds=1)[-1] == (0, 0)
    assert walk(4, "stay", LEFT, 0, 0, 0, 0)[-2:] == [(3, 4), (0, 0)]
    assert walk(2, "stay", LEFT) == [(1, 2), (0, 0)]
    for n in (0, 1):
        assert begin(words_left(n)).a == 0
