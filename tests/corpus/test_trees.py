"""Trees and projectivity against their definitions, and the mirror image."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import trees as twin
from tests.strategies import projective_trees, treebanks, trees
from treevote.corpus.source import Source
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import (
    are_trees,
    cycles,
    is_projective,
    is_single_rooted,
    is_tree,
    non_projective,
    non_projective_arcs,
    per_sentence,
    require_labelled_trees,
    require_trees,
    reverse,
    roots,
)
from treevote.errors import InputError
from treevote.kernels import Ints


def head_array(*heads: int) -> Ints:
    return np.array([-1, *heads], np.int32)


@given(st.lists(st.integers(-2, 6), max_size=5))
def test_is_tree_is_reachability_from_root(heads: list[int]) -> None:
    assert is_tree(head_array(*heads)) == twin.is_tree([-1, *heads])


@given(st.lists(st.integers(-1, 6), max_size=6))
def test_each_cycle_of_heads_is_found_once_and_goes_upwards(drawn: list[int]) -> None:
    heads = [-1, *(min(head, len(drawn)) for head in drawn)]

    def returns(token: int) -> bool:
        above = heads[token]
        for _ in drawn:
            above = heads[above] if above > 0 and above != token else above
        return above == token

    found = list(cycles(heads))
    assert sorted(token for cycle in found for token in cycle) == [i for i in range(1, len(heads)) if returns(i)]
    assert all([heads[token] for token in cycle] == [*cycle[1:], cycle[0]] for cycle in found)


@given(trees())
def test_random_trees_are_trees_with_the_roots_they_have(heads: Ints) -> None:
    assert is_tree(heads)
    assert is_tree(heads, single_root=True) == (heads.tolist().count(0) == 1)


@pytest.mark.parametrize(
    ("heads", "tree", "single"),
    [
        ([-1], True, False),
        ([-1, 0], True, True),
        ([-1, 0, 0], True, False),
        ([-1, 1], False, False),
        ([-1, -1], False, False),
        ([-1, 2, 1, 0], False, False),
        ([-1, 0, 3], False, False),
        ([0, 0], False, False),
        ([], False, False),
    ],
)
def test_is_tree_on_named_cases(heads: list[int], tree: bool, single: bool) -> None:
    array = np.array(heads, np.int32)
    assert (is_tree(array), is_tree(array, single_root=True)) == (tree, single)


@given(trees())
def test_non_projective_arcs_follow_the_definition(heads: Ints) -> None:
    assert non_projective_arcs(heads).tolist() == twin.non_projective_arcs(heads.tolist())


@given(trees())
def test_projective_means_no_crossing_arcs(heads: Ints) -> None:
    assert is_projective(heads) == (not twin.has_crossing_arcs(heads.tolist()))


@given(projective_trees())
def test_random_projective_trees_are_projective_trees(heads: Ints) -> None:
    assert is_tree(heads)
    assert is_projective(heads)


def test_an_arc_over_a_root_word_counts_and_one_from_root_does_not() -> None:
    # 1 <- 3 over the root word 2; 0 -> 4 over all of them.
    assert non_projective_arcs(head_array(3, 0, 0, 0)).tolist() == [False, True, False, False, False]


def test_non_projective_arcs_want_a_tree() -> None:
    with pytest.raises(InputError, match=r"expected a tree, found the heads \[2, 1\]"):
        non_projective_arcs(head_array(2, 1))


@given(treebanks())
def test_columns_agree_with_single_sentences(treebank: Treebank) -> None:
    heads = [sentence.heads for sentence in treebank.sentences()]
    assert are_trees(treebank).tolist() == [True] * len(heads)
    assert non_projective(treebank).tolist() == [mark for tree in heads for mark in non_projective_arcs(tree).tolist()]
    assert roots(treebank).tolist() == [tree.tolist().count(0) for tree in heads]
    assert is_single_rooted(treebank) == all(is_tree(tree, single_root=True) for tree in heads)


def test_the_first_sentence_that_is_no_tree_is_named() -> None:
    treebank = Treebank.of(
        [(["a"], [0], ["x"]), (["a", "b", "c"], [0, 3, 2], ["x"] * 3), (["a"], [-1], ["_"])], name="toy.conllu"
    )
    assert are_trees(treebank).tolist() == [True, False, False]
    with pytest.raises(InputError, match=r"sentence 2: token 2: expected a tree, found the heads \[0, 3, 2\]"):
        non_projective(treebank)
    with pytest.raises(InputError, match=r"^toy\.conllu, sentence 3: token 1: expected a tree"):
        require_trees(treebank, np.array([True, False, True]))
    require_trees(treebank, np.array([True, False, False]))


def test_the_first_sentence_with_a_label_that_cannot_be_written_is_named() -> None:
    treebank = Treebank.of([(["a"], [0], ["x"]), (["a"], [0], ["a\tb"]), (["a"], [0], ["a\tb"])], name="toy.conllu")
    with pytest.raises(InputError, match=r"^toy\.conllu, sentence 2: token 1: expected a label with no control"):
        require_labelled_trees(treebank)


@given(treebanks())
def test_reversal_undoes_itself_and_keeps_projectivity(treebank: Treebank) -> None:
    mirrored = reverse(treebank)
    assert are_trees(mirrored).all()
    counts = [per_sentence(non_projective(each), each.offsets).tolist() for each in (treebank, mirrored)]
    assert counts[0] == counts[1]
    for column in ("tokens", "heads", "deprels", "offsets"):
        assert getattr(reverse(mirrored), column).tolist() == getattr(treebank, column).tolist()
        assert getattr(mirrored, column).dtype == getattr(treebank, column).dtype


@given(treebanks())
def test_reversal_mirrors_every_arc(treebank: Treebank) -> None:
    for sentence, mirrored in zip(treebank.sentences(), reverse(treebank).sentences(), strict=True):
        n = len(sentence.words) - 1
        assert mirrored.words[1:] == sentence.words[:0:-1]
        for token in range(1, n + 1):
            head = int(sentence.heads[token])
            assert mirrored.heads[n + 1 - token] == (n + 1 - head if head else 0)
            assert mirrored.deprels[n + 1 - token] == sentence.deprels[token]


def test_reversal_keeps_unknown_heads_mirrors_support_and_drops_the_source() -> None:
    toy = Treebank.of([(["a", "b"], [-1, -1], ["_", "_"])])
    support = np.array([0, 0.25, 0.5], np.float32)
    line_of, files = np.array([0, 0, 1], np.int32), ((0, "a.conllu", 1),)
    source = Source("a.conllu", b"1\ta\n2\tb", line_of, np.array([1]), "conllu", files)
    voted = Treebank(
        toy.words,
        toy.tokens,
        toy.heads,
        toy.labels,
        toy.deprels,
        toy.offsets,
        "toy",
        source,
        support,
        support,
    )
    mirrored = reverse(voted)
    assert mirrored.heads.tolist() == [-1, -1, -1]
    assert mirrored.support is not None
    assert mirrored.support.tolist() == [0, 0.5, 0.25]
    assert mirrored.label_support is not None
    assert mirrored.label_support.tolist() == [0, 0.5, 0.25]
    assert mirrored.source is None
    assert mirrored.name == "toy"
