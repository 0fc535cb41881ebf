"""Given arcs in the search of the transition parser: the actions that can still reach them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.parsers.test_given_arcs import arcs_of, holds, some_of
from tests.reference import arc_standard as twin
from tests.reference.decoders import projective_trees
from tests.strategies import projective_trees as drawn_projective
from treevote.models.parsers.given_arcs import NOTHING
from treevote.models.parsers.transition.arc_standard import Actions, advance, is_final, legal
from treevote.models.parsers.transition.configuration import initial, workspace
from treevote.models.parsers.transition.reachability import reachable

ACTIONS = Actions(
    np.array([0, 1, 1, 2, 2], np.int32),
    np.array([-1, 0, 1, 0, 1], np.int32),
    np.array([False, True, True, False, False]),
    np.array([False, True, True, True, True]),
    False,
)
TWINS = (
    twin.Action("shift", -1, False, False),
    twin.Action("reduce-left", 0, True, True),
    twin.Action("reduce-left", 1, True, True),
    twin.Action("reduce-right", 0, False, True),
    twin.Action("reduce-right", 1, False, True),
)


@settings(max_examples=50)
@given(
    some_of(drawn_projective(4)),
    st.lists(st.integers(-1, 1), min_size=5, max_size=5),
    st.booleans(),
    st.booleans(),
    st.data(),
)
def test_actions_are_those_from_which_the_given_arcs_can_be_reached(
    heads: list[int], deprels: list[int], single_root: bool, lifts: bool, data: Any
) -> None:
    n = len(heads) - 1
    single_root = single_root and any(holds(tree, heads) for tree in projective_trees(n, True))
    names = ("a", "a↑") if lifts else ("a", "b")
    plain = {-1: -1, 0: 0, 1: 0 if lifts else 1}
    labels = [-1, *map(plain.__getitem__, deprels[:n])]  # of words with a given head, and of others
    arcs, actions = arcs_of(heads, labels, names), ACTIONS._replace(single_root=single_root)

    @cache
    def reaches(here: twin.Configuration) -> bool:
        if twin.is_final(here):
            tree, own = twin.arcs(here)
            moved = lifts and any(head >= 0 and label == 1 for head, label in zip(heads, own, strict=True))
            return holds(tree, heads) and holds([plain[label] for label in own], labels) and not moved
        return any(reaches(twin.advance(here, i, TWINS)) for i in twin.legal(here, TWINS, single_root))

    space, mask, usual = workspace(n, 2 * n), np.empty(5, np.bool_), np.empty(5, np.bool_)
    initial(space, n)
    here = twin.initial(n)
    for step in range(2 * n):
        legal(space, actions, step, n, usual)
        reachable(space, actions, arcs, step, usual, mask)
        right = [i for i in twin.legal(here, TWINS, single_root) if reaches(twin.advance(here, i, TWINS))]
        found = np.flatnonzero(mask).tolist()
        assert found
        assert {*found} <= {*right}
        at_once = all(TWINS[i].kind == "reduce-right" for i in found)
        assert found == right or at_once  # a given left dependent is attached without delay
        action = data.draw(st.sampled_from(found))
        advance(space, actions, step, step + 1, n + 1 + step, action)
        here = twin.advance(here, action, TWINS)
    assert is_final(space, 2 * n, n)
    assert holds(twin.arcs(here)[0], heads)


@given(st.integers(1, 6), st.data())
def test_without_given_arcs_all_legal_actions_stay(n: int, data: Any) -> None:
    space, mask, usual = workspace(n, 2 * n), np.empty(5, np.bool_), np.empty(5, np.bool_)
    initial(space, n)
    for step in range(2 * n):
        legal(space, ACTIONS, step, n, usual)
        reachable(space, ACTIONS, NOTHING, step, usual, mask)
        assert mask.tolist() == usual.tolist()
        action = data.draw(st.sampled_from(np.flatnonzero(mask).tolist()))
        advance(space, ACTIONS, step, step + 1, n + 1 + step, action)


def test_a_given_label_that_one_direction_has_leaves_all_labels_of_the_other() -> None:
    kinds, labels = np.array([0, 1, 1, 2], np.int32), np.array([-1, 0, 1, 0], np.int32)
    actions = Actions(kinds, labels, labels >= 0, labels >= 0, False)
    space, mask, usual = workspace(2, 4), np.empty(4, np.bool_), np.empty(4, np.bool_)
    initial(space, 2)
    arcs = arcs_of([-1, -1, -1], [-1, 1, 1], ("a", "b"))
    for step in range(3):
        legal(space, actions, step, 2, usual)
        reachable(space, actions, arcs, step, usual, mask)
        if step < 2:
            advance(space, actions, step, step + 1, 3 + step, 0)
    assert (usual.tolist(), mask.tolist()) == ([False, True, True, True], [False, False, True, True])
