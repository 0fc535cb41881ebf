"""The trees of all systems over the gold words: sentence by sentence they are those that were added."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import treebanks
from treevote.corpus.treebank import Treebank
from treevote.evaluation.agreement import arcs_of, disagreement
from treevote.evaluation.counts import Convention, compared_part
from treevote.evaluation.parses import Parses


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
            own._replace(deprels=tuple(map(part, own.deprels)))
            for own in (treebank.sentence(i) for treebank in (gold, *systems))
        ]
        assert (one.number, one.gold, list(one.systems)) == (i + 1, expected[0], expected[1:])
        assert one.scored == tuple(scored[gold.offsets[i] : gold.offsets[i + 1]].tolist())
    arcs = arcs_of(parses.systems)
    for first, second in ((0, 1), (1, 2), (2, 2)):
        ours, theirs = (
            [arc for own in found for arc in zip(own.systems[k].heads, own.systems[k].deprels, strict=True)]
            for k in (first, second)
        )
        assert disagreement(arcs[first], arcs[second]).tolist() == list(map(operator.ne, ours, theirs))
    for number in (0, len(gold) + 1):
        with pytest.raises(IndexError, match=f"found {number}"):
            parses.sentence(number)
