"""Faults of a text: each is one error with its place, and none is lost."""

from __future__ import annotations

import bz2
import io
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conll.texts import chunk_of, damaged_texts, texts, token_line
from treevote.conll.chunks import Chunk, chunks
from treevote.conll.reader import OnError, chunk_faults, loads, parse_chunk, read
from treevote.conll.validation import Trees, require_utf8
from treevote.conll.writer import dumps, encoded
from treevote.corpus.treebank import Format, Treebank
from treevote.errors import InputError

TWO = token_line(1) + token_line(2, 1, "dep") + "\n"
FAULTS = [
    (token_line(1) + token_line(2) + "\n", "conllu", "partial-rooted", 4, "expected one root, as all trees have here"),
    (
        token_line(1, "_") + token_line(2, 3) + token_line(3, 2),
        "conllu",
        "partial",
        4,
        "expected a tree, found the cycle 2 -> 3 -> 2",
    ),
    ("1\ta\tb\n\n", "conllu", "required", 3, "expected 10 columns separated by tabs, found 3"),
    (
        token_line(1).replace("\t", " "),
        "conllu",
        "required",
        3,
        "found 1 (the columns are separated by spaces)",
    ),
    (
        token_line(1) + "my notes\n",
        "conllu",
        "required",
        4,
        "found 1; put tabs between the columns, or remove the line",
    ),
    ("The dog barks at the cat in the garden.\n", "conllu", "required", 3, "found 1 (running text)"),
    (
        token_line(1) + "x" + token_line(2, 1),
        "conllu",
        "required",
        4,
        "expected id 2, found 'x2', which is no id; correct the first column, or remove the line",
    ),
    (
        token_line('"1"'),
        "conllu",
        "required",
        3,
        """expected id 1, found '"1"', which is no id; remove the quotes around columns""",
    ),
    (token_line(1).replace("\t", ";"), "conllu", "required", 3, "found 1; put tabs between the columns"),
    (token_line(1) + token_line(3, 1), "conllu", "required", 4, "expected id 2, found 3"),
    (token_line(0), "conllu", "required", 3, "expected id 1, found 0"),
    (TWO[:-1] + token_line(1), "conllu", "required", 5, "expected id 3, found 1"),
    (token_line("01"), "conllu", "required", 3, "expected id 1, found '01', which is no id"),
    (token_line(1).replace("form", ""), "conllu", "ignored", 3, "expected a FORM, found an empty column"),
    (token_line(1, 0, ""), "conllu", "optional", 3, "expected a DEPREL, found an empty column"),
    (token_line(1, 2), "conllu", "optional", 3, "expected a HEAD in 0..1, found '2'"),
    (token_line(1, -1), "conllu", "optional", 3, "expected a HEAD in 0..1, found '-1'"),
    (token_line(1, "x"), "conllu", "optional", 3, "expected a HEAD in 0..1, found 'x'"),
    (token_line(1, "00"), "conllu", "optional", 3, "expected a HEAD in 0..1, found '00'"),
    (token_line(1, ""), "conllu", "optional", 3, "expected a HEAD in 0..1, found an empty column"),
    (
        token_line(1) + token_line(2, "_"),
        "conllu",
        "required",
        4,
        "expected a HEAD in 0..2, found '_' (unknown)",
    ),
    (token_line(1) + token_line(2, 2), "conllu", "required", 4, "or 0 as HEAD of token 2, found itself"),
    (token_line(1, 2) + token_line(2, 1), "conllu", "required", 3, "found a sentence without a root"),
    (
        token_line(1) + token_line(2, 4) + token_line(3, 2) + token_line(4, 3),
        "conllu",
        "required",
        4,
        "expected a tree, found the cycle 2 -> 4 -> 3 -> 2",
    ),
    (
        token_line(1, 2) + token_line(2, 1) + token_line(3, 0),
        "conllu",
        "required",
        3,
        "expected a tree, found the cycle 1 -> 2 -> 1",
    ),
    (
        token_line("1-2") + token_line(1),
        "conllu",
        "required",
        3,
        "ends in a token of the sentence (1..1), found 2",
    ),
    (token_line(1) + "2\ta\tb\n", "conllu", "required", 4, "expected 10 columns separated by tabs, found 3"),
    (token_line("2-2") + TWO, "conllu", "required", 3, "expected id 1 or a range from 1, found '2-2'"),
    (token_line("0.0") + TWO, "conllu", "required", 3, "expected id 1, found '0.0', which is no id"),
    (token_line("0.x") + TWO, "conllu", "required", 3, "expected id 1, found '0.x', which is no id"),
    (
        token_line("1-2") + token_line(1) + token_line("2-2") + token_line(2, 1),
        "conllu",
        "required",
        5,
        "expected id 2 or a range from 3, found '2-2'",
    ),
    (token_line("5.1") + TWO, "conllu", "required", 3, "expected id 1 or an empty node 0.1, found '5.1'"),
    (token_line("0.1"), "conllu", "required", 3, "expected a token, found a sentence without one"),
    (
        token_line("1-2") + TWO,
        "conllx",
        "required",
        3,
        "expected id 1, found '1-2', which exists in CoNLL-U only",
    ),
    (
        token_line("0.1") + TWO,
        "conllx",
        "required",
        3,
        "expected id 1, found '0.1', which exists in CoNLL-U only",
    ),
]


