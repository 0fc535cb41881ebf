"""Laws of reading CoNLL text: the reader and its twin, chunks of any size, formats, trees that may be missing."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.conll.texts import chunk_of, damaged_texts, plain, texts, token_line
from tests.reference.conll import read_blocks
from treevote.conll.chunks import chunks
from treevote.conll.reader import OnError, loads, parse_chunk, read, read_parse
from treevote.conll.validation import MAX_TOKENS, Trees, detect, format_of
from treevote.conll.writer import dumps, encoded
from treevote.corpus.treebank import MARKS, Format, Treebank
from treevote.errors import ConfigError, InputError
from treevote.evaluation.counts import convention_of


def places(treebank: Treebank) -> list[tuple[str, int]]:
    """Return file and line of each slot."""
    assert treebank.source is not None
    return [treebank.source.place(slot) for slot in range(len(treebank.tokens))]


@given(texts() | damaged_texts(), st.sampled_from(["required", "optional", "ignored"]), st.booleans())
def test_reader_equals_its_slow_twin(text: bytes, trees: Trees, as_conllx: bool) -> None:
    format: Format = "conllx" if as_conllx else "conllu"
    treebank, faults = parse_chunk(chunk_of(text, format), trees=trees, on_error="keep")
    blocks = read_blocks(text.removeprefix(b"\xef\xbb\xbf"), format, trees)
    faulty = [block.fault for block in blocks if block.fault]
    assert [fault.line for fault in faults] == [line + 1 for line, _ in faulty]
    for fault, (_, problem) in zip(faults, faulty, strict=True):
        assert fault.problem in (problem, "expected trees, found a file without: every HEAD is '_'")
    good = [block for block in blocks if block.words]
    assert plain(treebank) == [(block.words, block.heads, block.deprels) for block in good]
    assert treebank.source is not None
    assert treebank.source.line_of[treebank.offsets[:-1]].tolist() == [block.first_line for block in good]
    sentences = [block for block in blocks if block.words or block.fault]
    assert treebank.source.numbers.tolist() == [i for i, block in enumerate(sentences, 1) if block.words]


@given(damaged_texts(), st.sampled_from(["required", "optional"]))
def test_stop_skip_and_keep(text: bytes, trees: Trees) -> None:
    kept, faults = parse_chunk(chunk_of(text), trees=trees, on_error="keep")
    assert encoded(kept) == text

    skipped, same = parse_chunk(chunk_of(text), trees=trees, on_error="skip")
    assert [str(fault) for fault in same] == [str(fault) for fault in faults]
    assert plain(skipped) == plain(kept)
    assert places(skipped) == places(kept)
    again, none = parse_chunk(chunk_of(dumps(skipped)), trees=trees, on_error="stop")
    assert not none
    assert plain(again) == plain(kept)

    if faults:
        with pytest.raises(InputError) as stopped:
            parse_chunk(chunk_of(text), trees=trees, on_error="stop")
        assert str(stopped.value) == str(faults[0])


@given(texts() | damaged_texts(), st.integers(1, 300))
def test_chunks_of_any_size_hold_the_same(text: bytes, n_bytes: int) -> None:
    whole, faults = parse_chunk(chunk_of(text), on_error="keep")
    file = io.BytesIO(text)
    file.name = "f.conllu"
    parts = list(chunks(file, n_bytes=n_bytes))
    assert b"".join(part.text for part in parts) == text
    read_parts = [parse_chunk(part, on_error="keep") for part in parts]
    assert [s for treebank, _ in read_parts for s in plain(treebank)] == plain(whole)
    numbers, *of_parts = [each.source.numbers.tolist() for each, _ in [(whole, faults), *read_parts] if each.source]
    assert [number for part in of_parts for number in part] == numbers
    assert [str(fault) for _, found in read_parts for fault in found] == [str(fault) for fault in faults]


def test_nothing_of_a_text_stays_in_memory() -> None:
    text = (token_line(1) + "\n").encode() * 50_000
    read(io.BytesIO(text[: len(text) // 50_000]), format="conllu")
    tracemalloc.start()
    try:
        treebank = read(io.BytesIO(text), format="conllu")
        before = tracemalloc.get_traced_memory()[0]
        del treebank
        assert tracemalloc.get_traced_memory()[0] < before / 10
    finally:
        tracemalloc.stop()


@given(st.integers(1, 2000))
def test_the_format_is_that_of_the_whole_file_whatever_the_chunks(n_bytes: int) -> None:
    text = token_line(1) + "\n" + token_line(1).replace("NOUN", "N") + "\n"
    found = {chunk.format for chunk in chunks(io.BytesIO(text.encode()), n_bytes=n_bytes)}
    assert found == {detect(text)} == {"conllx"}


@given(st.lists(st.integers(0, 6), min_size=1, max_size=6))
def test_required_trees_are_those_in_which_every_way_up_ends_at_root(drawn: list[int]) -> None:
    heads = [min(head, len(drawn)) for head in drawn]

    def reaches_root(token: int) -> bool:
        for _ in heads:
            token = heads[token - 1] if token else 0
        return token == 0

    text = "".join(token_line(i, head) for i, head in enumerate(heads, 1))
    _, faults = parse_chunk(chunk_of(text), trees="required", on_error="keep")
    assert bool(faults) == (not all(map(reaches_root, range(1, len(heads) + 1))))


def test_the_longest_sentence_is_read_and_a_longer_one_refused() -> None:
    text = "".join(token_line(i, i - 1) for i in range(1, MAX_TOKENS + 1))
    treebank, _ = parse_chunk(chunk_of(text), trees="required")
    assert treebank.n_tokens == MAX_TOKENS
    assert treebank.heads[1:].tolist() == list(range(MAX_TOKENS))
    with pytest.raises(InputError, match=r"line 10001.*at most 10,000 tokens"):
        parse_chunk(chunk_of(text + token_line(MAX_TOKENS + 1)))


@pytest.mark.parametrize("text", [b"", b"\n\n", b"# only a comment\n\n", b"\xef\xbb\xbf"])
def test_a_file_without_sentences_is_an_error_and_a_chunk_is_not(text: bytes) -> None:
    with pytest.raises(InputError, match="expected sentences, found none"):
        read(io.BytesIO(text))
    treebank, faults = parse_chunk(chunk_of(text))
    assert (treebank.n_sentences, treebank.n_tokens, faults) == (0, 0, [])
    assert dumps(treebank).encode() == text


def test_an_unlabelled_file_is_told_from_a_missing_head() -> None:
    text = (token_line(1, "_", "_") + token_line(2, "_", "_") + "\n").encode()
    with pytest.raises(InputError, match=r"found a file without: every HEAD is '_'; give a labelled treebank"):
        read(io.BytesIO(text))
    treebank = read(io.BytesIO(text), trees="optional")
    assert treebank.heads.tolist() == treebank.deprels.tolist() == [-1, -1, -1]
    assert treebank.labels == ()


def test_a_parse_has_one_head_at_least(tmp_path: Path) -> None:
    path = tmp_path / "parse.conllu"
    path.write_text(token_line(1, "_", "_") + "\n" + token_line(1, 0) + "\n")
    assert read_parse(path, "auto").heads.tolist() == [-1, -1, -1, 0]
    path.write_text(token_line(1, "_", "_"))
    with pytest.raises(InputError, match=r"parse.conllu: expected parses, found no heads at all"):
        read_parse(path, "auto")


def test_underscore_is_a_label_where_the_head_is_known() -> None:
    treebank = read(io.BytesIO((token_line(1, 0, "_") + token_line(2, "_", "dep")).encode()), trees="optional")
    assert plain(treebank)[0][1:] == ([0, -1], ["_", ""])
    assert treebank.labels == ("_",)


@pytest.mark.parametrize("trees", ["required", "optional"])
def test_a_head_column_that_is_ignored_may_hold_anything(trees: Trees) -> None:
    text = (token_line(1, "??", "") + "\n").encode()
    assert read(io.BytesIO(text), trees="ignored").heads.tolist() == [-1, -1]
    with pytest.raises(InputError):
        read(io.BytesIO(text), trees=trees)


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("# comment\n", "conllu"),
        (token_line(1), "conllu"),
        (token_line("1-2").replace("NOUN", "N"), "conllu"),
        (token_line(1).replace("NOUN", "N"), "conllx"),
        (token_line(1, misc="SpaceAfter=No").replace("NOUN", "N"), "conllu"),
        (token_line(1).replace("NOUN", "N").replace("NN\t_", "NN\tPerson=1|Number[psor]=Sing"), "conllu"),
        (token_line(1).replace("NOUN", "N").replace("NN\t_", "NN\tCase=1|Num=Sing|number=Sing"), "conllx"),
        (token_line(1).replace("NOUN", "N").replace("NN\t_", "NN\tnum=s|gen=m"), "conllx"),
        (token_line(1).replace("NOUN", "N").replace("root\t_", "root\t0:root"), "conllu"),
        (token_line(1) + token_line(2).replace("NOUN", "N"), "conllx"),
        ("", "conllx"),
    ],
)
def test_detection(text: str, format: Format) -> None:
    assert detect(text) == detect("\ufeff" + text.replace("\n", "\r\n")) == format


@pytest.mark.parametrize("format", ["conllu", "conllx"])
def test_a_treebank_knows_what_it_was_read_as(format: Format, tmp_path: Path) -> None:
    (tmp_path / "named.conllu").write_text(token_line(1) + "\n", "utf-8")
    treebank = read(tmp_path / "named.conllu", format=format)
    assert treebank.source is not None
    assert treebank.source.format == format
    assert convention_of(treebank) == {"conllu": "ud", "conllx": "conllx"}[format]


@pytest.mark.parametrize("name", ["a.conllx", "A.CONLLX", "A.CoNLLx.GZ"])
def test_the_suffix_of_a_format_may_be_in_capitals(name: str) -> None:
    assert format_of(name, b"# a comment\n" + token_line(1).encode()) == "conllx"


@given(texts(), st.integers(0, 3))
def test_lines_keep_their_numbers_behind_what_is_skipped(text: bytes, n: int) -> None:
    assume(not text.startswith(b"\xef\xbb\xbf"))
    bad = b"1\tno\n\n" * n
    treebank, faults = parse_chunk(chunk_of(bad + text), on_error="skip")
    assert len(faults) == n
    assert places(treebank) == [(path, line + 2 * n) for path, line in places(parse_chunk(chunk_of(text))[0])]
    assert dumps(treebank).encode() == text


@pytest.mark.parametrize("on_error", ["skip", "keep"])
def test_if_no_sentence_is_left_the_first_fault_is_raised(on_error: OnError) -> None:
    with pytest.raises(InputError, match=r"^line 2, sentence 1: .*found '7'"):
        read(
            io.BytesIO(("\n" + token_line(1, 7) + "\n" + token_line(9) * (on_error == "keep")).encode()),
            on_error=on_error,
        )


@pytest.mark.parametrize("form", ["a", "a" * 5000, "a\0b"], ids=["a name", "too long for a name", "no name"])
def test_a_text_is_told_from_the_name_of_a_file(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = token_line(1).replace("form", form)
    for same in (text, text.removesuffix("\n")):
        assert loads(same).words[-1].form == form
    if form == "a":
        for name in (text, text.removesuffix("\n")):
            Path(name).touch()
        assert loads(text).n_tokens == 1  # no file has such a name by chance
        with pytest.raises(InputError, match=r"expected a text, and .* is the name of a file"):
            loads(text.removesuffix("\n"))


NAMES = {field: mark.partition("=")[0] for field, mark in MARKS.items()}
marks_of_a_token = st.dictionaries(st.sampled_from([*NAMES]), st.sampled_from(["0", "1", "0.25", "1.00", "5e-1"]))


@settings(max_examples=40)
@given(st.lists(marks_of_a_token, min_size=1, max_size=3), st.sampled_from(["conllu", "conllx"]))
def test_marks_are_those_that_every_token_with_a_head_has(tokens: list[dict[str, str]], format: Format) -> None:
    miscs = ["|".join(["Gloss=2", *(f"{NAMES[field]}={number}" for field, number in own.items())]) for own in tokens]
    text = "".join(token_line(i, i - 1, misc=misc) for i, misc in enumerate(miscs, 1))
    text += token_line(len(tokens) + 1, "_", "_", "Support=2")
    found = read(io.BytesIO(text.encode()), format=format, trees="partial", marks=True).marks
    assert {field: str(column.tolist()) for field, column in found.items()} == {
        field: str([0.0, *(float(own.get(field, "nan")) for own in tokens), 0.0])
        for field in NAMES
        if format == "conllu" and (any if field == "tag_confidence" else all)(field in own for own in tokens)
    }


@pytest.mark.parametrize("number", ["-0.01", "1.01", "nan", "x", ""])
@pytest.mark.parametrize("name", [*NAMES.values()])
def test_a_mark_that_is_no_number_from_0_to_1_is_refused(name: str, number: str) -> None:
    text = token_line(1, misc=f"{name}=1") + token_line(2, 1, misc=f"a|{name}={number}")
    with pytest.raises(InputError, match=f"line 2.*expected {name}=NUMBER from 0 to 1 in MISC, found {name}={number}"):
        read(io.BytesIO(text.encode()), format="conllu", marks=True)


@pytest.mark.parametrize("choice", [{"trees": "all"}, {"format": "conll"}])
def test_another_word_for_a_choice_of_the_reader_is_refused(choice: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"unknown .*; .*known: "):
        loads("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n", **choice)


@pytest.mark.parametrize("name", ["a\nb.conllu", "a\tb.conllu"])
def test_a_name_may_have_a_line_feed_or_a_tab(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with pytest.raises(InputError, match="expected the path of a file, found the text"):
        read(str(path))
    path.write_text(token_line(1) + "\n")
    assert len(read(str(path))) == 1


@pytest.mark.parametrize("trees", ["partial", "partial-rooted", "labels"])
def test_a_token_without_a_head_has_its_label_if_that_is_not_an_underscore(trees: Trees) -> None:
    labels = ["_", "x", "_x", "x_", "__"]
    lines = [f"{i}\tw\t_\t_\t_\t_\t_\t{label}\t_\t_" for i, label in enumerate(labels, 1)]
    treebank = loads("\n".join(lines) + "\n\n", format="conllu", trees=trees)
    assert [treebank.labels[i] if i >= 0 else "_" for i in treebank.deprels[1:].tolist()] == labels
    assert "_" not in treebank.labels


STANDARD = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"


@pytest.mark.parametrize("format", ["auto", "conllu"])
@pytest.mark.parametrize("before", ["", "\ufeff", "# a = b\n", "# a\r\n", f"# {'a' * 9000}\n"])
def test_columns_of_conllu_plus_are_those_of_conllu(before: str, format: Any) -> None:
    token = "\n1\ta\tb\tX\t_\t_\t0\troot\t_\t_\n\n"
    known = f"{before}# global.columns = {STANDARD}{token}".encode()
    assert read(io.BytesIO(known), format=format).n_tokens == 1
    assert len([*chunks(io.BytesIO(known), format=format, n_bytes=7)]) == 1
    for names in (STANDARD.replace("FORM LEMMA", "LEMMA FORM"), "ID FORM"):
        text = f"{before}# global.columns = {names}{token}".encode()
        expected = f"expected the columns {STANDARD}, found {names}; convert the file to CoNLL-U"
        with pytest.raises(InputError, match=expected):
            read(io.BytesIO(text), format=format)
        with pytest.raises(InputError, match=expected):
            list(chunks(io.BytesIO(text), format=format, n_bytes=7))
