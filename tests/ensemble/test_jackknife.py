"""Jack-knifing: each sentence is tagged by a tagger that did not see it, in the order of the treebank."""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.text.tagging.test_tagger import words_of
from tests.reference.quick_tagger import SMALL, inflected
from tests.reference.toy_grammar import toy_treebank
from treevote.conll.writer import dumps
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank, checksum
from treevote.ensemble.annotator_trainer import cross_tagged
from treevote.parallel import Jobs

TOY = Treebank.concatenate([toy_treebank(6, 1), inflected(7, 2)], "both")


@settings(max_examples=10)
@given(st.integers(2, 13), st.integers(0, 2))
def test_each_sentence_is_tagged_by_a_tagger_of_the_others(n_folds: int, seed: int) -> None:
    tagged = cross_tagged(SMALL, TOY, n_folds, seed=seed)
    for fold in range(n_folds):
        own = range(fold, len(TOY), n_folds)
        others = TOY.select([i for i in range(len(TOY)) if i % n_folds != fold]).compact()
        tagger = SMALL.train(others, seed=seed)
        assert words_of(tagged.select(own)) == words_of(tagger.tag(TOY.select(own)))


def test_nothing_but_lemmas_and_tags_changes() -> None:
    tagged = cross_tagged(SMALL, dataclasses.replace(TOY, support=np.ones(len(TOY.tokens), np.float32)), 3)
    assert tagged.name == "both"
    assert tagged.source is None
    assert (tagged.labels, tagged.offsets.tolist()) == (TOY.labels, TOY.offsets.tolist())
    assert tagged.heads.tolist() == TOY.heads.tolist()
    assert tagged.deprels.tolist() == TOY.deprels.tolist()
    assert [[w.form for w in own] for own in words_of(tagged)] == [[w.form for w in own] for own in words_of(TOY)]


def test_tags_of_a_sentence_do_not_depend_on_its_own() -> None:
    words = [Word(word.form, "_", "ODD", "ODD", "Odd=Yes") for word in TOY.sentence(4).words[1:]]
    changed = [
        (words if i == 4 else sentence.words[1:], sentence.heads[1:].tolist(), sentence.deprels[1:])
        for i, sentence in enumerate(TOY.sentences())
    ]
    one, other = cross_tagged(SMALL, TOY, 2), cross_tagged(SMALL, Treebank.of(changed), 2)
    assert words_of(one)[0:5:2] == words_of(other)[0:5:2]  # the fold of the sentence, with a tagger of the other
    assert words_of(one)[4] == words_of(other)[4]


def test_any_jobs_give_the_same_bytes() -> None:
    one, other = cross_tagged(SMALL, TOY, 2), cross_tagged(SMALL, TOY, 2, jobs=Jobs(2, "threading"))
    assert checksum(one) == checksum(other)
    assert dumps(one) == dumps(other)


def test_progress_names_the_folds() -> None:
    names: dict[str, None] = {}
    cross_tagged(SMALL, TOY, 2, jobs=Jobs(progress=lambda name, done, total: names.setdefault(name)))
    assert [name for name in names if name.startswith("xpos")] == [
        "xpos maxent forward 1/2",
        "xpos maxent forward 2/2",
    ]