MANY = "9" * 5000
CUT = "999999999999...9999999999999"
FAULTS += [
    (token_line(f"1-{MANY}") + TWO, "conllu", "required", 3, f"ends in a token of the sentence (1..2), found {CUT}"),
    (token_line(f"{MANY}-{MANY}") + TWO, "conllu", "required", 3, "expected id 1 or a range from 1, found '99999"),
    (token_line(f"{MANY}.1") + TWO, "conllu", "required", 3, "expected id 1 or an empty node 0.1, found '99999"),
    (token_line(f"0.{MANY}") + token_line(2), "conllu", "required", 4, "expected id 1, found 2"),
    (token_line(MANY), "conllu", "required", 3, f"expected id 1, found {CUT}"),
    (token_line(1, MANY), "conllu", "required", 3, f"expected a HEAD in 0..1, found '{CUT}'"),
    (
        token_line(1, "x" * 5000),
        "conllu",
        "required",
        3,
        "expected a HEAD in 0..1, found 'xxxxxxxxxxxx...xxxxxxxxxxxxx'",
    ),
]
RETURNS = "expected lines that end in line feeds, found carriage returns alone between the lines of tokens"
FAULTS += [
    ("# a\r" + TWO.replace("\n", "\r"), "conllu", "ignored", 3, RETURNS),
    ("# a\n# b\r" + token_line(1) + token_line(2, 1), "conllu", "ignored", 4, RETURNS),
    (TWO.replace("\n", "\r"), "conllx", "ignored", 3, RETURNS),
    ("# a\n" + TWO.replace("\n", "\r"), "conllu", "ignored", 4, RETURNS),
    ("# a\r" + token_line("1-2").replace("\n", "\r") + "#\n" + TWO, "conllu", "ignored", 3, RETURNS),
]


FAULTS += [
    ("\ufeff# a\n" + TWO, "conllu", "ignored", 3, "expected no byte order mark within a file, found one; remove it"),
    ("\ufeff" + TWO, "conllu", "ignored", 3, "expected no byte order mark within a file, found one; remove it"),
    (" # a\n" + TWO, "conllu", "ignored", 3, "found 1 (a comment behind spaces); remove the spaces before #"),
    (token_line(1) + "\u00a0\n", "conllu", "ignored", 4, "found 1 (spaces alone); remove the spaces if a sentence"),
    (token_line(1, "_1"), "conllu", "optional", 3, "expected a HEAD in 0..1, found '_1'"),
    ("1\ta\t_\n", "conllu", "ignored", 3, "found 3; correct the line; convert a file in another format to CoNLL-U"),
]


