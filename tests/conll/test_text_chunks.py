"""Stretches of running text: together they are the text, their names count, long ones are cut between sentences."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote.conll.text_chunks import MAX_STRETCH, AnyFormat, TextFormat, text_chunk, text_chunks, text_format


def stretches(text: bytes, format: TextFormat, n_bytes: int = 1) -> list[tuple[str, bytes, str]]:
    """Return name, text and beginning of the stretches of a text."""
    chunks = text_chunks(io.BytesIO(text), format=format, n_bytes=n_bytes)
    return [tuple(stretch) for chunk in chunks for stretch in chunk.stretches]  # type: ignore[misc]


@given(st.text("a. \n\t", max_size=40), st.sampled_from(["text", "lines"]), st.integers(1, 20))
def test_stretches_are_the_text_however_it_is_cut(text: str, format: TextFormat, n_bytes: int) -> None:
    found = stretches(text.encode(), format, n_bytes)
    assert b"".join(part for _, part, _ in found) == text.encode()
    assert found == stretches(text.encode(), format, 1 << 20)


@pytest.mark.parametrize(("format", "letter", "end"), [("text", "p", b"\n\n"), ("lines", "s", b"\n")])
def test_names_count_paragraphs_and_their_parts(format: TextFormat, letter: str, end: bytes) -> None:
    sentence = b"One sentence of many. "
    text = b"First." + end + sentence * (3 * MAX_STRETCH // len(sentence)) + end + b"Last."
    found = stretches(text, format)
    names = [name for name, _, _ in found]
    assert names[:4] == [f"{letter}{name}" for name in ("1", "2", "2.2", "2.3")]
    parts = len(names) - 2
    assert names[4:] == [*(f"{letter}2.{part}" for part in range(4, parts + 1)), f"{letter}3"]
    assert [opens for _, _, opens in found] == ["text", "paragraph", *["nothing"] * (parts - 1), "paragraph"]


SENTENCES = {
    "Chinese": "我喜欢猫和狗，它们非常新鲜。",
    "quoted": "他说：「我喜欢猫。」",
    "Japanese": "私は猫が好きですか？",
    "English": 'She said: "I like cats." ',
    "curly": "She said: “I like cats.” ",
}


@pytest.mark.parametrize("sentence", SENTENCES.values(), ids=SENTENCES)
def test_a_long_paragraph_is_cut_between_sentences(sentence: str) -> None:
    text = (sentence * (4 * MAX_STRETCH // len(sentence.encode()))).encode()
    parts = [part for _, part, _ in stretches(text, "text")]
    assert b"".join(parts) == text
    assert len(parts) > 3
    assert all(part.decode().replace(sentence, "") == "" for part in parts)
    assert all(len(part) <= MAX_STRETCH for part in parts)


@given(
    st.lists(st.sampled_from([*SENTENCES.values(), "猫", "cat ", "\n", "\n\n", "。", "”"]), max_size=300),
    st.integers(1, 40),
)
def test_stretches_are_the_text_and_whole_characters(words: list[str], times: int) -> None:
    text = ("".join(words) * times).encode()
    parts = [part for _, part, _ in stretches(text, "text")]
    assert b"".join(parts) == text
    for part in parts:
        part.decode()


@pytest.mark.parametrize("format", ["text", "lines"])
def test_a_format_that_is_given_stays(format: TextFormat) -> None:
    assert text_format("news.conllu", format) == format


TOKEN = "1\tdogs\t_\tNOUN\n"


@pytest.mark.parametrize(
    ("text", "is_text"),
    [
        (TOKEN, False),
        (f"\ufeff# text = dogs\r\n \r\n#\n{TOKEN}", False),
        (f"1-2\tcan't\t_\t_\n{TOKEN}", False),
        (f"0.1\twho\t_\t_\n{TOKEN}", False),
        (f"A list of dogs.\n{TOKEN}", True),
        (f"# text = dogs\n\nA list.\n\n{TOKEN}", True),
        ("", True),
    ],
    ids=["token", "comments", "range", "empty node", "table", "table behind a comment", "empty"],
)
def test_a_file_of_text_that_begins_with_columns_is_a_treebank(text: str, is_text: bool, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(text, "utf-8", newline="")
    assert text_format(str(tmp_path / "a.txt"), "auto") == ("text" if is_text else None)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize(("name", "format"), [("a.conllu", "auto"), ("a.txt", "conllu"), ("a.txt", "conllx")])
def test_a_file_of_another_name_or_a_format_that_is_given_is_a_treebank(
    name: str, format: AnyFormat, tmp_path: Path
) -> None:
    (tmp_path / name).write_text("No columns.\n", "utf-8")
    assert text_format(str(tmp_path / name), format) is None


def test_a_pipe_is_a_text_by_its_name_and_is_read_once(tmp_path: Path) -> None:
    path = str(tmp_path / "a.txt")
    os.mkfifo(path)
    both = os.open(path, os.O_RDWR)  # so that no side waits for the other
    os.write(both, TOKEN.encode() * 1000)
    assert text_format(path, "auto") == "text"
    assert os.read(both, 1 << 16) == TOKEN.encode() * 1000
    os.close(both)


@pytest.mark.parametrize("letter", ["a", "ж"])
def test_text_without_spaces_is_cut_at_the_last_whole_character(letter: str) -> None:
    chunk = text_chunk((letter * 3 * MAX_STRETCH).encode())
    lengths = [len(stretch.text) for stretch in chunk.stretches]
    assert set(lengths[:-1]) == {MAX_STRETCH}
    assert all(stretch.text.decode() for stretch in chunk.stretches)
