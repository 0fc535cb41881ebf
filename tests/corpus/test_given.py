"""Given arcs: what of a treebank is given, and which heads no tree can have together."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.decoders import all_trees
from tests.strategies import trees
from treevote.corpus.given import Given, Keep
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError
from treevote.kernels import Ints

HALF_DONE = Treebank.of([(["a", "dog", "barks", "."], [2, -1, 0, 3], ["det", "", "root", "_"])], "half.conllu")


@pytest.mark.parametrize(
    ("keep", "heads", "labels"),
    [
        ("heads", [-1, 2, -1, 0, 3], ["", "", "", "", ""]),
        ("labels", [-1, -1, -1, -1, -1], ["", "det", "", "root", ""]),
        ("all", [-1, 2, -1, 0, 3], ["", "det", "", "root", ""]),
    ],
)
def test_heads_labels_or_both_are_given(keep: Keep, heads: list[int], labels: list[str]) -> None:
    found = Given.of(HALF_DONE, keep, single_root=True)
    assert found is not None
    assert found.heads.tolist() == heads
    assert [found.labels[i] if i >= 0 else "" for i in found.deprels.tolist()] == labels


def test_nothing_is_given_where_nothing_is_kept_or_known() -> None:
    bare = Treebank.of([(["a", "dog"], [-1, -1], ["", ""])])
    assert Given.of(bare, "all", single_root=True) is None
    assert Given.of(HALF_DONE, None, single_root=True) is None


@pytest.mark.parametrize(
    ("heads", "single_root", "problem"),
    [
        ([2, 1, -1], False, "sentence 2: token 1: expected given heads that some tree has, found a cycle"),
        ([0, -1, 0], True, "sentence 2: token 3: expected given heads that some tree has, found a second"),
    ],
)
def test_heads_that_no_tree_has_are_an_error_with_their_sentence(
    heads: list[int], single_root: bool, problem: str
) -> None:
    treebank = Treebank.of([(["a"], [0], ["root"]), (["a", "b", "c"], heads, ["dep"] * 3)], "half.conllu")
    with pytest.raises(InputError, match=re.escape(problem)):
        Given.of(treebank, "heads", single_root=single_root)
    assert Given.of(treebank, "labels", single_root=single_root) is not None


@given(st.lists(st.integers(-1, 4), min_size=4, max_size=4), st.booleans())
def test_heads_are_given_exactly_if_some_tree_has_them(heads: list[int], single_root: bool) -> None:
    known = [(token, head) for token, head in enumerate(heads, start=1) if head >= 0]
    possible = any(all(tree[token] == head for token, head in known) for tree in all_trees(4, single_root))
    treebank = Treebank.of([(["w"] * 4, heads, ["dep"] * 4)])
    if possible:
        Given.of(treebank, "heads", single_root=single_root)
    else:
        with pytest.raises(InputError):
            Given.of(treebank, "heads", single_root=single_root)


@given(trees(), trees())
def test_a_parse_holds_what_is_given_and_keeps_the_rest(tree: Ints, other: Ints) -> None:
    n = min(len(tree), len(other)) - 1
    own = [head if head <= n else -1 for head in tree[1 : n + 1].tolist()]
    parse = Treebank.of([(["w"] * n, other[1 : n + 1].clip(max=n).tolist(), ["x"] * n)])
    known = Treebank.of([(["w"] * n, own, ["xyz"[i % 3] if own[i] >= 0 else "" for i in range(n)])])
    taken = Given(known.heads, known.deprels, known.labels).held(parse)
    for i in range(1, n + 1):
        source = known if own[i - 1] >= 0 else parse
        assert taken.heads[i] == source.heads[i]
        assert taken.sentence(0).deprels[i] == source.sentence(0).deprels[i]


def test_an_arc_without_any_label_gets_one() -> None:
    unparsed = Treebank.of([(["a", "dog", "barks"], [-1] * 3, [""] * 3)])
    heads = np.array([-1, 2, 3, 0], np.int32)
    taken = Given(heads, np.full_like(heads, -1), ()).held(unparsed)
    assert taken.sentence(0).deprels == ("", "dep", "dep", "root")
