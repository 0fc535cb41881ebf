"""The columns that the training data had, as a model tells of them, or else as its lexicon does."""

from __future__ import annotations

import pytest

from treevote import Treebank
from treevote.corpus.sentence import Word
from treevote.ensemble.foreign_tags import COLUMNS, usual_shares
from treevote.models.learning.features.lexicon import Lexicon
from treevote.models.learning.features.word_memo import WordMemo


def memo_of(upos: str, xpos: str) -> WordMemo:
    words = [Word(form, "_", upos, tag, "_") for form, tag in zip("ab", xpos, strict=True)]
    return WordMemo(Lexicon.of(Treebank.of([(words, [0, 1], ["root", "x"])] * 3)))


@pytest.mark.parametrize(
    ("upos", "xpos", "shares"),
    [("NOUN", "NM", [1, 0]), ("NOUN", "__", [1, 0]), ("_", "NM", [0, 1]), ("_", "__", [0, 0])],
)
def test_a_model_that_tells_nothing_knows_one_column_of_tags(upos: str, xpos: str, shares: list[int]) -> None:
    for training in (None, "x", {}, {"columns": None}):
        assert usual_shares(memo_of(upos, xpos), training).tolist() == [*shares, 0, 0]


def test_a_share_that_is_none_is_0() -> None:
    told = {"columns": dict(zip(COLUMNS, (0.5, 1.5, "x", 1.0), strict=True)) | {"other": 1.0}}
    assert usual_shares(memo_of("NOUN", "NM"), told).tolist() == [0.5, 0, 0, 1]
