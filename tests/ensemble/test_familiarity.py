"""A text without the tags of the training data, or in another language, is doubted; other texts are not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.paths import TOY
from treevote.commands.parse import parse_files
from treevote.conll.reader import read
from treevote.corpus.treebank import Treebank
from treevote.ensemble import familiarity
from treevote.ensemble.familiarity import ENOUGH_TOKENS, _size, doubt
from treevote.ensemble.members import members_of
from treevote.ensemble.parser import EnsembleParser, save
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.ensemble.unknown_words import memos_of
from treevote.parallel import Jobs


@pytest.fixture(scope="module")
def parser() -> EnsembleParser:
    return EnsembleTrainer(members_of(["lr-svm-forward"])).train(read(TOY))


def changed(treebank: Treebank, share: float = 1.0, **columns: str) -> Treebank:
    """Replace columns of the first words of a treebank."""
    first, last = 1, 1 + round(share * (len(treebank.words) - 1))
    words = tuple(w._replace(**columns) if first <= i < last else w for i, w in enumerate(treebank.words))
    return replace(treebank, words=words)


def test_the_training_data_are_familiar(parser: EnsembleParser) -> None:
    assert doubt(parser, read(TOY)) is None
    assert doubt(parser, changed(read(TOY), feats="_", lemma="_")) is None


def test_text_without_tags_is_doubted(parser: EnsembleParser) -> None:
    for tag in ("_", "NN"):
        assert str(doubt(parser, changed(read(TOY), upos=tag, xpos="_"))).startswith("100% of the tokens have no part")


def test_a_few_unknown_tags_are_not(parser: EnsembleParser) -> None:
    assert doubt(parser, changed(read(TOY), 0.05, upos="NN", xpos="_")) is None


def test_too_few_tokens_tell_nothing(parser: EnsembleParser) -> None:
    few = changed(read(TOY).select([0]), upos="_", xpos="_")
    assert few.n_tokens < ENOUGH_TOKENS
    assert doubt(parser, few) is None


def test_another_language_is_doubted_by_its_words(parser: EnsembleParser, monkeypatch: pytest.MonkeyPatch) -> None:
    other = changed(read(TOY), form="λόγος")
    assert doubt(parser, other) is None  # the toy model knows few words
    monkeypatch.setattr(familiarity, "ENOUGH_WORDS", 10)
    assert str(doubt(parser, other)).startswith("100% of the words are unknown")


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
    parser: EnsembleParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    (memo,) = memos_of(parser.members.values())
    other, n_words = changed(read(TOY), form="λόγος"), _size(memo, "lower")
    judged = []
    for enough in (n_words, n_words + 1):
        monkeypatch.setattr(familiarity, "ENOUGH_WORDS", enough)
        judged.append(doubt(parser, other) is not None)
    assert judged == [True, False]
