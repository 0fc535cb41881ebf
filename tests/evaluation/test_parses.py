"""The trees of all systems over the gold words: sentence by sentence they are those that were added."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import treebanks
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.evaluation.counts import Convention, compared_part
from treevote.evaluation.parses import Parses, Tree


def other_trees(gold: Treebank, rng: np.random.Generator) -> Treebank:
    """Return arcs in which some are others, without a head or without a label."""
    changed, bare = (gold.is_token & (rng.random(len(gold.heads)) < 0.3) for _ in range(2))
    heads = np.where(changed, rng.integers(-1, gold.lengths[gold.sentence_of] + 1), gold.heads).astype(np.int32)
    deprels = np.where(bare, rng.integers(-1, 3, len(heads)), gold.deprels).astype(np.int32)
    return gold.with_trees(heads, deprels, [*gold.labels, "nsubj", "obl:x", "obl"])


@settings(max_examples=15)
@given(treebanks(), st.integers(0, 99), st.sampled_from(["ud", "conllx"]))
def test_sentences_have_the_trees_that_were_added(gold: Treebank, seed: int, convention: Convention) -> None:
    rng = np.random.default_rng(seed)
    systems = [other_trees(gold, rng) for _ in range(3)]
    scored = gold.is_token & (rng.random(len(gold.heads)) < 0.8)
    parses, part = Parses(gold, scored, convention), compared_part(convention)
    for system in systems:
        parses.add(system)
    found = [parses.sentence(i + 1) for i in range(len(gold))]
    for i, one in enumerate(found):
        expected = [
            Tree(tuple(own.heads[1:].tolist()), tuple(part(label) for label in own.deprels[1:]))
            for own in (treebank.sentence(i) for treebank in (gold, *systems))
        ]
        assert (one.number, one.gold, list(one.systems)) == (i + 1, expected[0], expected[1:])
        assert one.scored == tuple(scored[gold.offsets[i] + 1 : gold.offsets[i + 1]].tolist())
    for first, second in ((0, 1), (1, 2), (2, 2)):
        arcs = [[[*zip(*own.systems[k], strict=True)] for k in (first, second)] for own in found]
        assert parses.n_differing(first, second).tolist() == [
            sum(a != b and counts for a, b, counts in zip(*both, own.scored, strict=True))
            for both, own in zip(arcs, found, strict=True)
        ]
    for number in (0, len(gold) + 1):
        with pytest.raises(IndexError, match=f"found {number}"):
            parses.sentence(number)


def test_a_word_without_upos_has_its_xpos() -> None:
    words = [Word("a", "_", "NOUN", "NN", "_"), Word("b", "_", "_", "VB", "_"), Word("c", "_", "X", "_", "_")]
    gold = Treebank.of([(words, [0, 1, 1], ["root", "x", "x"])])
    sentence = Parses(gold, gold.is_token, "ud").sentence(1)
    assert (sentence.forms, sentence.pos) == (("a", "b", "c"), ("NOUN", "VB", "X"))
