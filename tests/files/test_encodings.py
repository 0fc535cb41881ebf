"""Encodings: content in any of them is read as UTF-8, and of content that is not UTF-8 the likely one is named."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote.errors import InputError
from treevote.files import encodings
from treevote.files.encodings import guessed, not_utf8, recoded

letters = st.text(st.sampled_from("aéô \n"), max_size=12)  # not UTF-8 in any order, as "’é" of Mac Roman is


@given(letters, st.sampled_from(["utf-8-sig", "utf-16", "utf-8", "windows-1252", "mac-roman"]), st.integers(1, 4))
def test_content_is_recoded_whatever_the_blocks(text: str, encoding: str, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encodings, "_BLOCK", size)
        assert b"".join(recoded(io.BytesIO(text.encode(encoding)), encoding, "a.txt")) == text.encode()


@pytest.mark.parametrize("size", [1, 3, 99])
def test_a_byte_order_mark_is_left_out_at_the_start_alone(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "_BLOCK", size)
    for text in ("\ufeffa\ufeff", "\ufeff\ufeffa"):
        assert b"".join(recoded(io.BytesIO(text.encode()), "utf-8", "")) == text[1:].encode()


@given(
    st.text("aéő’語🌳 ", min_size=1).filter(lambda text: not text.isascii()),
    st.sampled_from(["windows-1250", "windows-1252", "latin-1", "mac-roman", "cp1251", "ascii"]),
    st.integers(1, 4),
)
def test_utf8_is_not_read_as_an_encoding_of_one_byte_a_character(text: str, encoding: str, size: int) -> None:
    size = size if encoding == "mac-roman" else 99  # the others do not have all the bytes of a character that is cut
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encodings, "_BLOCK", size)
        with pytest.raises(
            InputError, match=f"^a.txt: expected {encoding}, found UTF-8; leave out --encoding, or convert"
        ):
            b"".join(recoded(io.BytesIO(text.encode()), encoding, "a.txt"))


@pytest.mark.parametrize("text", ["Příliš žluťoučký kůň", "árvíztűrő tükörfúrógép", "zażółć gęślą jaźń", "e"])
@pytest.mark.parametrize("encoding", ["windows-1250", "iso-8859-2", "mac-latin2"])
def test_text_in_a_central_european_language_is_read_in_its_encoding(text: str, encoding: str) -> None:
    assert b"".join(recoded(io.BytesIO(text.encode(encoding)), encoding, "a.txt")) == text.encode()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_text_without_a_byte_order_mark_needs_the_order_in_its_name(encoding: str) -> None:
    data = "Dogs bark".encode(f"{encoding}-le")
    problem = f"^a.txt: expected {encoding}, found no byte order mark; name {encoding}-le or {encoding}-be"
    with pytest.raises(InputError, match=problem):
        b"".join(recoded(io.BytesIO(data), encoding, "a.txt"))
    assert b"".join(recoded(io.BytesIO(data), f"{encoding}-le", "a.txt")) == b"Dogs bark"


@pytest.mark.parametrize("encoding", ["iso-8859-1", "iso-8859-15", "windows-1252", "ascii"])
def test_a_byte_that_is_no_letter_is_refused(encoding: str) -> None:
    for byte in range(0x80, 0x100):
        blocks = recoded(io.BytesIO(b"a\n" + bytes([byte])), encoding, "a.txt")
        is_control = byte < 0xA0 and byte != 0x85
        refused = {"ascii": True, "windows-1252": byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}.get(encoding, is_control)
        if refused:
            with pytest.raises(InputError, match=f"^a.txt: expected {encoding}, found the byte 0x{byte:X}"):
                b"".join(blocks)
        else:
            assert b"".join(blocks) == b"a\n" + bytes([byte]).decode(encoding).encode()


@pytest.mark.parametrize(
    "text",
    [
        "L’eau déjà bue",
        "« Où ? »",
        "I’m here – “yes” …",
        "Ärger und Öl, ÄRGER",
        "¿Qué?",
        "café",
        "1\u00a0000 cafés",
        "naïve Äpfel: 20°",
        "Ça va, DÉJÀ",
    ],
)
@pytest.mark.parametrize("encoding", ["windows-1252", "mac-roman"])
def test_the_likely_encoding_is_that_of_the_text(text: str, encoding: str) -> None:
    content = text.encode(encoding)
    is_latin = encoding == "windows-1252" and all(not 0x80 <= byte < 0xA0 for byte in content)
    named = "latin-1" if is_latin else encoding
    assert guessed(content) == named
    said = not_utf8(b"\n" + content, 7)
    assert said is not None
    assert said.startswith("it is not UTF-8: line 8, byte 0x")
    assert f"; it looks like {named} (" in said
    assert said.endswith(": convert it to UTF-8, or parse it with --encoding and the right one")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Potom se můj starý přítel zastavil u okna a dlouho se díval na ulici.", "windows-1250"),
        ("Potom se můj starý přítel zastavil u okna a šel domů, protože měl žízeň.", "windows-1250"),
        ("A fiú egy hosszú levelet írt a testvérének, de végül nem küldte el, mert esős volt az idő.", "windows-1250"),
        ("Wczoraj spotkałem moją siostrę, która śpiewała w chórze i była bardzo szczęśliwa.", "windows-1250"),
        ("Potom se můj starý přítel zastavil u okna a šel domů, protože měl žízeň.", "iso-8859-2"),
        ("Wczoraj spotkałem moją siostrę, która śpiewała w chórze i była bardzo szczęśliwa.", "iso-8859-2"),
    ],
)
def test_the_encoding_of_a_central_european_text_is_among_those_named(text: str, encoding: str) -> None:
    named = re.search(r"looks like \S+ \((.*) in Czech, Hungarian, Polish", not_utf8(text.encode(encoding)) or "")
    assert named
    assert encoding in named[1]


def test_the_price_in_euros_is_of_windows() -> None:
    assert guessed("20 €".encode("windows-1252")) == "windows-1252"


@given(st.integers(1, 40), st.integers(0, 12))
def test_a_text_of_two_encodings_has_a_good_part_in_utf8(broken: int, good: int) -> None:
    text = b"\xe9 " * broken + "é ".encode() * good
    assert (guessed(text) is None) == (4 * good > broken)


@given(st.text("aé語🌳", min_size=1), st.data())
def test_a_text_that_was_cut_off_is_told_from_one_of_two_encodings(text: str, data: st.DataObject) -> None:
    content = b"\xc3\xa9 " * 3 + text.encode()
    said = not_utf8(content[: data.draw(st.integers(9, len(content)))])
    assert said is None or said.endswith("it ends within this character: get the rest of the text")


@pytest.mark.parametrize(("n_ascii", "says"), [(2, "it looks like"), (1, "such as cp1251")])
def test_a_third_of_letters_beyond_ascii_is_no_language_in_latin_letters(n_ascii: int, says: str) -> None:
    assert re.search(says, not_utf8(b"\xe9" + b"a" * n_ascii) or "")


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [(b"\xe9t\xe9", 1, "�t�"), (b"a b\xe9c d", 1, "b�c"), (b"a\n\nb \xe9c", 3, "�c")],
)
def test_the_first_place_is_named(text: bytes, line: int, word: str) -> None:
    said = not_utf8(text)
    assert said is not None
    assert said.startswith(f"it is not UTF-8: line {line}, byte 0xe9 in '{word}'")


def test_a_text_in_utf8_has_nothing_to_say() -> None:
    assert not_utf8("é".encode()) is None


def test_a_codec_that_replaces_nothing_is_told() -> None:
    with pytest.raises(InputError, match="expected punycode"):
        b"".join(recoded(io.BytesIO("né".encode()), "punycode", "a.txt"))
