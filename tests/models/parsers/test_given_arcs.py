"""Given arcs in the searches: which fit into a projective tree, and the best trees that have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.decoders import all_trees, first_order_values, projective_trees
from tests.strategies import projective_trees as drawn_projective
from tests.strategies import trees
from treevote.corpus.given import Given
from treevote.kernels import Floats, Ints
from treevote.models.parsers.decoding.best_tree import decode, restrict
from treevote.models.parsers.decoding.long_sentences import cut, cut_heads
from treevote.models.parsers.given_arcs import GivenArcs


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
