"""Laws of unknown words: which they are, what they do to the confidence, and what is said of a text that has many."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.adaptation.test_adapt import DEV, SOURCE, before
from tests.reference.toy_grammar import toy_treebank
from treevote import TransitionTrainer, parse_files, parse_folder, save, write
from treevote.corpus.folds import folds_of
from treevote.corpus.treebank import Treebank
from treevote.ensemble.estimate import SourceScores
from treevote.ensemble.familiarity import ENOUGH_VOTES, TextCounts, text_counts
from treevote.ensemble.members import members_of
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.ensemble.unknown_words import FALL, SHRINKAGE, tempered, unknown_in_folds, unknown_words, usual_share
from treevote.evaluation.calibration import LEAST
from treevote.report.parsing import folder_text

forms = st.lists(st.lists(st.sampled_from(["a", "A", "b", "c", "d"]), min_size=1, max_size=4), min_size=4, max_size=9)


def of_forms(sentences: list[list[str]]) -> Treebank:
    return Treebank.of([(words, [0] * len(words), ["root"] * len(words)) for words in sentences])


@given(forms, st.integers(2, 4), st.sets(st.sampled_from("ABe")))
def test_a_word_is_unknown_in_a_fold_if_nothing_else_has_it(
    sentences: list[list[str]], n_folds: int, others: set[str]
) -> None:
    folds = defaultdict(set)
    for i, words in enumerate(sentences):
        for word in words:
            folds[word.lower()].add(i % n_folds)
    treebank = of_forms(sentences)
    known = {form.lower() for form in others}
    expected = [len(folds[word.lower()]) == 1 and word.lower() not in known for words in sentences for word in words]
    unknown = unknown_in_folds(treebank, n_folds, of_forms([sorted(others)]))
    assert unknown[treebank.is_token].tolist() == expected


def test_folds_know_the_words_that_members_know() -> None:
    """Among them numbers: all of so many digits are one word."""
    treebank = Treebank.concatenate([toy_treebank(20, 1), of_forms([["in", str(1900 + i), "B12"] for i in range(20)])])
    n_folds = 3
    expected = np.zeros(len(treebank.tokens), np.bool_)
    for others, held_out in folds_of(len(treebank), n_folds):
        member = TransitionTrainer(search="greedy").train(treebank.select(others))
        unknown, part = unknown_words([member], treebank.select(held_out)), treebank.select(held_out)
        assert unknown is not None
        slots = np.isin(treebank.sentence_of, held_out) & treebank.is_token
        expected[slots] = unknown[part.is_token]
    assert unknown_in_folds(treebank, n_folds, Treebank.of([])).tolist() == expected.tolist()


def test_words_of_partial_trees_are_known_in_every_fold() -> None:
    whole = [(["a", f"w{'abcdef'[i]}"], [2, 0], ["x", "root"]) for i in range(6)]
    halves = [(["a", f"w{'abcdef'[i]}"], [-1, 0], ["_", "root"]) for i in range(6)]
    shares = [
        EnsembleTrainer(members_of(["lr-svm-forward"]), folds=2).train(Treebank.of(own)).familiarity["unknown"]
        for own in (whole, whole + halves)
    ]
    assert shares == [50.0, 0.0]


def test_the_words_of_the_training_data_are_known_and_others_are_not() -> None:
    unknown = unknown_words(before().members.values(), SOURCE)
    assert unknown is not None
    assert not unknown.any()
    other = of_forms([["nowhere", "Seen"]])
    assert unknown_words(before().members.values(), other) is not None
    assert unknown_words([object()], other) is None


@given(forms, st.data())
def test_confidence_falls_in_unusual_sentences_alone(sentences: list[list[str]], data: st.DataObject) -> None:
    treebank = of_forms(sentences)
    n = len(treebank.tokens)
    chances = st.floats(LEAST, 1 - LEAST) | st.sampled_from([0.0, 1.0])
    sure = np.array(data.draw(st.lists(chances, min_size=n, max_size=n)), np.float32)
    unknown = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n))) & treebank.is_token
    usual = data.draw(st.floats(0, 1))
    parse = dataclasses.replace(treebank, confidence=sure, label_confidence=sure)
    found = tempered(parse, unknown, usual).confidence
    assert found is not None
    assert (found <= sure + 1e-6).all()
    for i in range(treebank.n_sentences):
        own = slice(int(treebank.offsets[i]), int(treebank.offsets[i + 1]))
        excess = unknown[own].sum() / treebank.lengths[i] - usual
        if excess <= 0:
            assert (found[own] == sure[own]).all()
            continue
        for p, is_unknown, now in zip(sure[own].tolist(), unknown[own], found[own], strict=True):
            if p in (0, 1):  # no arc, or a given one
                assert now == p
                continue
            odds = math.log(p / (1 - p))
            if odds > 0:
                odds *= max(0, 1 - SHRINKAGE * excess)
            if is_unknown:
                odds -= FALL
            assert now == pytest.approx(max(LEAST, 1 / (1 + math.exp(-odds))), abs=1e-4)


def test_a_model_that_knows_no_usual_share_leaves_confidence_as_it_is() -> None:
    words = [word._replace(form=f"{word.form}s") for word in DEV.words]
    text = dataclasses.replace(DEV, words=(DEV.words[0], *words[1:]))
    parse, same = before().parse(text), dataclasses.replace(before(), facts={}).parse(text)
    assert parse.heads.tolist() == same.heads.tolist()
    assert parse.confidence is not None
    assert same.confidence is not None
    assert (parse.confidence < same.confidence).any()
    assert (parse.confidence <= same.confidence).all()


def test_two_thirds_of_the_development_data_are_usual() -> None:
    unknown = unknown_words(before().members.values(), DEV)
    assert unknown is not None
    usual = usual_share(unknown, DEV)
    assert before().usual_share == pytest.approx(usual, abs=1e-4)
    shares = [unknown[DEV.sentence_of == i].sum() / n for i, n in enumerate(DEV.lengths)]
    assert sum(n for share, n in zip(shares, DEV.lengths, strict=True) if share <= usual) >= DEV.n_tokens * 2 / 3 - 1


def test_counts_of_parts_are_the_counts_of_the_whole() -> None:
    parser, parse = before(), before().parse(DEV)
    (whole,) = text_counts(parser, parse, [0, DEV.n_sentences])
    parts = text_counts(parser, parse, [0, 3, 3, DEV.n_sentences])
    assert parts[0].plus(parts[1]).plus(parts[2]) == whole
    assert whole.tokens == whole.voted == DEV.n_tokens
    assert 100 * whole.agreed / whole.voted == pytest.approx(parser.familiarity["agreement"], abs=0.01)
    assert text_counts(parser, parse, [0, DEV.n_sentences], "heads") == [whole._replace(voted=0, agreed=0)]


def test_a_text_is_doubtful_where_members_agree_far_less_and_it_is_long_enough() -> None:
    parser = before()
    source = SourceScores.of(parser)
    assert source is not None
    assert source.agreement is not None
    n = 10 * ENOUGH_VOTES
    alike = TextCounts(n, 0, n, round(n * source.agreement / 100))
    assert alike.doubt(parser) is None
    far = TextCounts(n, n // 3, n, round(n * source.agreement / 300))
    assert "33% of the words are unknown: expect a LAS of" in str(far.doubt(parser))
    assert TextCounts(ENOUGH_VOTES - 1, 0, ENOUGH_VOTES - 1, 0).doubt(parser) is None
    assert far.doubt(dataclasses.replace(parser, facts={})) is None
    alone = EnsembleParser(dict(list(parser.members.items())[:1]), parser.judge, parser.facts)
    assert far.expected(alone) is None


@pytest.mark.parametrize(("n", "n_source"), [(500, 900), (2000, 10**6), (10**7, 10**7)])
def test_a_text_is_doubtful_from_where_the_log_odds_of_agreement_fall_too_far(n: int, n_source: int) -> None:
    """They fall from log 4 by more than 0.35, and twice the standard error of an eighth of the tokens of both sides."""
    facts: dict[str, Any] = {"scores": {"vote": {"las": 90.0}}, "familiarity": {"agreement": 80.0, "tokens": n_source}}
    parser = dataclasses.replace(before(), facts={**before().facts, **facts})
    for agreed in range(0, n + 1, n // 500):
        p = min(max(agreed / n, 0.001), 0.999)
        error = math.sqrt(8 / n / max(agreed / n * (1 - agreed / n), 0.01) + 8 / n_source / 0.16)
        is_far = math.log(4 / p * (1 - p)) > max(0.35, 2 * error)
        told = TextCounts(n, n // 3, n, agreed).doubt(parser)
        assert (told is not None) == is_far
    told = TextCounts(n, n // 3, n, n // 4).doubt(parser)
    shares = "its members agree on 25% of the tokens (80% on the development data), and 33% of the words are unknown"
    assert str(told).startswith(f"{shares}: expect a LAS of ")
    assert ", not 90; adapt" in str(told)


def test_the_expectation_does_not_depend_on_chunks_and_is_told_for_files_and_folders(tmp_path: Path) -> None:
    save(before(), tmp_path / "model")
    text = Treebank.concatenate([DEV] * 9)
    write(dataclasses.replace(text, source=None), tmp_path / "text.conllu")
    found = [
        parse_files(tmp_path / "model", [tmp_path / "text.conllu"], tmp_path / "out", chunk_bytes=size).expectation
        for size in (100, 1 << 20)
    ]
    folder = parse_folder(tmp_path / "model", [tmp_path / "text.conllu"], tmp_path / "folder")
    assert found[0] == found[1] == folder.expectation
    assert found[0] is not None
    assert found[0].las is not None
    assert f"expect LAS {found[0].las.low:.0f} to {found[0].las.high:.0f}" in folder_text(folder)
