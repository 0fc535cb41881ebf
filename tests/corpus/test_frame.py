"""Tables of pandas: a sentence ends where the number of the next row differs."""

from __future__ import annotations

import pytest

from treevote.corpus.treebank import Treebank

pandas = pytest.importorskip("pandas")


def test_rows_with_the_same_number_are_a_sentence() -> None:
    frame = pandas.DataFrame({"sentence": [4, 4, 2, 2, 2, 4], "form": list("abcdef")})
    treebank = Treebank.from_frame(frame)
    assert ["".join(word.form for word in sentence.words[1:]) for sentence in treebank] == ["ab", "cde", "f"]
    assert len(Treebank.from_frame(treebank.to_frame())) == 3
