"""Tables of pandas: a sentence ends where the number of the next row differs."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from treevote.conll.reader import loads
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError

pandas = pytest.importorskip("pandas")


def test_rows_with_the_same_number_are_a_sentence() -> None:
    frame = pandas.DataFrame({"sentence": [4, 4, 2, 2, 2, 4], "form": list("abcdef")})
    treebank = Treebank.from_frame(frame)
    assert ["".join(word.form for word in sentence.words[1:]) for sentence in treebank] == ["ab", "cde", "f"]
    assert len(Treebank.from_frame(treebank.to_frame())) == 3


def test_a_first_word_begins_a_sentence_where_words_are_numbered() -> None:
    parts = [Treebank.of([(list(words), [0] * len(words), ["x"] * len(words))]) for words in ("ab", "c", "def")]
    again = Treebank.from_frame(pandas.concat([part.to_frame() for part in parts]))
    assert [sentence.heads.tolist() for sentence in again] == [part[0].heads.tolist() for part in parts]


def test_a_mark_may_be_none_or_all() -> None:
    treebank = Treebank.of([(["a", "b"], [2, 0], ["x", "root"])])
    again = Treebank.from_frame(treebank.to_frame().assign(tag_confidence=[0, 1]))
    assert again.tag_confidence is not None
    assert again.tag_confidence[1:].tolist() == [0, 1]


@pytest.mark.parametrize("missing", [float("nan"), None, pandas.NA])
def test_a_mark_may_be_unknown(missing: object) -> None:
    treebank = Treebank.of([(["a", "b"], [2, 0], ["x", "root"])])
    frame = treebank.to_frame().assign(tag_confidence=pandas.Series([0.5, missing], dtype=object))
    assert repr(Treebank.from_frame(frame.convert_dtypes())) == repr(Treebank.from_frame(frame))
    again = Treebank.from_frame(frame)
    assert again.tag_confidence is not None
    assert again.to_frame()["tag_confidence"].tolist()[0] == 0.5
    assert np.isnan(again.tag_confidence[2])


@pytest.mark.parametrize("head", [-2, 0.5, "1", float("nan")])
def test_a_head_is_a_whole_number_from_minus_one(head: object) -> None:
    frame = pandas.DataFrame({"sentence": [1], "form": ["a"], "head": [head]})
    with pytest.raises(InputError, match=r"expected whole numbers from -1 on in column 'head', found .* in row 0"):
        Treebank.from_frame(frame)


def test_rows_that_are_missing_from_a_sentence_are_a_fault() -> None:
    frame = Treebank.of([(list("abc"), [2, 3, 0], ["x", "y", "root"])] * 2).to_frame()
    assert len(Treebank.from_frame(frame.query("sentence == 1"))) == 1
    with pytest.raises(InputError, match=r"expected the id 1 in row 0, found 2: a sentence lacks some of its words"):
        Treebank.from_frame(frame.query("id != 1"))
    assert Treebank.from_frame(frame.query("id != 1").drop(columns=["id", "head"])).n_tokens == 4


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": ["1", "2"]}, "expected whole numbers in column 'id', found '1' in row 0"),
        (
            {"sentence": [1, pandas.NA]},
            "expected numbers or names of sentences in column 'sentence', found <NA> in row 1",
        ),
        ({"sentence": pandas.Series(["x", None], dtype=object)}, "in column 'sentence', found None in row 1"),
    ],
)
def test_a_column_of_another_kind_is_named(change: dict[str, Any], said: str) -> None:
    frame = Treebank.of([(["a", "b"], [2, 0], ["x", "root"])]).to_frame().assign(**change)
    with pytest.raises(InputError, match=re.escape(said)):
        Treebank.from_frame(frame)


def test_a_column_is_there_once() -> None:
    frame = Treebank.of([(["a"], [0], ["root"])]).to_frame()
    with pytest.raises(InputError, match="expected one column 'form', found 2"):
        Treebank.from_frame(pandas.concat([frame, frame[["form"]]], axis=1))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"sentence": [1], "form": ["a"]}, "expected a table of pandas, found dict; make one with pandas.DataFrame"),
        (pandas.Series(["a"]), "expected a table of pandas, found Series"),
        (pandas.DataFrame(), "expected a column 'sentence', found none; rename or add it"),
        (pandas.DataFrame({("sentence", 1): [1]}), "expected a column 'sentence', found ('sentence', 1)"),
    ],
)
def test_what_is_no_table_of_tokens_is_named(table: Any, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        Treebank.from_frame(table)


def test_misc_is_a_column_of_conllu_alone() -> None:
    row = "1\ta\tb\tN\tN\t_\t0\troot\t0\tPD\n\n"
    found = {format: loads(row, format=format).to_frame()["misc"].tolist() for format in ("conllu", "conllx")}
    assert found == {"conllu": ["PD"], "conllx": ["_"]}
