"""The choice of sentences: as many as asked for, no two alike, each with the most gain for its cost."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.reference.toy_grammar import toy_treebank
from tests.strategies import treebanks
from treevote.annotation.near_duplicates import SIMILAR
from treevote.annotation.selection import LENGTH_POWER, doubts, selected
from treevote.corpus.treebank import Treebank
from treevote.kernels import Doubles

POOL = toy_treebank(60, 5)


def value(parse: Treebank, doubt: Doubles, chosen: list[int]) -> float:
    """Return the value of a set of sentences, counted word by word."""
    sums: dict[object, float] = {}
    for i in chosen:
        sentence, start = parse[i], int(parse.offsets[i])
        for token in range(1, len(sentence.words)):
            head = int(sentence.heads[token])
            tags = sentence.words[token].upos, sentence.words[max(head, 0)].upos
            for key in (sentence.words[token].form.lower(), (*tags, sentence.deprels[token], head < token)):
                sums[key] = sums.get(key, 0.0) + float(doubt[start + token])
    return float(sum(np.sqrt(total) for total in sums.values()))


def pairs(parse: Treebank, i: int) -> set[object]:
    return set(itertools.pairwise(word for word in parse[i].words))


@given(treebanks(max_sentences=6), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_each_sentence_has_the_most_gain_for_its_cost(parse: Treebank, k: int, seed: int) -> None:
    assume(len(parse))
    doubt = np.where(parse.is_token, np.random.default_rng(seed).random(len(parse.tokens)), 0.0)
    chosen = selected(parse, doubt, sentences=k)
    assert len(chosen) <= min(k, len(parse))
    for n, i in enumerate(chosen):
        before = chosen[:n]

        def gain(j: int, before: list[int] = before) -> float:
            more = value(parse, doubt, [*before, j]) - value(parse, doubt, before)
            return more / float(parse.lengths[j] ** LENGTH_POWER)

        others = [j for j in range(len(parse)) if j not in before and not any(alike(parse, j, old) for old in before)]
        assert gain(i) >= max(map(gain, others)) - 1e-9


def alike(parse: Treebank, i: int, j: int) -> bool:
    first, second = pairs(parse, i), pairs(parse, j)
    return len(first & second) >= SIMILAR * len(first | second)


def test_one_vote_of_five_against_an_arc_is_a_doubt_of_a_fifth() -> None:
    pool = Treebank.of([(["a", "b"], [0, 1], ["root", "x"])])
    share = np.array([1, 0.8, 1], np.float32)
    assert doubts(dataclasses.replace(pool, support=share, label_support=np.ones_like(share))).tolist() == [0, 0.2, 0]


@given(st.integers(1, 200))
def test_tokens_are_not_exceeded_and_no_two_are_alike(tokens: int) -> None:
    doubt = np.where(POOL.is_token, 0.5, 0.0)
    chosen = selected(POOL, doubt, tokens=tokens)
    assert POOL.lengths[chosen].sum() <= tokens
    assert not any(alike(POOL, i, j) for i, j in itertools.combinations(chosen, 2))


def test_a_repeated_sentence_is_chosen_once_and_the_first_of_equal_ones() -> None:
    same = (["a", "b"], [2, 0], ["x", "root"])
    pool = Treebank.of([same, (["c", "d"], [2, 0], ["x", "root"]), same])
    doubt = np.where(pool.is_token, 0.5, 0.0)
    assert selected(pool, doubt, sentences=3) == [0, 1]
