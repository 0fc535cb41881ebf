"""Warnings about development files: another order by the names, and by the trees; the sentences of the test."""

from __future__ import annotations

from tests.ensemble.test_selection import noisy
from tests.reference.toy_grammar import toy_treebank
from treevote.evaluation.development import misplaced, same_sentences

TEST, DEV = toy_treebank(60, seed=1), toy_treebank(60, seed=2)
NAMES = ["a.conllu", "b.conllu", "c.conllu"]
NOISE = (0.05, 0.1, 0.5)


def test_files_in_the_order_of_the_systems_are_right() -> None:
    parses, known = ([noisy(text, share, 1) for share in NOISE] for text in (TEST, DEV))
    assert not list(misplaced(NAMES, NAMES, parses, known))
    assert not list(misplaced(NAMES, ["x", "y", "z"], parses, known))


def test_another_order_is_told_by_names_and_by_trees() -> None:
    parses, known = ([noisy(text, share, 1) for share in NOISE] for text in (TEST, DEV))
    (by_names,) = misplaced(NAMES, NAMES[::-1], parses, known)
    assert by_names.startswith("by their names the files of --dev are in another order (c, b, a)")
    (by_trees,) = misplaced(NAMES, ["x", "y", "z"], parses, [known[2], known[0], known[1]])
    assert "by their agreement with each other" in by_trees


def test_the_sentences_of_the_test_are_no_development_data() -> None:
    assert list(same_sentences(TEST, TEST))
    assert not list(same_sentences(TEST, DEV))