@given(damaged_texts(), st.sampled_from(["required", "optional", "ignored"]))
def test_of_all_faults_the_first_of_each_sentence_is_the_one_that_stops(text: bytes, trees: Trees) -> None:
    chunk = chunk_of(text)
    first: dict[str, str] = {}
    places = []
    for fault in chunk_faults(chunk, trees=trees):
        assert fault.line is not None
        places.append(fault.line)
        first.setdefault(fault.sentence, str(fault))
    stopping: dict[str, str] = {}
    for fault in parse_chunk(chunk, trees=trees, on_error="skip")[1]:
        stopping.setdefault(fault.sentence, str(fault))
    assert first == stopping


def test_a_line_with_spaces_between_its_columns_is_one_fault_though_ids_follow() -> None:
    text = token_line(1).replace("\t", " ") + token_line(2, 1)
    assert [fault.line for fault in chunk_faults(chunk_of(text.encode()), trees="required")] == [1]


def test_a_sentence_may_have_many_faults() -> None:
    lines = (
        token_line(1, 9) + token_line(2, 0, "") + "3\tx\n" + token_line(4, 4),  # the columns, and nothing of the tree
        token_line(1, 9) + token_line(2, 0, "") + token_line(3, "_").replace("form", "") + token_line(4, 4),
        token_line(1, 1) + token_line(2, 2) + token_line(3, 0),
        token_line(1, 2) + token_line(2, 1) + token_line(3, 4) + token_line(4, 3) + token_line(5),
        token_line(1, 2) + token_line(3) + token_line(4),  # ids that follow a wrong one
        token_line(1, 0).replace("form", "\udcff") + token_line(2, 1, "").replace("form", "\udcfe"),
    )
    text = "\n".join(lines).encode("utf-8", "surrogateescape")
    found: dict[str, list[int]] = {}
    for fault in chunk_faults(chunk_of(text), trees="required"):
        found.setdefault(fault.sentence, []).append(fault.line or 0)
    assert found == {"1": [3], "2": [8, 6, 7, 8], "3": [11, 12], "4": [15, 17], "5": [22], "6": [25, 26, 26]}


@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-32", "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"])
@given(text=texts())
@settings(max_examples=20)
def test_wide_encodings_are_named(encoding: str, text: bytes) -> None:
    plain = text.decode().removeprefix("\ufeff").replace("\0", "x")
    remedy = f"convert it: iconv -f {encoding} -t UTF-8; treevote parse reads it with --encoding {encoding}"
    said = f"f.conllu: expected UTF-8, the file is {encoding}; {remedy}"
    for function in (lambda file: read(file), lambda file: next(chunks(file, n_bytes=4096))):
        file = io.BytesIO(plain.encode(encoding))
        file.name = "f.conllu"
        with pytest.raises(InputError) as found:
            function(file)
        assert str(found.value) == said
    require_utf8(text, "")


@pytest.mark.parametrize("columns", [True, False])
def test_other_compressions_are_named(columns: bool) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("f.conllu", token_line(1, 0))
    zstd = bytes.fromhex("28b52ffd0008")
    for name, content in ("bzip2", bz2.compress(b"1\ta")), ("zip", packed.getvalue()), ("zstd", zstd):
        with pytest.raises(InputError, match=f"^f: expected UTF-8, the file is compressed with {name}; decompress it"):
            require_utf8(content, "f", columns=columns)
    require_utf8(b"BZh is no word", "f", columns=columns)


@pytest.mark.parametrize("encoding", ["UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"])
def test_a_wide_running_text_is_named_if_it_is_long_enough(encoding: str) -> None:
    text = ("Où est mon café ? " * 9).encode(encoding)
    with pytest.raises(InputError, match=f"the file is {encoding}; "):
        require_utf8(text, "f.txt", columns=False)
    require_utf8(text[:60], "f.txt", columns=False)


