"""Training of a reader: what the parsers are trained on, and what the facts of the model say."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.text.tagging.test_tagger import bare, words_of
from tests.reference.quick_tagger import SMALL
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_model import content
from tests.reference.toy_text import QUICK, toy
from treevote.conll.writer import dumps
from treevote.corpus.sentence import ROOT, Word
from treevote.corpus.treebank import Treebank, checksum
from treevote.ensemble.annotator_trainer import (
    TAG_FOLDS,
    AnnotatorTrainer,
    TrainingTags,
    cross_tagged,
    evaluate_tagger,
    tagger_scores,
)
from treevote.ensemble.members import members_of
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.trainer import EnsembleTrainer, facts_of
from treevote.errors import InputError
from treevote.models.text.tagging.tagger import Tagger
from treevote.parallel import Jobs
from treevote.report.scores import scores

TRAINING, DEV = toy_treebank(20, 1), toy_treebank(8, 2)
TOKENS = AnnotatorTrainer("tokens", tagger=SMALL)


def accuracy(gold: Treebank, found: Treebank) -> Any:
    return tagger_scores(gold, found, gold.is_token)["accuracy"]


words = st.builds(Word, st.sampled_from("ab_"), *[st.sampled_from(["a", "b", "_", ""])] * 4)


@given(st.lists(st.tuples(words, words), max_size=12), st.lists(st.integers(0, 12), max_size=3))
def test_accuracy_is_the_share_of_right_tokens(pairs: list[tuple[Word, Word]], cuts: list[int]) -> None:
    pairs = [(gold, found._replace(form=gold.form)) for gold, found in pairs]
    ends = sorted({0, len(pairs), *(cut for cut in cuts if cut < len(pairs))})
    spans = [pairs[a:b] for a, b in itertools.pairwise(ends)]
    one, other = (
        Treebank.of([([pair[i] for pair in span], [0] * len(span), ["x"] * len(span)) for span in spans])
        for i in (0, 1)
    )
    pairs = [tuple(Word(*(column or "_" for column in word)) for word in pair) for pair in pairs]  # type: ignore[misc]
    right = {
        "UPOS": [g.upos == f.upos for g, f in pairs],
        "XPOS": [g.xpos == f.xpos for g, f in pairs],
        "FEATS": [g.feats == f.feats for g, f in pairs],
        "AllTags": [g[2:] == f[2:] for g, f in pairs],
        "Lemmas": [g.lemma == f.lemma for g, f in pairs],
    }
    shares = {name: round(100 * sum(own) / len(own), 2) if own else None for name, own in right.items()}
    assert accuracy(one, other) == shares


@pytest.mark.parametrize("tags", ["predicted", "gold"])
def test_parsers_are_trained_on_predicted_tags(tags: TrainingTags) -> None:
    trained = dataclasses.replace(TOKENS, tags=tags).train(TRAINING, DEV, seed=1)
    assert trained.annotator.parts == ["tagger"]
    assert isinstance(trained.annotator.tagger, Tagger)
    tagger = SMALL.train(TRAINING, seed=1)
    assert content(trained.annotator.tagger.record()) == content(tagger.record())
    expected = TRAINING if tags == "gold" else cross_tagged(SMALL, TRAINING, TAG_FOLDS, seed=1)
    assert checksum(trained.treebank) == checksum(expected)
    assert trained.dev is not None
    assert words_of(trained.dev) == words_of(tagger.tag(DEV))
    found, _, facts = evaluate_tagger(tagger, DEV)
    assert trained.facts == {"reads": "tokens", "tags": tags, **facts}
    assert trained.facts["accuracy"] == accuracy(DEV, found)


@given(st.lists(st.tuples(words, words, st.booleans()), max_size=12))
def test_reliability_is_the_accuracy_where_taggers_agree_and_elsewhere(tokens: list[tuple[Word, Word, bool]]) -> None:
    def both(own: list[tuple[Word, Word, bool]]) -> tuple[Treebank, Treebank]:
        columns = [gold for gold, _, _ in own], [found for _, found, _ in own]
        one, other = (Treebank.of([([word], [0], ["x"]) for word in column]) for column in columns)
        return one, other

    tokens = [(gold, found._replace(form=gold.form), agreed) for gold, found, agreed in tokens]
    mask = np.array([slot for *_, agreed in tokens for slot in (False, agreed)], np.bool_)
    facts: Any = tagger_scores(*both(tokens), mask)
    agreed, others = ([each for each in tokens if each[2] is wanted] for wanted in (True, False))
    assert facts["agreement"] == {
        "tokens": round(100 * len(agreed) / len(tokens), 2) if tokens else None,
        "agreed": accuracy(*both(agreed)),
        "others": accuracy(*both(others)),
    }
    assert facts["accuracy"] == accuracy(*both(tokens))


def test_the_table_has_no_accuracy_where_there_is_no_token() -> None:
    reading = tagger_scores(DEV, DEV, DEV.is_token) | {"tags": "gold"}
    parser = EnsembleTrainer(members_of(["lr-svm-forward"])).train(TRAINING, DEV)
    rows = scores({**parser.facts, "reading": reading}, parser.members).splitlines()
    (elsewhere,) = [row.split() for row in rows if row.startswith("elsewhere")]
    assert elsewhere == ["elsewhere", "0.00", *"-----"]


def test_without_a_development_set_nothing_is_measured() -> None:
    trained = TOKENS.train(TRAINING)
    assert trained.dev is None
    assert trained.facts == {"reads": "tokens", "tags": "predicted"}


def test_one_sentence_keeps_its_tags() -> None:
    one = TRAINING.select([0])
    assert words_of(TOKENS.train(one).treebank) == words_of(one)


def test_jobs_and_progress_change_nothing() -> None:
    told: list[str] = []
    one = TOKENS.train(TRAINING, DEV)
    other = TOKENS.train(TRAINING, DEV, jobs=Jobs(2, "threading", lambda name, done, total: told.append(name)))
    assert content(one.annotator.record()) == content(other.annotator.record())
    assert checksum(one.treebank) == checksum(other.treebank)
    assert {"upos maxent forward", "upos maxent forward 1/2", "upos maxent forward 2/2"} <= {*told}


def test_the_model_has_the_reader_and_its_facts() -> None:
    trained = TOKENS.train(TRAINING, DEV)
    parser = EnsembleTrainer(members_of(["lr-svm-forward"])).train(trained.treebank, trained.dev)
    model = trained.of(parser)
    assert model.annotator is trained.annotator
    assert model.facts == {**parser.facts, "reading": trained.facts}
    facts: Any = model.facts  # predicted tags do not make other data
    assert facts["development"]["sha256"] == facts_of(DEV)["sha256"]
    assert facts["training"]["sha256"] == facts_of(TRAINING)["sha256"] != facts["development"]["sha256"]
    again = EnsembleParser.from_record(model.record())
    assert content(again.record()) == content(model.record())
    tokens = bare([[word.form for word in own] for own in words_of(DEV)])
    tagged = again.annotator.tagged(tokens)
    assert dumps(again.parse(tagged).only()) == dumps(model.parse(trained.dev).only())  # type: ignore[arg-type]


def test_a_reader_of_text_has_a_tokenizer() -> None:
    treebank = toy()
    trained = AnnotatorTrainer(tokenizer=QUICK, tagger=SMALL).train(treebank, texts=(treebank, None))
    assert trained.annotator.parts == ["tokenizer", "tagger"]
    assert trained.facts == {"reads": "text", "tags": "predicted"}
    assert trained.treebank.source is None
    found = trained.annotator.read("Dogs can't bark.")
    assert [word.form for word in words_of(found)[0]] == ["Dogs", "ca", "n't", "bark", "."]
    assert words_of(found)[0][0].upos == "NOUN"


def test_a_tokenizer_needs_the_text() -> None:
    with pytest.raises(InputError):
        AnnotatorTrainer(tokenizer=QUICK, tagger=SMALL).train(TRAINING)


def test_treebanks_without_tokens_have_no_accuracy() -> None:
    nothing = dataclasses.replace(Treebank.of([([], [], [])]), words=(ROOT,))
    assert set(accuracy(nothing, nothing).values()) == {None}
    assert set(accuracy(Treebank.of([]), Treebank.of([])).values()) == {None}


@pytest.mark.parametrize("column", ["upos", "xpos", "feats"])
def test_without_a_column_to_compare_with_there_is_no_confidence_of_tags(column: str) -> None:
    tagger = SMALL.train(TRAINING)
    assert evaluate_tagger(tagger, DEV)[1] is not None
    words = tuple(word._replace(**{column: "_"}) for word in DEV.words)
    _, confidence, facts = evaluate_tagger(tagger, dataclasses.replace(DEV, words=words))
    assert (confidence, "reliability" in facts) == (None, False)


def test_a_rare_tag_that_was_never_learned_leaves_the_confidence_of_tags() -> None:
    bare, other = (
        dataclasses.replace(own, words=tuple(word._replace(feats="_") for word in own.words)) for own in (TRAINING, DEV)
    )
    first, *rest = other.words[1:]
    rare = dataclasses.replace(other, words=(ROOT, first._replace(feats="Typo=Yes"), *rest))
    tagger = SMALL.train(bare)
    for dev in (other, rare):
        assert evaluate_tagger(tagger, dev)[1] is not None
