"""Word vectors: files of all kinds, their faults, and a model that knows words by them."""

from __future__ import annotations

import dataclasses
import gzip
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contract.subjects import NETWORK
from tests.reference.toy_parser import TEST, TRAINING, accuracy
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError, TreevoteWarning
from treevote.models.learning.vectors.files import LONGEST_LINE, read_vectors, write_vectors
from treevote.models.learning.vectors.vectors import NO_VECTORS, WordVectors
from treevote.store.record import Record

ROWS = {"the": (1.0, -2.0, 0.5), "Dog": (0.0, 4.0, 1.0), "ζ": (2.0, 2.0, -3.0), ". .": (1.0, 0.0, 0.0)}


def as_text(header: bool = True, end: str = "") -> bytes:
    lines = [f"{len(ROWS)} 3\n"] if header else []
    lines += [f"{word} {' '.join(map(str, row))}{end}\n" for word, row in ROWS.items()]
    return "".join(lines).encode()


def as_binary(end: bytes = b"\n") -> bytes:
    rows = {word: row for word, row in ROWS.items() if " " not in word}
    entries = (word.encode() + b" " + struct.pack("<3f", *row) + end for word, row in rows.items())
    return f"{len(rows)} 3\n".encode() + b"".join(entries)


FILES = {
    "word2vec": as_text(),
    "GloVe": as_text(header=False),
    "fastText": as_text(end=" "),
    "compressed": gzip.compress(as_text()),
    "tabs": as_text(header=False).replace(b" 0", b"\t0").replace(b"the ", b"the  "),
    "binary": as_binary(),
    "binary without line ends": as_binary(b""),
}


FIRST = struct.unpack("<f", b"A\n#=")[0]
"""A number whose first bytes look like the end of a line of text."""

