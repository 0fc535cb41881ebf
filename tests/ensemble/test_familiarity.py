"""A text without the tags of the training data, or in another language, is doubted; other texts are not."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paths import TOY
from treevote.commands.parse import parse_files
from treevote.conll.reader import read
from treevote.corpus.treebank import Treebank
from treevote.ensemble import familiarity
from treevote.ensemble.familiarity import (
    ENOUGH_TOKENS,
    MOST_NAMED,
    STRANGE_WORDS,
    TextCounts,
    _size,
    doubt,
    doubts,
    known_labels,
    strange_labels,
    text_counts,
)
from treevote.ensemble.foreign_tags import COLUMNS, filled
from treevote.ensemble.members import members_of
from treevote.ensemble.parser import EnsembleParser, save
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.ensemble.unknown_words import memos_of
from treevote.parallel import Jobs


@pytest.fixture(scope="module")
def full() -> Treebank:
    """Return sentences of which most tokens have a value in each column."""
    root, *words = read(TOY).words
    tagged = (w._replace(xpos=w.upos[:1], feats="_" if w.upos == "PUNCT" else f"Of={w.upos}") for w in words)
    return replace(read(TOY), words=(root, *tagged))


@pytest.fixture(scope="module")
def parser(full: Treebank) -> EnsembleParser:
    return EnsembleTrainer(members_of(["lr-svm-forward"])).train(full)


def changed(treebank: Treebank, share: float = 1.0, /, **columns: str) -> Treebank:
    """Replace columns of the first words of a treebank."""
    first, last = 1, 1 + round(share * (len(treebank.words) - 1))
    words = tuple(w._replace(**columns) if first <= i < last else w for i, w in enumerate(treebank.words))
    return replace(treebank, words=words)


def test_the_training_data_are_familiar(parser: EnsembleParser, full: Treebank) -> None:
    assert doubt(parser, full) is None
    assert doubt(parser, changed(full, lemma="nowhere")) is None


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("value", ["_", "foreign"])
def test_a_column_that_is_empty_or_has_foreign_values_is_named(
    parser: EnsembleParser, full: Treebank, column: str, value: str
) -> None:
    there = filled(full)[column]
    assert isinstance(there, float)
    told = doubt(parser, changed(full, **{column: value}))
    if column == "lemma" and value == "foreign":
        assert told is None
    else:
        what = f"100% of the tokens have no {COLUMNS[column]} (training data: {1 - there:.0%})"
        assert told == f"{what}; tag the text as the training data are tagged, or take a model of its language"


def test_all_foreign_columns_are_named_at_once(parser: EnsembleParser, full: Treebank) -> None:
    told = str(doubt(parser, changed(full, upos="_", xpos="_", feats="_", lemma="_")))
    assert all(f"have no {what} (" in told for what in COLUMNS.values())


def test_a_column_that_the_training_data_lack_may_have_values(full: Treebank) -> None:
    bare = changed(full, xpos="_", feats="_", lemma="_")
    parser = EnsembleTrainer(members_of(["lr-svm-forward"])).train(bare)
    assert parser.facts["training"]["columns"] == {"upos": 1.0, "xpos": 0.0, "feats": 0.0, "lemma": 0.0}  # type: ignore[call-overload,index]
    assert doubt(parser, full) is None


@pytest.mark.parametrize(("bare", "lost"), [({}, "upos"), ({"upos": "_"}, "xpos")])
def test_a_model_without_shares_of_its_columns_is_judged_by_one_of_them(
    full: Treebank, bare: dict[str, str], lost: str
) -> None:
    training = changed(full, **bare)
    parser = EnsembleTrainer(members_of(["lr-svm-forward"])).train(training)
    before = replace(parser, facts={**parser.facts, "training": {}})
    assert doubt(before, changed(training, feats="_", lemma="_")) is None
    assert COLUMNS[lost] in str(doubt(before, changed(training, **{lost: "_"})))


@given(st.lists(st.lists(st.sampled_from("AB_"), min_size=1, max_size=4), min_size=1, max_size=5))
def test_the_share_of_tokens_with_a_value_is_counted(sentences: list[list[str]]) -> None:
    treebank = Treebank.of([(tags, [0] * len(tags), ["root"] * len(tags)) for tags in sentences])
    words = [word._replace(upos=word.form, xpos="A", feats="_", lemma=word.form) for word in treebank.words]
    tokens = [tag for tags in sentences for tag in tags]
    n = len(tokens)
    expected = {
        "upos": n - tokens.count("_"),
        "xpos": n - tokens.count("A"),
        "feats": 0,
        "lemma": n - tokens.count("_"),
    }
    found = filled(replace(treebank, words=tuple(words)))
    assert found == {column: round(count / n, 4) for column, count in expected.items()}


def test_a_few_unknown_tags_are_not(parser: EnsembleParser, full: Treebank) -> None:
    assert doubt(parser, changed(full, 0.05, upos="NN", xpos="_")) is None


def test_of_a_few_tokens_only_a_lack_of_all_tags_tells_something(parser: EnsembleParser, full: Treebank) -> None:
    few = full.select([0])
    assert few.n_tokens < ENOUGH_TOKENS
    assert doubt(parser, changed(few, upos="VV", xpos="??", feats="_")) is None
    assert str(doubt(parser, changed(few, upos="_", xpos="_", feats="_"))).startswith("no token has a part of speech")
    joint = Treebank.concatenate([few, changed(few, upos="_", xpos="_", feats="_"), few])
    assert [reason is None for reason in doubts(parser, joint, [0, 1, 2, 3])] == [True, False, True]


@pytest.mark.parametrize(("n", "judged"), [(0, False), (19, False), (20, True)])
def test_twenty_tokens_are_enough_for_a_judgement_by_shares(
    parser: EnsembleParser, full: Treebank, n: int, judged: bool
) -> None:
    text = Treebank.of([([full.words[1]._replace(upos="VV")] * n, [0] * n, ["x"] * n)])
    assert (doubt(parser, text) is not None) == judged


def test_each_of_several_texts_is_doubted_as_it_is_alone(parser: EnsembleParser, full: Treebank) -> None:
    few = full.select([0])
    strange = changed(few, upos="VV", xpos="??", feats="_")
    texts = [full, changed(full, upos="_"), few, strange, full.select([]), full, changed(full, 0.5, xpos="_")]
    bounds = [0, *itertools.accumulate(map(len, texts))]
    assert doubts(parser, Treebank.concatenate(texts), bounds) == [doubt(parser, text) for text in texts]


def test_another_language_is_doubted_by_its_words(
    parser: EnsembleParser, full: Treebank, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = changed(full, form="λόγος")
    assert doubt(parser, other) is None  # the toy model knows few words
    monkeypatch.setattr(familiarity, "ENOUGH_WORDS", 10)
    assert str(doubt(parser, other)).startswith("100% of the words are unknown")
    assert doubt(parser, changed(other, upos="foreign", feats="_")) == doubt(parser, other)
    assert doubt(parser, full) is None
    for n_known in (0, 1, 2, 3, 4, 5):  # of ten words in a row, times enough
        forms = [full.words[1].form] * n_known + ["λόγος"] * (10 - n_known)
        text = Treebank.of([([full.words[1]._replace(form=form) for form in forms], [0] * 10, ["x"] * 10)] * 20)
        assert (doubt(parser, text) is None) == (10 - n_known < 10 * STRANGE_WORDS)


def test_parsing_tells_its_doubt_once_and_can_be_stopped(parser: EnsembleParser, tmp_path: Path) -> None:
    save(parser, tmp_path / "model")
    untagged = re.sub(r"^(\d+\t.*?\t.*?)\t.*?\t.*?\t", r"\1\t_\t_\t", TOY.read_text("utf-8"), flags=re.MULTILINE)
    (tmp_path / "text").write_text(untagged, "utf-8")
    told: list[str] = []
    for jobs, n_bytes in ((Jobs(1), 1 << 20), (Jobs(2, "threading"), 1 << 12)):
        told.clear()
        output = tmp_path / "out"
        parse_files(
            tmp_path / "model", [tmp_path / "text"], output, jobs=jobs, chunk_bytes=n_bytes, on_doubt=told.append
        )
        assert len(told) == 1
        assert told[0].startswith(f"{tmp_path / 'text'}: 100% of the tokens")
    output.unlink()

    def refuse(reason: str) -> None:
        raise RuntimeError(reason)

    with pytest.raises(RuntimeError):
        parse_files(tmp_path / "model", [tmp_path / "text"], output, on_doubt=refuse)
    assert not output.exists()


def test_a_model_that_knows_just_enough_words_judges_by_words(
    parser: EnsembleParser, full: Treebank, monkeypatch: pytest.MonkeyPatch
) -> None:
    (memo,) = memos_of(parser.members.values())
    other, n_words = changed(full, form="λόγος"), _size(memo, "lower")
    judged = []
    for enough in (n_words, n_words + 1):
        monkeypatch.setattr(familiarity, "ENOUGH_WORDS", enough)
        judged.append(doubt(parser, other) is not None)
    assert judged == [True, False]


@pytest.mark.parametrize("share", [5.0, -1.0, float("inf"), float("nan"), 1, "all"])
def test_a_forged_share_is_none(parser: EnsembleParser, full: Treebank, share: object) -> None:
    forged = {**parser.facts, "training": {"columns": dict.fromkeys(COLUMNS, share)}}
    assert doubt(replace(parser, facts=forged), changed(full, upos="_")) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "forged",
    [
        {"scores": {}},
        {"scores": []},
        {"scores": None},
        {"scores": {"vote": {"las": "high"}}},
        {"tokens": 0},
        {"tokens": -5},
    ],
)
def test_of_forged_scores_nothing_is_expected(parser: EnsembleParser, forged: dict[str, Any]) -> None:
    familiar: dict[str, Any] = {"tokens": 900, "agreement": 80.0, "unknown": 1.0}
    facts: dict[str, Any] = {**parser.facts, "scores": {"vote": {"las": 90.0}}, "familiarity": familiar}
    counts = TextCounts(1000, 10, 1000, 500, 100)
    assert counts.expectation(replace(parser, facts=facts)) is not None
    wrong = replace(parser, facts={**facts, **forged, "familiarity": {**familiar, **forged}})
    assert [counts.expectation(wrong), counts.expected(wrong), counts.doubt(wrong)] == [None] * 3


@pytest.mark.parametrize(("folds", "name"), [(2, "2 folds"), (0, "development data")])
def test_what_is_expected_names_the_sentences_that_were_measured(full: Treebank, folds: int, name: str) -> None:
    trainer = EnsembleTrainer(members_of(["lr-svm-forward", "lr-svm-backward"]), folds=folds)
    parser = trainer.train(full, None if folds else full)
    parse = parser.parse(Treebank.concatenate([full] * 10))
    (counts,) = text_counts(parser, parse, [0, len(parse)])
    assert f" ({name}: " in str(counts.expectation(parser))
    assert f"% in the {name})" in str(counts._replace(voted=0).expectation(parser))
    assert f"% on the {name}), and" in str(counts._replace(agreed=counts.voted // 9).doubt(parser))


def test_kept_labels_that_the_model_does_not_know_are_named(parser: EnsembleParser) -> None:
    known, strange = known_labels(parser), ("z", "y", "x", "w", "v", "u", "t")
    assert known is not None
    labels = (*strange, *sorted(known))
    few = Treebank.of([(["a"] * 3, [0, 1, 1], [*sorted(known)[:2], "t"]), (["a"] * 2, [0, 1], ["_", "x"])])
    assert (strange_labels(parser, few, "labels") or "").endswith("are kept as they are: t, x")
    many = Treebank.of([(["a"] * len(labels), [0] * len(labels), labels)])
    first = ", ".join(sorted(strange)[:MOST_NAMED])
    assert (strange_labels(parser, many, "all") or "").endswith(f": {first} and {len(strange) - MOST_NAMED} more")
    assert strange_labels(parser, many, "heads") is strange_labels(parser, many, None) is None
    assert strange_labels(parser, many.select([]), "all") is None
