"""Agreement among systems and with the gold trees: laws, and the same numbers in all places that use it."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treevote.adaptation.annotation import agreement as share_by_sentence
from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import encode
from treevote.ensemble.selection import diversity
from treevote.evaluation.agreement import agreement, arcs_of, oracle, right_arcs, unanimous, uniquely_correct
from treevote.evaluation.evaluation import evaluate_systems

WORDS = [["a", "dog", "barks"], ["yes"], ["no", "."]]
LABELS = ["nsubj", "nsubj:pass", "root"]


@st.composite
def parses(draw: st.DrawFn, least: int = 0) -> Treebank:
    """Any heads and labels over the same words; ``least`` -1 allows tokens without a head."""
    return Treebank.of(
        [
            (
                words,
                [draw(st.sampled_from([head for head in range(least, n) if head != i])) for i in range(1, n)],
                [draw(st.sampled_from(LABELS)) for _ in words],
            )
            for words in WORDS
            for n in [len(words) + 1]
        ]
    )


several = st.lists(parses(-1), min_size=1, max_size=4)


@given(several)
def test_agreement_is_symmetric_and_of_a_system_with_itself_wherever_it_has_a_head(systems: list[Treebank]) -> None:
    for one, other in itertools.product(arcs_of(systems), repeat=2):
        assert np.array_equal(agreement(one, other), agreement(other, one))
        assert np.array_equal(agreement(one, one).arcs, one.heads >= 0)


@given(several)
def test_unanimous_is_agreement_of_every_pair(systems: list[Treebank]) -> None:
    pairs = [agreement(one, other).arcs for one, other in itertools.product(arcs_of(systems), repeat=2)]
    assert np.array_equal(unanimous(systems), np.logical_and.reduce(pairs))
    is_token, sentences = systems[0].is_token, systems[0].sentence_of
    whole = np.bincount(sentences, weights=is_token & ~unanimous(systems)) == 0
    assert np.array_equal(share_by_sentence(systems) == 1, whole)


@given(parses(), several)
def test_oracle_and_uniquely_correct_count_the_systems_that_are_right(gold: Treebank, systems: list[Treebank]) -> None:
    right = [right_arcs(gold, system).arcs for system in systems]
    times = np.sum(right, axis=0)
    assert np.array_equal(oracle(right), times > 0)
    assert np.array_equal(np.sum(uniquely_correct(right), axis=0), times == 1)


@given(parses(), st.lists(parses(), min_size=1, max_size=3))
def test_diversity_and_comparison_give_the_same_shares(gold: Treebank, systems: list[Treebank]) -> None:
    named = {str(i): system for i, system in enumerate(systems)}
    found = diversity(gold, named, convention="conllx")
    comparison = evaluate_systems(gold, named, convention="conllx", samples=1, permutations=1).comparison
    assert comparison.all_arcs is not None
    assert found["oracle_las"] == round(comparison.all_arcs, 2)
    for differ, agree in zip(found["disagreement"], comparison.agreement_arcs, strict=True):
        assert np.allclose([100 - share for share in differ], np.array(agree, float), atol=0.006)


@given(st.lists(st.text(max_size=2)), st.lists(st.text(max_size=2)))
def test_a_vocabulary_gives_back_what_was_encoded(first: list[str], second: list[str]) -> None:
    vocabulary: dict[str, int] = {}
    numbers = [encode(names, vocabulary) for names in (first, second)]
    assert list(vocabulary.values()) == list(range(len(vocabulary)))
    assert list(vocabulary) == list(dict.fromkeys(first + second))
    for names, encoded in zip((first, second), numbers, strict=True):
        assert encoded[-1] == -1
        assert [list(vocabulary)[number] for number in encoded[:-1]] == names


@given(parses())
def test_a_slot_is_its_position_after_the_start_of_its_sentence(treebank: Treebank) -> None:
    assert np.array_equal(treebank.starts + treebank.positions, np.arange(len(treebank.tokens)))
    assert np.array_equal(treebank.offsets[treebank.sentence_of], treebank.starts)
    assert np.array_equal(treebank.positions > 0, treebank.is_token)