FILES["empty lines"] = b"\n \n" + as_text(header=False)


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_files_of_all_kinds_are_read(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(content)
    vectors = read_vectors(tmp_path / "vectors")
    expected = np.array([ROWS[word] for word in vectors.words])
    assert vectors.words[:3] == ("the", "Dog", "ζ")
    assert vectors.values == pytest.approx(expected / np.sqrt(np.mean(np.sum(expected**2, 1))), rel=1e-3)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_binary_file_is_known_whatever_its_first_number(size: int, tmp_path: Path) -> None:
    row = [FIRST, *range(1, size)]
    (tmp_path / "vectors").write_bytes(f"1 {size}\nthe ".encode() + struct.pack(f"<{size}f", *row) + b"\n")
    vectors = read_vectors(tmp_path / "vectors")
    assert vectors.words == ("the",)
    assert vectors.values[0] == pytest.approx(np.array(row) / np.linalg.norm(row), rel=1e-3)


def test_vectors_are_kept_in_half_precision() -> None:
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    vectors = WordVectors(("a", "b"), values)
    assert vectors.values.dtype == np.float16
    record = Record("x", arrays=vectors.arrays(), texts=vectors.texts())
    assert WordVectors.from_record(record) == vectors


@pytest.mark.parametrize(
    ("words", "values", "problem"),
    [
        (("a",), np.full((1, 2), 1e30), "finite numbers in half precision"),
        (("a", "a"), np.ones((2, 2)), "occurs twice"),
        (("a",), np.ones((1, 0)), "shape"),
        ((), np.ones((0, 3)), "shape"),
        (("a",), np.ones(1), "shape"),
    ],
)
def test_vectors_that_do_not_fit_their_words_are_refused(words: tuple[str, ...], values: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        WordVectors(words, values)


def test_written_words_are_read_again(tmp_path: Path) -> None:
    words = ["the", "10 000", "x\u00a0y", "\u3000", "é" * LONGEST_LINE]
    with pytest.warns(TreevoteWarning, match="1 of 5 words have white space in them, .*; they have no vector"):
        n_written = write_vectors(words, np.arange(10.0).reshape(5, 2), tmp_path / "vectors")
    assert read_vectors(tmp_path / "vectors").words == ("the", "x\u00a0y", "\u3000")
    assert n_written == 3
    with pytest.raises(
        InputError, match="expected words without white space, of at most 4,096 bytes, found none; give"
    ):
        write_vectors(["10 000", "a b"], np.ones((2, 3)), tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_of_many_words_the_first_are_kept_and_those_asked_for(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(as_text() + b"the 9 9 9\n")
    assert read_vectors(tmp_path / "vectors", most=1).words == ("the",)
    assert read_vectors(tmp_path / "vectors", ["ζ", "THE"], most=0).words == ("the", "ζ")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "expected word vectors, found none"),
        (b"the\n", "expected word vectors of 1 to 2,000 dimensions"),
        (b"0 3\n", "found none"),
        (b"1 3\n", "expected as many words as the first line says, 1, found 0"),
        (b"99999999999999 2\nthe 1 2\n", "expected as many words as the first line says, 99,999,999,999,999, found 1"),
        (b"2 1\nthe 0.1 0.2\nof 0.1 -0.2\n", "line 2: expected a word and 1 number, found 'the 0.1 0.2'"),
        (b"the 0.1\nof 0.1 -0.2\n", "line 2: expected a word and 1 number, found 'of 0.1 -0.2'"),
        (b"the 1e-2 2\nof 1e-2 2 3\n", "line 2: expected a word and 2 numbers, found 'of 1e-2 2 3'"),
        (b"the 1 2\nof 1\n", "line 2: expected a word and 2 numbers, found 'of 1'"),
        (b"2 2\nthe 1 2\nof 1\n", "line 3: expected a word and 2 numbers, found 'of 1'"),
        (b"1 2\nthe 1 x\n", "expected finite numbers for the word 'the'"),
        (b"the 1 x\n", "expected finite numbers for the word 'the'"),
        (b"the 1 2\n10 1 nan\n", "something else; give word vectors of"),
        (b"the 1 nan\n", "expected finite numbers for the word 'the'"),
        (b"101\tthe\t3\n", "for the word '101', found something else; word clusters, .* are for --word-clusters"),
        (b"1 3000\n", "expected word vectors of 1 to 2,000 dimensions, found 3,000"),
        (as_binary()[:-9], "expected 3 words and 3 numbers for each, found 2 words"),
        (b"1 1\na\nb " + struct.pack("<f", 1), "expected a word of one line, found 'a"),
        (b"2 3\n" + b"\xff" * 20_000, "expected 2 words and 3 numbers for each, found 0 words"),
    ],
)
def test_a_fault_is_named(content: bytes, problem: str, tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(content)
    with pytest.raises(InputError, match=problem):
        read_vectors(tmp_path / "vectors")


def test_the_smallest_numbers_are_zero(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(b"the 1e-45 0\nof 0 1e-40\n")
    assert not read_vectors(tmp_path / "vectors").values.any()


def test_a_form_has_its_vector_or_that_of_its_lower_case() -> None:
    vectors = WordVectors(("the", "Dog"), np.array([[1], [2]], np.float16))
    assert vectors.of(["the", "The", "Dog", "dog"]).ravel().tolist() == [1, 1, 2, 0]
    assert not NO_VECTORS
    for words, values in ((("a", "a"), [[1], [1]]), (("a",), [[np.nan]]), (("a", "b"), [[1]])):
        with pytest.raises(ValueError, match="its vectors"):
            WordVectors(words, np.array(values, np.float16))


def bare(treebank: Treebank, mark: str = "") -> Treebank:
    """Return the sentences without lemmas and tags, with a mark at the end of each form."""
    root, *words = treebank.words
    return dataclasses.replace(treebank, words=(root, *(Word(word.form + mark, *"____") for word in words)))


def test_words_outside_the_training_data_are_known_by_their_vectors() -> None:
    """Every word has another form in the text, and no tags: only its vector tells which one it is."""
    forms = sorted({word.form for word in TRAINING.words[1:]})
    values = np.random.default_rng(0).normal(size=(len(forms), 16)).astype(np.float16)
    vectors = WordVectors((*forms, *(f"{form}′" for form in forms)), np.concatenate([values, values]))
    trainer = dataclasses.replace(NETWORK, passes=30, letter_size=1, filters=1, word_dropout=5.0)
    gold = bare(TEST, "′")
    known, unknown = (
        own.train(bare(TRAINING)).parse(gold) for own in (dataclasses.replace(trainer, vectors=vectors), trainer)
    )
    assert accuracy(gold, known) > accuracy(gold, unknown) + 0.2


def test_vectors_that_were_written_are_read(tmp_path: Path) -> None:
    values = np.array([[0.5, -1.25, 3.0], [1e-7, 2.0, 0.0], [1.0, 1.0, 1.0]])
    with pytest.warns(TreevoteWarning, match="1 of 3 words"):
        write_vectors(["the", "ζ\u0301", "10 000.5"], values, tmp_path / "v.vec")
    found = read_vectors(tmp_path / "v.vec")
    assert found.words == ("the", "ζ\u0301")
    assert found.values * np.sqrt(np.sum(values[:2] ** 2) / 2) == pytest.approx(values[:2], abs=2e-3)
