"""A treebank is what its columns say: nothing inconsistent is built, and a selection is that of a list."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import treebanks
from tests.values import comparing_arrays, settable
from treevote.conll.reader import loads
from treevote.conll.writer import dumps
from treevote.corpus.sentence import Word, sent_id
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError
from treevote.evaluation.factors import documents

TOY = Treebank.of([(["a"], [0], ["root"]), (["b", "c"], [2, 0], ["x", "root"]), (["d"] * 3, [0, 1, 1], ["root"] * 3)])


class Column(list[Any]):
    """Values with a type and a shape, which are no array, as a column of a table has them."""

    def __init__(self, values: Any) -> None:
        super().__init__(values.tolist())
        self.dtype, self.ndim, self.flags = values.dtype, values.ndim, values.flags


@pytest.mark.parametrize(
    ("sentence", "problem"),
    [
        ((["b", "c"], [2, 4], ["x", "y"]), r"toy, sentence 2: token 2: expected a head in -1\.\.2, found 4"),
        ((["b", "c"], [2, -2], ["x", "y"]), r"token 2: expected a head in -1\.\.2, found -2"),
        ((["b"], [0.5], ["x"]), r"token 1: expected a head in -1\.\.1, found 0\.5"),
        ((["b"], ["0"], ["x"]), "expected a head in .*, found '0'"),
        ((["b"], [10**30], ["x"]), "expected a head in"),
        ((["b", "c"], [2], ["x", "y"]), "sentence 2: expected .* of one length, found 2 and 1 and 2"),
        ((["b", "c"], [2, 0]), "expected words, heads and deprels"),
        (([("b", "DET")], [0], ["x"]), "token 1: expected a form or a Word, found"),
        ((["b", None], [2, 0], ["x", "y"]), "token 2: expected a form or a Word, found None"),
        (([Word("b", None, "_", "_", "_")], [0], ["x"]), "token 1: expected a Word of strings"),  # type: ignore[arg-type]
        ((["b"], [0], [None]), "token 1: expected a label, found None"),
        ((TOY[1].words, TOY[1].heads, TOY[1].deprels), "sentence 2: token 1: expected a word, found ROOT; leave out"),
    ],
)  # fmt: skip
def test_a_sentence_that_is_inconsistent_is_refused(sentence: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Treebank.of([(["a"], [0], ["root"]), sentence], "toy")


@given(treebanks(), st.sampled_from(["tokens", "heads", "deprels"]), st.integers(-4, 40), st.data())
def test_a_column_with_an_index_out_of_range_is_refused(
    treebank: Treebank, name: str, value: int, data: st.DataObject
) -> None:
    if not treebank.n_tokens:
        return
    slot = data.draw(st.sampled_from(np.flatnonzero(treebank.is_token).tolist()))
    sentence = int(treebank.sentence_of[slot])
    most = {"tokens": len(treebank.words) - 1, "deprels": len(treebank.labels) - 1}
    most["heads"] = int(treebank.lengths[sentence])
    column = getattr(treebank, name).copy()
    column[slot] = value
    changes: dict[str, Any] = {name: column}
    if (0 if name == "tokens" else -1) <= value <= most[name]:
        assert getattr(dataclasses.replace(treebank, **changes), name)[slot] == value
    else:
        place = (
            rf"sentence {sentence + 1}: token {treebank.positions[slot]}: expected a {name[:-1]} in .*found {value}\b"
        )
        with pytest.raises(InputError, match=place):
            dataclasses.replace(treebank, name="toy", source=None, **changes)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"heads": TOY.heads[:-1]}, "heads: expected int32 of length 9, found int32 of shape"),
        ({"heads": TOY.heads.astype(np.int64)}, "heads: expected int32 of length 9, found int64"),
        ({"heads": Column(TOY.heads)}, "heads: expected int32 of length 9, found Column"),
        ({"confidence": Column(np.zeros(9, np.float32))}, "confidence: expected float32 of length 9, found Column"),
        ({"heads": TOY.heads.tolist()}, "heads: expected int32 of length 9, found list"),
        ({"tokens": TOY.tokens.astype(np.float64)}, "tokens: expected int32"),
        ({"deprels": TOY.deprels[None]}, "deprels: expected int32"),
        ({"support": np.zeros(9)}, "support: expected float32 of length 9, found float64"),
        ({"confidence": np.zeros(8, np.float32)}, "confidence: expected float32 of length 9"),
        ({"offsets": TOY.offsets[:0]}, "offsets: expected ascending slots from 0 to 9"),
        ({"offsets": TOY.offsets[1:]}, "offsets: expected ascending"),
        ({"offsets": TOY.offsets[:-1]}, "offsets: expected ascending"),
        ({"offsets": np.array([0, 5, 2, 9])}, "offsets: expected ascending"),
        ({"offsets": np.array([0, 2**63 - 1, -(2**63) + 1, 9])}, "offsets: expected ascending"),
        ({"tokens": np.array([9, *TOY.tokens[1:]], np.int32)}, "sentence 1, ROOT: expected a token in"),
        (
            {"tokens": np.array([*TOY.tokens[:5], 9, *TOY.tokens[6:]], np.int32)},
            "sentence 3, ROOT: expected a token",
        ),
        ({"heads": np.array([-1, 0, 0, 2, 0, -1, 0, 1, 1], np.int32)}, "sentence 2: expected the head -1 for ROOT"),
    ],
)
def test_columns_that_do_not_fit_each_other_are_refused(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        dataclasses.replace(TOY, **changes)


@given(treebanks(), st.data())
def test_a_selection_by_numbers_or_by_a_mask_is_that_of_a_list(treebank: Treebank, data: st.DataObject) -> None:
    n = len(treebank)
    mask = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    numbers = [i for i, chosen in enumerate(mask) if chosen]
    for asked in (mask, np.array(mask, np.bool_), numbers, np.array(numbers, np.uint16), tuple(numbers)):
        selected = treebank.select(asked)
        assert selected.lengths.tolist() == treebank.lengths[numbers].tolist()
        assert [s.heads.tolist() for s in selected] == [treebank[i].heads.tolist() for i in numbers]


@pytest.mark.parametrize("source", [False, True])
@pytest.mark.parametrize(
    "asked",
    [
        [True, False],
        np.ones(0, np.bool_),
        np.ones(4, np.bool_),
        [0.0, 1.9],
        ["0"],
        [3],
        [-1],
        [2**63],
        [10**30],
        [[0], [1]],
        [[0], [1, 2]],
        1,
        [None],
    ],
)
def test_a_selection_of_what_is_not_there_is_refused(asked: Any, source: bool) -> None:
    with pytest.raises(InputError, match=r"expected numbers of sentences in 0\.\.2, or a mask of length 3, found "):
        TOY.select(asked, source=source)


def test_a_negative_number_counts_sentences_from_the_end() -> None:
    read = loads("".join(f"# sent_id = {form}\n1\t{form}" + "\t_" * 4 + "\t0\troot\t_\t_\n\n" for form in "abc"))
    for i in range(-3, 3):
        assert read.sentence(i).sent_id == read[i].sent_id == "abc"[i]
        assert read.comments(i) == (f"# sent_id = {'abc'[i]}",)
        assert TOY.sentence(i).words == TOY[i].words
    for i in (-4, 3):
        for ask in (read.sentence, read.comments, TOY.sentence, TOY.comments):
            with pytest.raises(IndexError):
                ask(i)


def test_a_comment_is_cut_at_its_first_equals_sign() -> None:
    for line in ("# sent_id = a=b", "#sent_id=a=b", "# sent_id=a=b\r", "#\tsent_id =a=b"):
        assert sent_id([line]) == "a=b"


def test_documents_are_those_of_the_breakdown_of_an_evaluation() -> None:
    comments = (
        "# sent_id = 1",
        "# newdoc id = d1",
        "# newdoc_title = x",
        "#newdoc id=d2",
        "# newdoc",
        "# newdoc id = d3\r",
    )
    text = "".join(f"{line}\n1\ta" + "\t_" * 4 + "\t0\troot\t_\t_\n\n" for line in comments)
    read = loads(text)
    assert read.documents == ["", "d1", "d1", "d2", "", "d3"]
    assert documents(read) == ["(before the first)", "d1", "d1", "d2", "document 3", "d3"]


def test_sentences_and_their_tokens_are_equal_if_their_columns_are() -> None:
    one, same, other = loads(TEXT)[0], loads(TEXT)[0], loads(TEXT.replace("# text = a b", "# text = ab"))[0]
    moved = loads(TEXT.replace("2\tx", "0\tx").replace("0\ty", "1\ty"))[0]
    assert one == same
    assert one.tokens[0] == same.tokens[1].dependents[0]
    assert one.tokens[0].head == one.tokens[1] != one.tokens[0]
    assert one != other
    assert one != moved
    assert one != "a b"


TEXT = """\
# text = a b
1\ta\t_\t_\t_\t_\t2\tx\t_\t_
2\tb\t_\t_\t_\t_\t0\ty\t_\t_

