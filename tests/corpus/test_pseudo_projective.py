"""Lifting and its inverse: laws, the twin, and sentences worked by hand."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import pseudo_projective as twin
from tests.strategies import projective_trees, treebanks
from treevote.corpus.pseudo_projective import Encoding, deprojectivize, projectivize
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, non_projective, roots
from treevote.errors import ConfigError, InputError

ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)
encodings = st.sampled_from(ENCODINGS)
arrows = ("a", "a↑b", "b↓", "\\", "\\↑", "↑", "b\\\\")

# "Of those apples I have eaten only one": the preposition heads its phrase, as in the Prague treebank, and
# depends on the numeral at the other end of the sentence.
FORMS = ["Z", "těch", "jablek", "jsem", "snědl", "jen", "jedno"]
HEADS = [7, 3, 1, 5, 0, 7, 5]
DEPRELS = ["AuxP", "Atr", "Atr", "AuxV", "Pred", "AuxZ", "Obj"]


def arcs(treebank: Treebank) -> list[tuple[list[int], tuple[str, ...]]]:
    return [(sentence.heads.tolist(), sentence.deprels) for sentence in treebank.sentences()]


@given(treebanks(), encodings)
def test_lifting_makes_every_tree_projective(treebank: Treebank, encoding: Encoding) -> None:
    assert not non_projective(projectivize(treebank, encoding)).any()


@given(treebanks(projective_trees()), encodings)
def test_projective_trees_stay_as_they_are(treebank: Treebank, encoding: Encoding) -> None:
    assert arcs(projectivize(treebank, encoding)) == arcs(treebank)


@given(treebanks(), encodings)
def test_lifting_agrees_with_the_twin(treebank: Treebank, encoding: Encoding) -> None:
    expected = [twin.encode(s.heads.tolist(), list(s.deprels), encoding) for s in treebank.sentences()]
    assert arcs(projectivize(treebank, encoding)) == [(heads, tuple(deprels)) for heads, deprels in expected]


MARKED = ("a", "b", "a↑", "b↑a", "a↓", "b↓", "b↑a↓", "a↑c")


@given(treebanks(labels=MARKED), encodings)
def test_the_inverse_agrees_with_the_twin_on_any_marks(treebank: Treebank, encoding: Encoding) -> None:
    expected = [twin.decode(s.heads.tolist(), list(s.deprels), encoding) for s in treebank.sentences()]
    assert arcs(deprojectivize(treebank, encoding)) == [(heads, tuple(deprels)) for heads, deprels in expected]


@given(treebanks(labels=MARKED), st.sampled_from(("head", "path", "head+path")))
def test_the_inverse_gives_trees_without_marks_and_without_new_roots(treebank: Treebank, encoding: Encoding) -> None:
    restored = deprojectivize(treebank, encoding)
    assert are_trees(restored).all()
    assert (roots(restored) <= roots(treebank)).all()
    assert not any(mark in label for label in restored.labels for mark in "↑↓")


@given(treebanks(labels=arrows), st.sampled_from(("head", "path", "head+path")))
def test_labels_come_back_whatever_they_contain(treebank: Treebank, encoding: Encoding) -> None:
    restored = deprojectivize(projectivize(treebank, encoding), encoding)
    assert are_trees(restored).all()
    assert [deprels for _, deprels in arcs(restored)] == [deprels for _, deprels in arcs(treebank)]


@given(treebanks())
def test_one_lifted_arc_is_always_found_again_by_its_path(treebank: Treebank) -> None:
    lifted = projectivize(treebank, "none")
    restored = deprojectivize(projectivize(treebank, "path"), "path")
    for i, sentence in enumerate(treebank.sentences()):
        if np.count_nonzero(lifted.sentence(i).heads != sentence.heads) == 1:
            assert restored.sentence(i).heads.tolist() == sentence.heads.tolist()


@given(treebanks(), encodings)
def test_arguments_are_left_alone(treebank: Treebank, encoding: Encoding) -> None:
    before = arcs(treebank)
    lifted = projectivize(treebank, encoding)
    between = arcs(lifted)
    deprojectivize(lifted, encoding)
    assert (arcs(treebank), arcs(lifted)) == (before, between)


@pytest.mark.parametrize(
    ("encoding", "preposition", "quantity"),
    [
        ("none", "AuxP", "Obj"),
        ("head", "AuxP↑Obj", "Obj"),
        ("path", "AuxP↑", "Obj↓"),
        ("head+path", "AuxP↑Obj", "Obj↓"),
    ],
)
def test_a_fronted_phrase_worked_by_hand(encoding: Encoding, preposition: str, quantity: str) -> None:
    gold = Treebank.of([(FORMS, HEADS, DEPRELS)])
    lifted = projectivize(gold, encoding)
    assert arcs(lifted) == [
        ([-1, 5, 3, 1, 5, 0, 7, 5], ("", preposition, "Atr", "Atr", "AuxV", "Pred", "AuxZ", quantity))
    ]
    assert lifted.labels[: len(gold.labels)] == gold.labels
    if encoding != "none":
        assert arcs(deprojectivize(lifted, encoding)) == arcs(gold)


def test_the_shortest_arc_is_lifted_first() -> None:
    # 2 (from 4) is lifted to 1, then 4 (from 1) to 3; the longer arc first would have left 2 at 3.
    gold = Treebank.of([(list("abcd"), [3, 4, 0, 1], ["x"] * 4)])
    assert projectivize(gold, "none").sentence(0).heads.tolist() == [-1, 3, 1, 0, 3]


def test_of_equally_long_arcs_that_of_the_leftmost_dependent_is_lifted_first() -> None:
    # 1 (from 3) is lifted to 5 before 3 (from 5) is to 2; in the other order 1 would have ended at 2, not 4.
    gold = Treebank.of([(list("abcdef"), [3, 4, 5, 0, 2, 2], ["x"] * 6)])
    assert projectivize(gold, "none").sentence(0).heads.tolist() == [-1, 4, 4, 2, 0, 4, 4]


def test_an_arc_that_a_lift_makes_cross_is_lifted_in_its_turn() -> None:
    # 1 (from 4) is lifted to 2. Only now 6 (from 4) crosses 5, which hangs on 1, and it is lifted before 3 (from 6).
    gold = Treebank.of([(list("abcdef"), [4, 0, 6, 2, 1, 4], ["x"] * 6)])
    assert projectivize(gold, "none").sentence(0).heads.tolist() == [-1, 2, 0, 2, 2, 2, 2]


def test_an_arc_over_a_root_is_lifted_to_root_and_found_again() -> None:
    gold = Treebank.of([(["a", "b", "c"], [3, 0, 0], ["det", "root", "list"])])
    lifted = projectivize(gold, "head+path")
    assert arcs(lifted) == [([-1, 0, 0, 0], ("", "det↑list", "root", "list↓"))]
    assert arcs(deprojectivize(lifted, "head+path")) == arcs(gold)


def test_what_was_lifted_over_a_lifted_word_is_found_again() -> None:
    gold = Treebank.of([(list("abcdef"), [5, 0, 2, 1, 2, 4], ["p", "root", "q", "r", "s", "t"])])
    lifted = projectivize(gold, "head+path")
    assert non_projective(gold).any()
    assert arcs(deprojectivize(lifted, "head+path")) == arcs(gold)


@pytest.mark.parametrize(
    ("encoding", "head"),
    [("head", 3), ("path", 5), ("head+path", 4)],
)
def test_what_each_search_takes_for_the_target(encoding: Encoding, head: int) -> None:
    # Below 2: 3 has the label but not the mark, 4 has both, 5 below 4 ends the path.
    parse = Treebank.of([(list("abcde"), [2, 0, 2, 2, 4], ["x↑y", "root", "y", "y↓", "z↓"])])
    assert deprojectivize(parse, encoding).sentence(0).heads[1] == head


def test_head_and_path_falls_back_on_head() -> None:
    parse = Treebank.of([(list("abc"), [2, 0, 2], ["x↑y", "root", "y"])])
    assert deprojectivize(parse, "head+path").sentence(0).heads[1] == 3
    assert deprojectivize(parse, "path").sentence(0).heads[1] == 2


def test_marks_that_lead_nowhere_are_removed() -> None:
    parse = Treebank.of([(list("ab"), [2, 0], ["x↑y↓", "root↑"])])
    for encoding in ENCODINGS[1:]:
        assert arcs(deprojectivize(parse, encoding)) == [([-1, 2, 0], ("", "x", "root"))]


def test_the_search_does_not_enter_the_dependents_own_tree() -> None:
    parse = Treebank.of([(list("abc"), [0, 1, 1], ["x↑y", "y↓", "z"])])
    assert deprojectivize(parse, "head+path").sentence(0).heads.tolist() == [-1, 0, 1, 1]


def test_labels_that_were_never_written_by_the_encoding_are_left_alone() -> None:
    parse = Treebank.of([(list("ab"), [2, 0], ["x↓↑", "a\\b"])])
    assert deprojectivize(parse, "path").sentence(0).deprels == ("", "x↓↑", "a\\b")


def test_unparsed_sentences_pass_through_the_inverse_but_not_through_lifting() -> None:
    parse = Treebank.of([(["a"], [-1], ["_"]), (list("abc"), [2, 0, 2], ["x↑", "root", "y↓"])], name="toy")
    assert deprojectivize(parse, "path").heads.tolist() == [-1, -1, -1, 3, 0, 2]
    with pytest.raises(InputError, match="toy, sentence 1: token 1: expected a tree"):
        projectivize(parse, "path")


def test_a_marked_sentence_must_be_a_tree() -> None:
    with pytest.raises(InputError, match="expected a tree"):
        deprojectivize(Treebank.of([(["a", "b"], [2, 1], ["x↑", "y"])]), "path")


def test_an_unknown_encoding_is_named() -> None:
    toy = Treebank.of([])
    for function in (projectivize, deprojectivize):
        with pytest.raises(ConfigError, match="unknown pseudo-projective encoding 'paths'; did you mean 'path'"):
            function(toy, "paths")  # type: ignore[arg-type]


@pytest.mark.parametrize("encoding", ["path", "head", "head+path"])
def test_labels_without_anything_but_marks_stay(encoding: Encoding) -> None:
    for label in ("↓", "↑", "↑x", "↑↓"):
        parse = Treebank.of([(["a", "b"], [2, 0], [label, "root"])])
        assert deprojectivize(parse, encoding).sentence(0).deprels == ("", label, "root")
        assert deprojectivize(projectivize(parse, encoding), encoding).sentence(0).deprels == ("", label, "root")
