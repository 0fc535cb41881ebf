"""The columns that the training data had, as a model tells of them, or else as its lexicon does."""

from __future__ import annotations

import numpy as np
import pytest

from treevote import Treebank
from treevote.corpus.sentence import Word
from treevote.ensemble.foreign_tags import COLUMNS, foreign, usual_shares
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


@pytest.mark.parametrize(
    ("here", "there", "tokens", "told"),
    [
        (0.3, 0.5, 10**6, False),  # lower by a fifth
        (0.29, 0.5, 10**6, True),
        (0.25, 0.5, 100, False),  # lower by five standard errors of 0.05
        (0.24, 0.5, 100, True),
        (0.0, 0.5, 25, False),
        (0.0, 0.5, 26, True),
        (0.79, 1.0, 1, True),
        (0.5, 0.0, 10**6, False),
    ],
)
def test_a_column_is_foreign_beyond_a_fifth_and_five_standard_errors(
    here: float, there: float, tokens: int, told: bool
) -> None:
    for i, what in enumerate(COLUMNS.values()):
        shares, usual = (np.where(np.arange(len(COLUMNS)) == i, share, 1.0) for share in (here, there))
        expected = f"{1 - here:.0%} of the tokens have no {what} (training data: {1 - there:.0%})" if told else ""
        assert foreign(shares, usual, tokens) == expected
