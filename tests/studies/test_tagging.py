"""The tagger: its features, its training, and the columns that it never reads."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.tagging import fired, slots_of
from tests.reference.toy_grammar import toy_treebank
from tests.strategies import treebanks
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError
from treevote.models.features.lexicon import Lexicon
from treevote.models.features.trie import mix
from treevote.studies.tagger import COLUMNS, TEMPLATES, Tagger, TaggerTrainer, compile_templates, fire, retagged

TRAINING, TEST = toy_treebank(60, 1), toy_treebank(30, 2)
START = np.uint64(0x9E3779B97F4A7C15)


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    """Return a tagger of the toy grammar."""
    return TaggerTrainer().train(TRAINING)


def tags_of(treebank: Treebank) -> list[tuple[str, ...]]:
    """Return form and tags of all tokens."""
    return [
        (word.form, *(getattr(word, column) for column in COLUMNS))
        for sentence in treebank.sentences()
        for word in sentence.words[1:]
    ]


def test_a_grammar_is_learnt(tagger: Tagger) -> None:
    pairs = list(zip(tags_of(TEST), tags_of(tagger.tag(TEST)), strict=True))
    assert sum(gold == found for gold, found in pairs) / len(pairs) > 0.99


@given(st.data())
def test_tags_of_the_input_are_never_read(tagger: Tagger, data: st.DataObject) -> None:
    names = ("NOUN", "X", "_")
    numbers = np.full(len(TEST.tokens), -1, np.int32)
    seed = data.draw(st.integers(0, 99))
    numbers[TEST.is_token] = np.random.default_rng(seed).integers(len(names), size=TEST.n_tokens)
    other = retagged(TEST, dict.fromkeys(COLUMNS, (names, numbers)))
    assert tags_of(tagger.tag(other)) == tags_of(tagger.tag(TEST))


@given(treebanks())
def test_all_but_the_tags_stays(tagger: Tagger, treebank: Treebank) -> None:
    tagged = tagger.tag(treebank)
    assert [word.lemma for s in tagged.sentences() for word in s.words] == [
        word.lemma for s in treebank.sentences() for word in s.words
    ]
    assert [form for form, *_ in tags_of(tagged)] == [form for form, *_ in tags_of(treebank)]
    assert tagged.heads.tolist() == treebank.heads.tolist()
    assert (tagged.tokens[~tagged.is_token] == 0).all()


@given(st.integers(0, TEST.n_sentences))
def test_any_split_of_the_input_gives_the_same_tags(tagger: Tagger, cut: int) -> None:
    parts = [TEST.select(range(cut)), TEST.select(range(cut, TEST.n_sentences))]
    assert [row for part in parts for row in tags_of(tagger.tag(part))] == tags_of(tagger.tag(TEST))


def test_the_same_seed_gives_the_same_weights(tagger: Tagger) -> None:
    again = TaggerTrainer().train(TRAINING)
    for column in COLUMNS:
        assert again.models[column][0] == tagger.models[column][0]
        assert again.models[column][1].packed.tobytes() == tagger.models[column][1].packed.tobytes()


def test_retagging_with_the_gold_tags_changes_nothing() -> None:
    columns = {}
    for column in COLUMNS:
        names = tuple(dict.fromkeys(getattr(word, column) for word in TEST.words[1:]))
        numbers = [-1, *(names.index(getattr(word, column)) for word in TEST.words[1:])]
        columns[column] = names, np.array(numbers, np.int32)[TEST.tokens]
    assert tags_of(retagged(TEST, columns)) == tags_of(TEST)


@given(st.data())
def test_features_are_those_of_the_templates(data: st.DataObject) -> None:
    templates = TEMPLATES.split()
    lexicon = Lexicon.of(TRAINING)
    sentence = TEST.sentence(data.draw(st.integers(0, TEST.n_sentences - 1)))
    position = data.draw(st.integers(1, len(sentence.words) - 1))
    tags = [-1, *data.draw(st.lists(st.integers(0, 5), min_size=position - 1, max_size=position - 1))]
    tags += [7] * (len(sentence.words) - position)  # not looked at
    expected = []
    for template, values in fired(lexicon, sentence.words, tags, position, templates):
        key = START
        for slot, value in zip(slots_of(template, templates), values, strict=True):
            key = np.uint64(mix(key, slot, value))
        expected.append(int(key))
    keys = np.zeros(len(templates), np.uint64)
    tokens = np.arange(len(sentence.words), dtype=np.int32)
    words = lexicon.columns(sentence.words)
    n = fire(position, tokens, np.array(tags, np.int32), words, compile_templates(templates), keys)
    assert keys[:n].tolist() == expected


def test_templates_see_nothing_but_forms_and_tags_to_the_left() -> None:
    for position, _, name in (atom.partition(".") for template in TEMPLATES.split() for atom in template.split("+")):
        assert name not in {"lemma", "upos", "xpos", "feats"}
        assert name != "tag" or int(position) < 0


@pytest.mark.parametrize("options", [{"cutoff": 0}, {"prune": 1.0}, {"epochs": 0}, {"rate": 0.0}])
def test_wrong_options_are_told(options: dict[str, int | float]) -> None:
    with pytest.raises(ConfigError):
        TaggerTrainer(**options).train(TRAINING)  # type: ignore[arg-type]


def test_degenerate_treebanks(tagger: Tagger) -> None:
    with pytest.raises(InputError, match="found no token"):
        TaggerTrainer().train(Treebank.of([]))
    assert tagger.tag(Treebank.of([])).n_sentences == 0
    one = Treebank.of([([Word("a", "_", "X", "_", "_")], [0], ["root"])])
    strange = Treebank.of([(["never", "seen"], [2, 0], ["x", "root"])])
    assert tags_of(TaggerTrainer().train(one).tag(strange)) == [("never", "X", "_", "_"), ("seen", "X", "_", "_")]
    assert len(tags_of(tagger.tag(strange))) == 2
    unlabelled = dataclasses.replace(strange, heads=np.full(3, -1, np.int32))
    assert tagger.tag(unlabelled).heads.tolist() == [-1, -1, -1]
