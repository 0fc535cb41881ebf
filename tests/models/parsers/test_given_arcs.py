"""Given arcs in the searches: which fit into a projective tree, and which actions can still reach them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import arc_standard as twin
from tests.reference.decoders import all_trees, first_order_values, projective_trees
from tests.strategies import projective_trees as drawn_projective
from tests.strategies import trees
from treevote.corpus.given import Given
from treevote.kernels import Floats, Ints
from treevote.models.parsers.decoding.best_tree import decode, restrict
from treevote.models.parsers.decoding.long_sentences import cut, cut_heads
from treevote.models.parsers.given_arcs import NOTHING, GivenArcs
from treevote.models.parsers.transition.arc_standard import Actions, advance, is_final, legal
from treevote.models.parsers.transition.configuration import initial, workspace
from treevote.models.parsers.transition.reachability import reachable


def arcs_of(heads: Sequence[int], deprels: Sequence[int] | None = None, labels: tuple[str, ...] = ("a",)) -> GivenArcs:
    column = np.array(heads, np.int32)
    own = np.full_like(column, -1) if deprels is None else np.array(deprels, np.int32)
    return GivenArcs.of(Given(column, own, labels), np.array([0, len(column)]), labels, "path")


@st.composite
def some_of(draw: st.DrawFn, whole: st.SearchStrategy[Ints]) -> list[int]:
    """Some heads of a tree, -1 for the others."""
    heads = draw(whole)[1:].tolist()
    return [-1, *(head if draw(st.booleans()) else -1 for head in heads)]


def holds(tree: Sequence[int], heads: Sequence[int]) -> bool:
    return all(head in (-1, own) for own, head in zip(tree, heads, strict=True))


@given(some_of(drawn_projective(7)))
def test_all_arcs_of_a_projective_tree_are_held(heads: list[int]) -> None:
    assert arcs_of(heads).heads.tolist() == heads


any_heads = st.integers(1, 5).flatmap(lambda n: st.lists(st.integers(-1, n), min_size=n, max_size=n))


@given(some_of(trees(5)) | any_heads.map(lambda heads: [-1, *heads]))
def test_the_arcs_that_are_held_are_those_of_a_projective_tree_and_as_many_as_fit(heads: list[int]) -> None:
    kept = arcs_of(heads).heads.tolist()
    every = projective_trees(len(heads) - 1, False)
    assert any(holds(tree, kept) for tree in every)
    for token, head in enumerate(heads):
        if head >= 0 and kept[token] < 0:
            longer = [*kept[:token], head, *kept[token + 1 :]]
            assert not any(holds(tree, longer) for tree in every)


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


@settings(max_examples=30)
@given(some_of(drawn_projective(5)), st.lists(st.integers(-1, 1), min_size=6, max_size=6), st.booleans(), st.data())
def test_actions_are_those_from_which_the_given_arcs_can_be_reached(
    heads: list[int], deprels: list[int], single_root: bool, data: Any
) -> None:
    n = len(heads) - 1
    single_root = single_root and any(holds(tree, heads) for tree in projective_trees(n, True))
    labels = [-1, *deprels[:n]]  # of words with a given head, and of others
    arcs, actions = arcs_of(heads, labels, ("a", "b")), ACTIONS._replace(single_root=single_root)

    @cache
    def reaches(here: twin.Configuration) -> bool:
        if twin.is_final(here):
            tree, own = twin.arcs(here)
            return holds(tree, heads) and holds(own, labels)
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


@st.composite
def arc_scores(draw: st.DrawFn, n: int) -> Floats:
    cells = st.lists(st.integers(-3, 3), min_size=(n + 1) ** 2, max_size=(n + 1) ** 2)
    return np.array(draw(cells), np.float32).reshape(n + 1, n + 1)


@given(some_of(trees(5, 2)), st.booleans(), st.booleans(), st.data())
def test_graph_decoders_find_the_best_tree_with_the_given_arcs(
    heads: list[int], projective: bool, single_root: bool, data: Any
) -> None:
    n = len(heads) - 1
    wanted = arcs_of(heads).heads.tolist() if projective else heads
    every = projective_trees(n, single_root) if projective else all_trees(n, single_root)
    admissible = [tree for tree in every if holds(tree, wanted)]
    if not admissible:  # two given roots
        return
    scores, found = data.draw(arc_scores(n)), np.array(wanted, np.int32)
    best = max(value for _, value in first_order_values(scores, admissible))
    pruned = scores.copy()
    restrict(pruned, found)
    decode(pruned, projective, single_root, found)
    assert holds(found.tolist(), wanted)
    assert tuple(found.tolist()) in admissible
    assert first_order_values(scores, [tuple(found.tolist())])[0][1] == best


@given(st.lists(some_of(trees(9)), min_size=1, max_size=3), st.integers(2, 5))
def test_given_heads_of_a_long_sentence_are_those_of_its_pieces(sentences: list[list[int]], longest: int) -> None:
    heads = np.array([head for sentence in sentences for head in sentence], np.int32)
    offsets = np.cumsum([0, *map(len, sentences)])
    pieces = cut(np.arange(len(heads), dtype=np.int32), offsets, longest)
    own = iter(cut_heads(pieces, heads, offsets).tolist())
    for sentence in sentences:
        n = len(sentence) - 1
        for start in range(0, max(1, n), longest):
            end = min(n, start + longest)
            assert next(own) == -1
            for head in sentence[start + 1 : end + 1]:
                inside = start < head <= end or (head == 0 == start)
                assert next(own) == (head - start if inside else -1)
