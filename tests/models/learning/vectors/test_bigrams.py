"""Counts of bigrams: those of the text at any distance, whatever its parts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote.corpus.treebank import Treebank
from treevote.models.learning.vectors import bigrams
from treevote.models.learning.vectors.bigrams import BigramCounts

sentences = st.lists(st.lists(st.sampled_from(["a", "b", "A", "c"]), min_size=1, max_size=5), min_size=1, max_size=6)


def treebank(text: list[list[str]]) -> Treebank:
    return Treebank.of([(forms, [0] * len(forms), ["x"] * len(forms)) for forms in text])


def test_counts_are_those_of_the_text() -> None:
    counts = BigramCounts()
    counts.add(treebank([["a", "b", "a"], ["a", "c"]]))
    forms, found = counts.bigrams(2)
    assert forms == ["a"]  # then rare words, then the end of a sentence
    assert found.counts.tolist() == [3, 2, 2]
    assert found.pairs(np.arange(3, dtype=np.int32), 3).tolist() == [[0, 2, 1], [1, 0, 1], [2, 0, 0]]


@given(sentences, st.integers(1, 6), st.integers(1, 8))
def test_each_place_behind_a_word_is_counted(text: list[list[str]], distance: int, pending: int) -> None:
    counts = BigramCounts(distance, str.lower)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bigrams, "_PENDING", pending)
        for sentence in text:
            counts.add(treebank([sentence]))
    forms, found = counts.bigrams(1)
    wanted = Counter[tuple[str, str]]()
    for sentence in text:
        line = ["", *map(str.lower, sentence), *[""] * distance]
        wanted.update(zip(line[: len(sentence) + 1], line[distance:], strict=False))
    names = [*forms, "(rare)", ""]
    pairs = found.pairs(np.arange(len(names), dtype=np.int32), len(names))
    assert {(names[i], names[j]): pairs[i, j] for i, j in zip(*np.nonzero(pairs), strict=True)} == dict(wanted)
    assert counts.n_tokens == sum(map(len, text))