"""


@pytest.mark.parametrize("label", ["det", "", "_"])
def test_a_label_stays_without_a_head_unless_it_is_open(label: str) -> None:
    made = Treebank.of([(["a", "dog"], [-1, 0], [label, "root"])])
    known = label == "det"
    assert made[0].deprels == ("", "det" if known else "", "root")
    assert made.labels == (("det", "root") if known else ("root",))
    assert dumps(made).split("\n")[0].split("\t")[6:8] == ["_", "det" if known else "_"]
    assert loads(dumps(made), trees="partial")[0].deprels == made[0].deprels


def test_an_empty_column_is_open_as_in_a_file() -> None:
    words = [Word("a", "", "", "", ""), Word("dog", "dog", "NOUN", "", "")]
    made = Treebank.of([(words, [2, 0], ["", "root"])])
    again = loads(dumps(made), trees="optional")
    assert made[0].words[1] == again[0].words[1] == Word("a", "_", "_", "_", "_")
    assert made[0].deprels == again[0].deprels == ("", "_", "root")


def test_marks_that_are_none_are_not_kept() -> None:
    with pytest.raises(ConfigError, match="unknown mark 'confidance'; did you mean 'confidence'"):
        TOY.only("confidance")


def test_treebanks_and_their_sources_are_values() -> None:
    assert not settable("treevote.corpus") | comparing_arrays("treevote.corpus")
