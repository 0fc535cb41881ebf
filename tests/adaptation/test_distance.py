"""The distance of two domains: nothing for the same tags, a bit where no tag is common, the mean in between."""

from __future__ import annotations

from math import log2
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treevote.adaptation.distance import Profile, distance
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank

sentences = st.lists(st.lists(st.sampled_from(["NOUN", "VERB", "ADJ"]), min_size=1, max_size=4), max_size=4)


def words_of(tags: list[str]) -> list[Word]:
    """Return words whose forms are their numbers and tags, the first with a capital, and every other tag an XPOS."""
    return [
        Word(f"{'W' if i == 0 else 'w'}{i}{tag}", "_", "X" if i % 2 else tag, tag if i % 2 else "_", "_")
        for i, tag in enumerate(tags)
    ]


def text(*sentences: list[str]) -> Treebank:
    return Treebank.of([(words_of(tags), [0] * len(tags), ["root"] * len(tags)) for tags in sentences])


def tagged(*tags: str) -> Profile:
    return Profile.of([text(list(tags))])


@pytest.mark.parametrize(
    ("target", "expected"),
    [(("NOUN", "VERB"), 0.0), (("ADJ", "ADV"), 1.0), (("NOUN", "ADJ"), 0.5), (("NOUN", "NOUN", "VERB"), 0.0207)],
)
def test_divergence_of_tags(target: tuple[str, ...], expected: float) -> None:
    assert distance(tagged("NOUN", "VERB"), tagged(*target)).tag_divergence == expected
    assert distance(tagged(*target), tagged("NOUN", "VERB")).tag_divergence == expected


def test_tags_that_a_tagger_missed_in_the_source_are_known() -> None:
    found = distance(tagged("NOUN"), tagged("NOUN", "VERB", "ADJ"), ["VERB"])
    assert (found.unknown_tags, found.tags) == (33.33, ("ADJ",))


@settings(max_examples=40)
@given(sentences.filter(bool), sentences)
def test_rates_are_percentages_of_the_words_and_sentences_of_the_target(
    source: list[list[str]], target: list[list[str]]
) -> None:
    forms = {word.form for tags in source for word in words_of(tags)}
    unknown = [word.form not in forms for tags in target for word in words_of(tags)]
    strange = [tag for tags in target for tag in tags if all(tag not in own for own in source)]
    n = max(len(unknown), 1)
    found = distance(Profile.of([text(*source)]), Profile.of([text(*target[:1]), text(*target[1:])], known(source)))
    assert found.unknown_words == round(100 * sum(unknown) / n, 2)
    assert found.unknown_tags == round(100 * len(strange) / n, 2)
    assert found.tags == tuple(sorted(set(strange), key=lambda tag: (-strange.count(tag), tag)))
    assert found.source_length == round(mean(map(len, source)), 1)
    assert found.repeated == round(100 * sum(tags in source for tags in target) / max(len(target), 1), 2)
    if target:
        assert found.target_length == round(mean(map(len, target)), 1)


def known(source: list[list[str]]) -> set[tuple[str, ...]]:
    """Return sentences as tuples of forms."""
    return {tuple(word.form for word in words_of(tags)) for tags in source}


@pytest.mark.parametrize(
    ("target", "n_seen", "n_unseen"),
    [(["A", "B"], 2, 0), (["A"], 1, 0), (["B"], 0, 1), (["C"], 0, 1), (["A", "C"], 1, 1), (["A", "B", "C"], 2, 0)],
)
def test_the_information_of_tag_bigrams_by_hand(target: list[str], n_seen: int, n_unseen: int) -> None:
    """In twice A B, p(A) = p(B) = (2 + 1) / (4 + 3), since each tag has one more, and so has an unknown one.

    A begins, and B follows A, 2 times of 2; with ten pseudo-counts by p that is (2 + 10 p) / 12, and for others
    10 p / 12. Nothing follows B, so what does in the target has p, which is no information.
    """
    p = 3 / 7
    seen, unseen = log2((2 + 10 * p) / 12 / p), log2(10 / 12)
    found = distance(Profile.of([text(["A", "B"], ["A", "B"])]), tagged(*target)).bigram_information
    assert found == round(100 * (n_seen * seen + n_unseen * unseen) / len(target) / seen, 1)
