"""Near-duplicates: the index finds those that a comparison with every sentence finds, and compares with few."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote.annotation.near_duplicates import SIMILAR, DistinctSentences
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank


def treebank(sentences: Sequence[Sequence[str]]) -> Treebank:
    """Sentences of chains; the same form has another lemma in each."""
    words = [[Word(form, f"l{i}", "_", "_", "_") for form in forms] for i, forms in enumerate(sentences)]
    return Treebank.of([(own, range(len(own)), ["x"] * len(own)) for own in words])


def are_similar(first: Sequence[str], second: Sequence[str]) -> bool:
    one, other = (set(itertools.pairwise(["", *words])) for words in (first, second))
    return len(one & other) >= SIMILAR * len(one | other)


@given(st.lists(st.text("abcd", min_size=1, max_size=9), max_size=30))
def test_those_are_left_out_that_are_like_one_before(sentences: list[str]) -> None:
    kept: list[int] = []
    for i in range(len(sentences)):
        if not any(are_similar(sentences[i], sentences[j]) for j in kept):
            kept.append(i)
    distinct = DistinctSentences(treebank(sentences))
    assert [i for i in range(len(sentences)) if distinct.add(i)] == kept


@pytest.mark.parametrize("frame", [("the", "barks", "."), ("the", "barks", "at", "me")])
def test_pairs_that_all_sentences_have_lead_to_no_comparison(frame: tuple[str, ...]) -> None:
    distinct = DistinctSentences(treebank([[frame[0], f"w{i}", *frame[1:]] for i in range(9)]))
    for i in range(9):
        assert list(distinct.compared(i)) == []
        assert distinct.add(i)