@pytest.mark.parametrize("before", [0, 1, 2])
def test_ranges_that_overlap_are_refused_in_any_sentence(before: int) -> None:
    def sentence(*ids: str) -> bytes:
        return b"".join(b"%s\ta\t_\t_\t_\t_\t%s\t_\t_\t_\n" % (i.encode(), b"_" if "-" in i else b"0") for i in ids)

    text = (sentence("1-2", "1", "2", "3") + b"\n") * before + sentence("1-2", "1", "2-3", "2", "3")
    with pytest.raises(InputError, match=rf"line {5 * before + 3}, sentence {before + 1}: "):
        read(io.BytesIO(text), format="conllu")


def test_a_wide_text_with_broken_characters_is_not_named_so() -> None:
    for broken in (b"\xff\xff\xff\xff", b"\xff\xff\xff\xff\xff"):
        require_utf8("1\tdogs".encode("utf-32-le") + broken, "")


@pytest.mark.parametrize(("text", "format", "trees", "line", "problem"), FAULTS)
def test_each_fault_is_one_error_with_its_place(
    text: str, format: Format, trees: Trees, line: int, problem: str
) -> None:
    first = Chunk("f.conllu", 1, 1, (token_line(1) + "\n" + text + "\n").encode(), format)
    with pytest.raises(InputError) as found:
        parse_chunk(first, trees=trees)
    error = found.value
    assert problem in f"{error.problem}; {error.remedy}"
    assert (error.path, error.line, error.sentence) == ("f.conllu", line, "2")
    assert error.remedy
    named = Chunk("", 11, 5, ("# sent_id = abc-1 \r\n" + text).encode(), format)
    with pytest.raises(InputError) as found:
        parse_chunk(named, trees=trees)
    assert (found.value.line, found.value.sentence) == (line + 9, "abc-1")


@pytest.mark.parametrize("innocent", ["# a\rb", "#\r1\ta\r", "# 1\t2\r3\t4\t5", "#\r\r", "#\r" + "\t_" * 9])
@pytest.mark.parametrize("form", ["form", "fo\rrm", "\r1", "\r"])
def test_carriage_returns_that_hide_no_tokens_are_kept(innocent: str, form: str) -> None:
    text = (innocent + "\n" + TWO.replace("form", form)).encode()
    treebank, faults = parse_chunk(chunk_of(text))
    assert not faults
    assert treebank.n_tokens == 2
    assert dumps(treebank).encode() == text


def test_sentences_behind_carriage_returns_are_not_lost_in_silence() -> None:
    hidden = "# sent_id = b\r" + TWO[:-1].replace("\n", "\r") + "\n\n"
    text = (TWO + hidden + TWO).encode()
    with pytest.raises(InputError, match=r"line 4, sentence b: .*; convert the line ends to line feeds"):
        read(io.BytesIO(text))
    kept: list[tuple[OnError, str]] = [("skip", TWO + TWO), ("keep", TWO + hidden + TWO)]
    for on_error, left in kept:
        treebank, faults = parse_chunk(chunk_of(text), on_error=on_error)
        assert [fault.line for fault in faults] == [4]
        assert treebank.n_sentences == 2
        assert dumps(treebank) == left
    with pytest.raises(InputError, match="convert the line ends"):
        read(io.BytesIO(hidden.replace("\n", "\r").encode()))


def test_bytes_that_are_not_utf8_are_a_fault_of_their_sentence() -> None:
    text = (TWO + "# sent_id = b\n" + token_line(1) + "\n" + TWO).encode("latin-1").replace(b"sent_id = b", b"caf\xe9")
    with pytest.raises(InputError, match="line 4, sentence 2: expected UTF-8, found the byte 0xE9 as byte 6 of"):
        parse_chunk(chunk_of(text))
    treebank, faults = parse_chunk(chunk_of(text), on_error="keep")
    assert (treebank.n_sentences, len(faults)) == (2, 1)
    assert dumps(treebank).encode("utf-8", "surrogateescape") == text


def test_half_of_a_character_is_one_fault() -> None:
    with pytest.raises(InputError, match="expected a text that can be UTF-8, found half of a character at 2"):
        loads("1\t\ud800\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(InputError, match="found half of a character"):
        encoded(Treebank.of([(["\ud800"], [0], ["root"])]))
