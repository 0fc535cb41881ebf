"""Warnings about development files: another order by the names, and by the trees; the sentences of the test."""

from __future__ import annotations

import pytest

from tests.ensemble.test_selection import noisy
from tests.reference.toy_grammar import toy_treebank
from treevote.corpus.treebank import Treebank
from treevote.evaluation.development import learned_sentences, misplaced, same_sentences

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


def test_the_same_words_are_the_test_whatever_their_trees() -> None:
    assert list(same_sentences(TEST, noisy(TEST, 0.5, 1)))
    one, other, longer = (Treebank.of([(words, [0] * len(words), ["x"] * len(words))]) for words in ("ab", "ac", "abc"))
    assert not list(same_sentences(one, other))
    assert not list(same_sentences(one, longer))


@pytest.mark.parametrize(("n_known", "n"), [(0, 4), (1, 4), (2, 4), (1, 3), (1, 1)])
def test_more_than_a_quarter_of_known_sentences_is_too_much(n_known: int, n: int) -> None:
    development, training = (
        Treebank.of([([f"w{i}"], [0], ["root"]) for i in range(first, first + n)]) for first in (0, n - n_known)
    )
    told = list(learned_sentences(development, training))
    assert len(told) == (4 * n_known > n)
    assert all(f" {100 * n_known / n:.0f} % of its sentences" in sentence for sentence in told)


def systems(*n_other: int, tokens: int = 100) -> list[Treebank]:
    """Return parses that give some first words another label: two differ in as many words as their numbers do."""
    return [Treebank.of([(["w"] * tokens, [0] * tokens, ["y"] * n + ["x"] * (tokens - n))]) for n in n_other]


@pytest.mark.parametrize(
    ("known", "better"),
    [
        (systems(0, 10, 4), "x, z, y"),  # the mean difference of agreement falls from 20 / 3 points to 8 / 3
        (systems(0, 10, 5), None),  # it falls from 20 / 3 to 10 / 3, a half
        (systems(0, 0, 10), None),
    ],
)
def test_another_order_halves_the_difference_of_agreement(known: list[Treebank], better: str | None) -> None:
    told = list(misplaced(NAMES, ["x", "y", "z"], systems(0, 0, 10), known))
    assert [sentence.rpartition("better: ")[2] for sentence in told] == ([better] if better else [])


@pytest.mark.parametrize(("tokens", "n_told"), [(700, 1), (1000, 0)])
def test_an_order_that_is_better_by_less_than_half_a_point_is_chance(tokens: int, n_told: int) -> None:
    parses, known = systems(0, 0, 10, tokens=tokens), systems(0, 10, 4, tokens=tokens)  # 4 words of 700, or of 1000
    assert len(list(misplaced(NAMES, ["x", "y", "z"], parses, known))) == n_told


def test_two_systems_or_many_are_not_ordered_but_may_be_unlike_themselves() -> None:
    assert not list(misplaced(["a", "b"], ["x", "y"], systems(0, 0), systems(0, 15)))
    (told,) = misplaced(["a", "b"], ["x", "y"], systems(0, 5), systems(0, 21))
    assert told.startswith("a agrees with the other systems on 95 % of the tokens, x on 79 %")
    (told,) = misplaced(["a", "b"], ["x", "y"], systems(0, 0, tokens=1), systems(0, 1, tokens=1))
    assert "on 100 % of the tokens, x on 0 %" in told
    for n, words in ((6, "in another order"), (7, "f5 agrees with the other systems on 93 %")):
        parses, known = systems(*[0] * (n - 1), 40), systems(*[0] * (n - 2), 40, 0)
        (told,) = misplaced([f"f{i}" for i in range(n)], [f"d{i}" for i in range(n)], parses, known)
        assert words in told
