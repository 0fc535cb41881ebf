"""The heaviest arborescence: as heavy as that of networkx, the same vote whichever of the two is asked, and in time."""

from __future__ import annotations

from unittest import mock

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treevote.corpus.trees import is_tree
from treevote.ensemble import arborescence
from treevote.ensemble.arborescence import heaviest_arborescence, spanning_tree


@st.composite
def graphs(draw: st.DrawFn, most_nodes: int = 12) -> dict[tuple[int, int], int]:
    n = draw(st.integers(1, most_nodes))
    pairs = st.tuples(st.integers(0, n), st.integers(1, n)).filter(lambda pair: pair[0] != pair[1])
    return draw(st.dictionaries(pairs, st.integers(-5, draw(st.sampled_from([5, 10**30]))), min_size=1, max_size=5 * n))


@settings(max_examples=300)
@given(graphs())
def test_it_is_as_heavy_as_that_of_networkx(scores: dict[tuple[int, int], int]) -> None:
    nodes = {node for pair in scores for node in pair}
    graph = nx.DiGraph()
    graph.add_nodes_from({0, *nodes})
    # Positive weights: with others networkx may find no arborescence where there is one.
    graph.add_weighted_edges_from((head, dependent, score + 10**31) for (head, dependent), score in scores.items())
    heads = heaviest_arborescence(scores)
    try:
        expected = nx.maximum_spanning_arborescence(graph)
    except nx.NetworkXException:
        assert heads is None
        return
    assert heads is not None
    assert set(heads) == nodes - {0}
    assert is_tree(np.array([-1, *(heads.get(node, 0) for node in range(1, max(nodes) + 1))], np.int32))
    assert sum(scores[head, node] for node, head in heads.items()) == sum(scores[arc] for arc in expected.edges)


@settings(max_examples=200)
@given(graphs(), st.booleans())
def test_the_spanning_tree_does_not_depend_on_who_is_asked(scores: dict[tuple[int, int], int], single: bool) -> None:
    arcs: list[dict[int, int]] = [{} for _ in range(max(d for _, d in scores) + 1)]
    for (head, d), score in scores.items():
        if head < len(arcs):
            arcs[d][head] = max(0, score)
    with mock.patch.object(arborescence, "MAX_NETWORKX", 0):
        large = spanning_tree(arcs, single_root=single)
    assert large == spanning_tree(arcs, single_root=single)


@pytest.mark.parametrize("single_root", [False, True])
def test_a_sentence_of_the_greatest_length_in_one_component_has_a_tree(single_root: bool) -> None:
    n = 10_000
    arcs = [{}, *({d % n + 1: 2, (d - 2) % n + 1: 2, (d * 7) % n + 1 if d * 6 % n else 0: 1} for d in range(1, n + 1))]
    arcs[1][0] = 1
    assert is_tree(np.array(spanning_tree(arcs, single_root=single_root), np.int32))


def test_a_sentence_of_the_greatest_length_all_of_whose_tokens_are_roots_has_one() -> None:
    heads = spanning_tree([{}, *({0: 1} for _ in range(10_000))], single_root=True)
    assert heads == [-1, 0, *([1] * 9_999)]
