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
from treevote.corpus.trees import are_trees
from treevote.errors import InputError
from treevote.kernels import Ints

HALF_DONE = Treebank.of([(["a", "dog", "barks", "."], [2, -1, 0, 3], ["det", "", "root", "_"])], "half.conllu")


@pytest.mark.parametrize(
    ("keep", "heads", "labels"),
    [
        ("heads", [-1, 2, -1, 0, 3], ["", "", "", "", ""]),
        ("labels", [-1, -1, -1, 0, -1], ["", "det", "", "root", ""]),
        ("all", [-1, 2, -1, 0, 3], ["", "det", "", "root", ""]),
    ],
)
def test_heads_labels_or_both_are_given(keep: Keep, heads: list[int], labels: list[str]) -> None:
    found = Given.of(HALF_DONE, keep, single_root=True)
    assert found is not None
    assert found.heads.tolist() == heads
    assert [found.labels[i] if i >= 0 else "" for i in found.deprels.tolist()] == labels


@pytest.mark.parametrize("head", [10**8, 5, -7])
def test_arrays_that_were_written_into_are_checked_anew(head: int) -> None:
    changed = Treebank.of([(["a", "dog"], [2, 0], ["det", "root"])])
    changed.heads[1] = head
    for call in (lambda: Given.of(changed, "heads", single_root=True), lambda: are_trees(changed)):
        with pytest.raises(InputError, match=rf"token 1: expected a head in -1\.\.2, found {head}"):
            call()


@pytest.mark.parametrize(
    ("given_heads", "labels", "found"),
    [
        ([-1, -1, -1], ["det", "", "root"], [-1, -1, 0]),
        ([-1, 3, -1], ["det", "dep", "ROOT"], [-1, 3, 0]),
        ([-1, -1, -1], ["root", "", "root"], [-1, -1, -1]),  # which of them?
        ([0, -1, -1], ["root", "", "root"], [0, -1, -1]),
        ([0, -1, -1], ["_", "", "root"], [0, -1, -1]),
        ([-1, -1, 1], ["", "", "root"], [-1, -1, 1]),  # a given head stays
    ],
)
def test_the_only_word_with_the_given_label_root_is_the_root(
    given_heads: list[int], labels: list[str], found: list[int]
) -> None:
    half_done = Treebank.of([(["x"], [-1], ["root"]), (["a", "b", "c"], given_heads, labels)])
    kept = Given.of(half_done, "all", single_root=True)
    assert kept is not None
    assert kept.heads.tolist() == [-1, 0, -1, *found]


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
    heads = other[1 : n + 1].clip(max=n).tolist()
    parse = Treebank.of([(["w"] * n, heads, ["root" if head == 0 else "x" for head in heads])])
    known = Treebank.of([(["w"] * n, own, ["xy_"[i % 3] if own[i] >= 0 else "" for i in range(n)])])
    kept = Given.of(known, "all", single_root=False)
    taken = parse if kept is None else kept.held(parse)
    before, after, asked = (each.sentence(0).deprels for each in (parse, taken, known))
    for i in range(1, n + 1):
        assert taken.heads[i] == (known if own[i - 1] >= 0 else parse).heads[i]
        if asked[i] not in ("", "_"):
            assert after[i] == asked[i]
        else:  # an arc from ROOT, and no other, has the label root
            assert (after[i] == "root") == (taken.heads[i] == 0)
            assert after[i] in (before[i], "root", "dep")
            assert after[i] == before[i] or 0 in (taken.heads[i], parse.heads[i])


def test_a_given_root_has_the_label_of_the_first_root_in_its_sentence() -> None:
    words = ["a", "b", "c", "d"]
    parse = Treebank.of([(words, [2, 0, 2, 0], ["Sb", "Pred", "Obj", "AuxK"]), (words, [0, 1, 1, 0], ["dep"] * 4)])
    half_done = Treebank.of([(words, [0, -1, -1, -1], ["_", "", "", ""]), (words, [-1] * 4, [""] * 4)])
    for labels in (parse.labels, ("Pred", "Sb", "Obj", "AuxK", "dep")):
        deprels = np.array([labels.index(parse.labels[i]) if i >= 0 else -1 for i in parse.deprels], np.int32)
        kept = Given.of(half_done, "all", single_root=False)
        assert kept is not None
        held = kept.held(parse.with_trees(parse.heads, deprels, labels))
        assert held.sentence(0).deprels == ("", "Pred", "Pred", "Obj", "AuxK")


def test_a_given_root_that_the_parse_has_without_a_label_gets_one() -> None:
    parse = Treebank.of([(["a", "b"], [0, 1], ["root", "x"])])
    bare = parse.with_trees(parse.heads, np.full_like(parse.deprels, -1), parse.labels)
    assert Given(parse.heads, bare.deprels, ()).held(bare).sentence(0).deprels == ("", "root", "dep")


def test_an_arc_without_any_label_gets_one() -> None:
    unparsed = Treebank.of([(["a", "dog", "barks"], [-1] * 3, [""] * 3)])
    heads = np.array([-1, 2, 3, 0], np.int32)
    taken = Given(heads, np.full_like(heads, -1), ()).held(unparsed)
    assert taken.sentence(0).deprels == ("", "dep", "dep", "root")
