"""Stretches of running text: together they are the text, their names count, long ones are cut between sentences."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote.conll.text_chunks import (
    MAX_SPACES,
    MAX_STRETCH,
    AnyFormat,
    TextFormat,
    text_chunk,
    text_chunks,
    text_format,
)


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


def paragraphs(text: bytes, format: TextFormat) -> list[bytes]:
    """Return the lines that are not blank, those of a paragraph as one; slow and obvious."""
    lines = text.split(b"\n")
    if format == "text":
        lines = [b"\n".join(own) for _, own in groupby(lines, key=lambda line: bool(line.strip()))]
    return [line.strip() for line in lines if line.strip()]


def require_paragraphs(text: bytes, format: TextFormat) -> None:
    """Fail unless the stretches of a text are the parts of its paragraphs, with their numbers, in any chunks."""
    found = stretches(text, format)
    assert found == stretches(text, format, 1 << 20)
    assert b"".join(part for _, part, _ in found) == text
    assert not any(part.strip() for name, part, _ in found if not name)
    names: list[str] = []
    parts, whole = 0, [b""]
    for name, part, opens in found:
        if name:
            assert opens == ("text" if not names else "nothing" if name.endswith(f".{parts + 1}") else "paragraph")
            parts = parts + 1 if opens == "nothing" else 1
            whole += [] if opens == "nothing" else [b""]
            names.append(f"{'p' if format == 'text' else 's'}{len(whole) - 1}" + f".{parts}" * (parts > 1))
        whole[-1] += part
    assert [name for name, _, _ in found if name] == names
    assert [each.strip() for each in whole[1:]] == paragraphs(text, format)


near = st.sampled_from([1, 2, MAX_SPACES, MAX_STRETCH // 2, MAX_STRETCH - MAX_SPACES, MAX_STRETCH, 2 * MAX_STRETCH])
lengths = st.builds(lambda length, more: max(1, length + more), near, st.integers(-3, 3))
contents = st.builds(
    lambda unit, length, end: ((unit * length)[:length] + end)[-length:].strip() or b"x",
    st.sampled_from([b"a", b"Words of a line ", b"A sentence. ", b"One.\nTwo.\n", b"One.\r\nTwo\r\n"]),
    lengths,
    st.sampled_from([b"", b".", b"x", b"x y"]),
)
gaps = st.builds(
    lambda feed, feeds, spaces, length: feed + spaces * length + feed * feeds,
    st.sampled_from([b"\n", b"\r\n"]),
    st.integers(0, 3),
    st.sampled_from([b" ", b"\n", b"\r\n"]),
    st.just(0) | lengths,
)


@given(st.sampled_from([b"", b"\n", b" \n\n"]), st.lists(st.tuples(contents, gaps), max_size=4))
@pytest.mark.parametrize("format", ["text", "lines"])
def test_paragraphs_are_counted_wherever_the_cut_falls(
    format: TextFormat, front: bytes, texts: Sequence[tuple[bytes, bytes]]
) -> None:
    require_paragraphs(front + b"".join(content + gap for content, gap in texts) + b"End.\n", format)


@pytest.mark.parametrize("feed", [b"\n", b"\r\n"])
@pytest.mark.parametrize(("format", "feeds"), [("text", 2), ("text", 4), ("lines", 1), ("lines", 3)])
def test_a_break_at_the_cut_is_a_break(format: TextFormat, feeds: int, feed: bytes) -> None:
    for length in range(MAX_STRETCH - 10, MAX_STRETCH + 3):
        for unit in (b"a", b"to be "):
            content = (unit * length)[: length - 1] + b"."
            text = content + feed * feeds + b"B." + feed * feeds + b"C." + feed
            require_paragraphs(text, format)
            names = [name for name, _, _ in stretches(text, format)]
            assert names[1:] == [f"{names[0][0]}2", f"{names[0][0]}3"] or length > MAX_STRETCH


@pytest.mark.parametrize(
    "gap", [b" \n" * MAX_STRETCH, b"\n" + b" " * 2 * MAX_STRETCH + b"\n", b"\n\n" + b" " * MAX_STRETCH]
)
def test_a_break_among_many_spaces_is_a_break(gap: bytes) -> None:
    for length in (1, MAX_STRETCH - 1, MAX_STRETCH, MAX_STRETCH + 1):
        require_paragraphs(b"a" * length + gap + b"B.", "text")


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
        (f"# license = MIT\n{'# ' + 'a' * 97}\n" * 99 + TOKEN, False),
        (f"\ufeff# text = dogs\n\n{TOKEN}".replace("\n", "\r"), False),
        (f"# text = a\rdog\r\n{TOKEN}", False),
        (f"A list of dogs.\n{TOKEN}", True),
        (f"A list of dogs.\r{TOKEN}", True),
        (f"# text = dogs\n\nA list.\n\n{TOKEN}", True),
        ("", True),
    ],
    ids=[
        "token",
        "comments",
        "range",
        "empty node",
        "long",
        "CR",
        "CR within",
        "table",
        "CR table",
        "table behind a comment",
        "empty",
    ],
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
