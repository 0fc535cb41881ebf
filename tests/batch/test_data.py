"""Data of a call: each kind is read as what it is, and anything else is refused, with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.reference.toy_grammar import toy_treebank
from treevote.batch.data import from_tokens, parsed_data, training_data
from treevote.conll.writer import dumps, write
from treevote.corpus.sentence import ROOT, Word
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError

TOY = toy_treebank(3, 1)
WORD = Word("dogs", "_", "NOUN", "_", "_")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write(TOY, tmp_path / "toy.conllu")
    return tmp_path / "toy.conllu"


@pytest.mark.parametrize(
    ("token", "word"),
    [
        ("dogs", WORD._replace(upos="_")),
        (("dogs", "NOUN"), WORD),
        (["dogs", "NOUN"], WORD),
        ({"form": "dogs", "upos": "NOUN"}, WORD),
        (WORD, WORD),
        (Word("a", "b", "c", "d", "e"), Word("a", "b", "c", "d", "e")),
        ({"form": "a", "lemma": "b", "upos": "c", "xpos": "d", "feats": "e"}, Word("a", "b", "c", "d", "e")),
    ],
)
def test_a_token_is_a_form_a_pair_a_word_or_a_mapping(token: Any, word: Word) -> None:
    found = from_tokens([["a", token], (token,)])
    assert [sentence.words for sentence in found] == [(ROOT, Word("a", "_", "_", "_", "_"), word), (ROOT, word)]
    assert found.heads.tolist() == [-1] * 5
    assert found.labels == ()


@pytest.mark.parametrize(
    "token", ["", None, ROOT, ("a",), ("a", "b", "c"), ("a", ""), ("a", 1), {"upos": "a"}, {"form": "a", "x": "b"}]
)
def test_what_is_no_token_is_refused_with_its_sentence(token: Any) -> None:
    with pytest.raises(InputError, match="sentence 2: expected a token, found "):
        from_tokens([["a"], ["b", token]])


@pytest.mark.parametrize("sentence", ["a b", [], 5, {"a": 1}])
def test_what_is_no_sentence_is_refused_with_its_number(sentence: Any) -> None:
    with pytest.raises(InputError, match="sentence 2: expected a list of tokens, found "):
        parsed_data([["a"], sentence])


def test_data_that_are_parsed_are_read_as_what_they_are(path: Path) -> None:
    assert parsed_data(TOY) is TOY
    for data in (path, dumps(TOY)):
        assert parsed_data(data).tokens.tolist() == TOY.tokens.tolist()
    assert len(parsed_data([path, path])) == len(parsed_data(iter([path, path]))) == 2 * len(TOY)
    assert parsed_data([["a"]]).n_tokens == 1


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"dogs", "expected a text, found bytes"),
        ("dogs bark", "expected a text in CoNLL-U, found 'dogs bark'"),
        (["dogs", "bark"], "expected sentences, found the string 'dogs'"),
        ([], "expected sentences, found none"),
        (5, "sentence 1: expected a list of tokens, found 5"),
        (["dogs", Path("a")], "sentence 1: expected a list of tokens, found 'dogs'"),
        ([["dogs"], Path("a")], "sentence 2: expected a list of tokens"),
    ],
)
def test_data_that_cannot_be_parsed_are_refused(data: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parsed_data(data)


def test_data_to_learn_from_are_a_treebank_or_paths(path: Path) -> None:
    assert training_data(TOY, "required") is TOY
    for data in (path, str(path), [path], [str(path)], iter([path])):
        assert training_data(data, "required").heads.tolist() == TOY.heads.tolist()
    assert len(training_data([path, str(path)], "required")) == 2 * len(TOY)


class Table(list[str]):
    """A table, which gives the names of its columns one by one."""

    columns = ("form",)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ([], "nothing in a list"),
        ([TOY], "Treebank in a list"),
        (["toy.conllu", TOY], "Treebank in a list"),
        (5, "int;"),
        (b"toy.conllu", "bytes;"),
        (Table(["form"]), "Table;"),
    ],
)
def test_data_to_learn_from_are_nothing_else(data: Any, found: str) -> None:
    with pytest.raises(InputError, match=f"expected a treebank or paths, found {found}"):
        training_data(data, "required")


def test_a_treebank_in_a_list_is_no_sentence() -> None:
    with pytest.raises(InputError, match="sentence 1: expected a list of tokens"):
        parsed_data([Treebank.of([])])
