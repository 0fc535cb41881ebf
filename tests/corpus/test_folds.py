"""Folds: a partition, and the sentences in their own order again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from treevote.corpus.folds import folds_of, rejoined
from treevote.corpus.treebank import Treebank


@given(st.integers(2, 40), st.integers(2, 5))
def test_folds_are_a_partition_and_train_on_the_rest(n_sentences: int, n_folds: int) -> None:
    held = []
    for others, held_out in folds_of(n_sentences, n_folds):
        assert sorted([*others, *held_out]) == list(range(n_sentences))
        held += held_out.tolist()
    assert sorted(held) == list(range(n_sentences))


@given(st.integers(0, 20), st.integers(1, 5))
def test_folds_that_are_rejoined_are_the_treebank(n_sentences: int, n_folds: int) -> None:
    toy = Treebank.of([([str(i)], [0], ["root"]) for i in range(n_sentences)])
    again = rejoined([toy.select(held_out) for _, held_out in folds_of(n_sentences, n_folds)], "toy")
    assert [sentence.words for sentence in again] == [sentence.words for sentence in toy]
    assert again.name == "toy"
