"""Agreement of taggers: a token is agreed on if each tagger of a task by itself chooses the tag of their vote."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.text.tagging.test_tagger import bare, forms, words_of
from tests.reference import tagger as twin
from tests.reference.quick_tagger import SMALL, inflected
from treevote.corpus.sentence import Word
from treevote.models.text.tagging import tagger as module
from treevote.models.text.tagging import task as voting
from treevote.models.text.tagging.tagger import Tagger

texts = st.lists(st.lists(st.text("abxyA1", min_size=1, max_size=4) | forms, min_size=1, max_size=6), max_size=4)


@pytest.fixture(scope="module")
def small() -> Tagger:
    """Return a small tagger of inflected forms, whose taggers differ."""
    return SMALL.train(inflected(40, 1))


def tagged(tagger: Tagger, own: list[list[str]]) -> list[Word]:
    return [word for words in words_of(tagger.tag(bare(own))) for word in words]


def alone(tagger: Tagger, task: str) -> list[Tagger]:
    """Return for each tagger of a task the whole with this one alone."""
    whole = tagger.tasks[task]
    bases = whole.tagset.parts.bases.tolist()
    singles = [twin.alone(one, bases, number) for one in whole.taggers for number in range(len(one.evidence))]
    parts = [dataclasses.replace(whole, taggers=(one,)) for one in singles]
    return [Tagger(tagger.forms, {**tagger.tasks, task: part}) for part in parts]


@settings(max_examples=60)
@given(texts)
def test_agreed_is_what_each_tagger_chooses_alone(small: Tagger, own: list[list[str]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(voting, "NEW_COMBINATION", np.inf)
        whole, upos, feats = tagged(small, own), alone(small, "upos"), alone(small, "feats")
        choices = [tagged(one, own) for one in (*upos, *feats)]
        found, agreed, _ = small.tag_with_margins(bare(own))
    expected = [
        all(one.upos == word.upos for one in others[: len(upos)])
        and all(one.feats == word.feats for one in others[len(upos) :])
        for word, *others in zip(whole, *choices, strict=True)
    ]
    assert agreed[found.is_token].tolist() == expected
    assert not agreed[~found.is_token].any()


@settings(max_examples=30)
@given(texts, st.integers(1, 12))
def test_judges_tag_as_ever_and_in_any_batch(small: Tagger, own: list[list[str]], batch: int) -> None:
    found, agreed, _ = small.tag_with_margins(bare(own))
    assert words_of(found) == words_of(small.tag(bare(own)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BATCH", batch)
        assert small.tag_with_margins(bare(own))[1].tolist() == agreed.tolist()


@settings(max_examples=30)
@given(texts)
def test_a_combination_that_was_never_seen_is_not_agreed_on(small: Tagger, own: list[list[str]]) -> None:
    seen = {*small.tasks["feats"].tagset.names}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(voting, "NEW_COMBINATION", -2.0)
        found, agreed, _ = small.tag_with_margins(bare(own))
    assert not any(found.words[word].feats not in seen for word in found.tokens[agreed])
