"""Encodings of text: content in another one is read as UTF-8; of content that is not UTF-8, a guess what it is."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

from treevote.errors import ConfigError, InputError

UTF8 = "utf-8"

_BLOCK = 1 << 16
_UTF8 = "é語".encode()  # two characters of five bytes
_SINGLE_BYTE = ("windows-1252", "mac-roman")
_CENTRAL = {"latin-1": "iso-8859-2 or windows-1250", "windows-1252": "windows-1250", "mac-roman": "mac-latin2"}
_BROKEN = re.compile("[\udc80-\udcff]")
_CONTROLS = re.compile("[\x80-\x84\x86-\x9f]")  # of ISO 8859; Windows-1252 has the euro sign, quotes and dashes there
_QUOTES = "‘’‚“”„«»‹›¿¡–—…"
_BESIDE = 3  # bytes on each side of one that is not UTF-8, on which a guess depends


def is_utf8(name: str) -> bool:
    """Tell whether an encoding is UTF-8; ConfigError for a name that Python does not know.

    >>> is_utf8("UTF8"), is_utf8("mac roman")
    (True, False)
    """
    try:
        b"a".decode(name, "replace")  # LookupError also for a codec that is no encoding of text
        return codecs.lookup(name).name == UTF8
    except (LookupError, TypeError, ValueError):
        raise ConfigError(
            f"the encoding {name!r} is unknown; name one such as iso-8859-2, windows-1252, mac-roman or utf-16"
        ) from None


def utf8_of(text: object) -> bytes:
    """Return the bytes of a text, see ``surrogateescape``; InputError if it is no string, or cannot be UTF-8."""
    if not isinstance(text, str):
        raise InputError(f"expected a text, found {type(text).__name__}", remedy="give a string")
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as fault:
        problem = f"expected a text that can be UTF-8, found half of a character at {fault.start}"
        raise InputError(problem, remedy="correct it") from None


def recoded(stream: BinaryIO, encoding: str, path: str) -> Iterator[bytes]:
    r"""Yield content in an encoding as UTF-8, block by block, without a byte order mark.

    InputError where a byte does not belong to the encoding, or is a control character of ISO 8859 that no text has; and
    for an encoding of one byte a character, where the first block with other characters than ASCII is UTF-8.

    >>> import io
    >>> b"".join(recoded(io.BytesIO("né".encode("utf-16")), "utf-16", "new.txt")).decode()
    'né'
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    utf8 = codecs.getincrementaldecoder(UTF8)()
    may_be_utf8 = False
    with suppress(UnicodeError):  # of codecs that replace nothing
        may_be_utf8 = len(_UTF8.decode(encoding, "replace")) == len(_UTF8)  # each byte is a character
    controls = _CONTROLS if codecs.lookup(encoding).name.startswith("iso8859") else None
    more = at_start = True
    while more:
        block = stream.read(_BLOCK)
        more = bool(block)
        if may_be_utf8:
            try:
                is_ascii = utf8.decode(block, final=not block).isascii()
            except UnicodeDecodeError:
                may_be_utf8 = False
            else:
                if not is_ascii:
                    remedy = "leave out --encoding, or convert the file by another program"
                    raise InputError(f"expected {encoding}, found UTF-8", path=path, remedy=remedy)
        try:
            text = decoder.decode(block, final=not block)
            if at_start and text:
                text, at_start = text.removeprefix("\ufeff"), False
            data = text.encode()
        except UnicodeError as error:
            found, remedy = "", "name the encoding of the file"
            if isinstance(error, UnicodeDecodeError):
                wrong = error.object[error.start : error.end][:4]
                found = ", found the byte " + " ".join(f"0x{byte:02X}" for byte in wrong)
            elif at_start and "BOM" in str(error):
                found, remedy = ", found no byte order mark", f"name {encoding}-le or {encoding}-be"
            raise InputError(f"expected {encoding}{found}", path=path, remedy=remedy) from error
        if controls and (control := controls.search(text)):
            problem = f"expected {encoding}, found the byte 0x{ord(control[0]):X}, which is no letter there"
            raise InputError(problem, path=path, remedy="name the encoding of the file, such as windows-1252")
        yield data


def not_utf8(text: bytes, first_line: int = 1) -> str | None:
    r"""Return the first place of a text that is not UTF-8, and the remedy; None if all of it is.

    ``first_line`` is the number of its first line in the file, from 1.

    >>> not_utf8("un café noir".encode("latin-1"))
    "it is not UTF-8: line 1, byte 0xe9 in 'caf\ufffd'; it looks like latin-1 (iso-8859-2 or ..."
    >>> not_utf8("forêt".encode("mac-roman"))
    "it is not UTF-8: line 1, byte 0x90 in 'for\ufffdt'; it looks like mac-roman (mac-latin2 in ..."
    >>> not_utf8("naïve ".encode() + "café ".encode("latin-1"))
    "it is not UTF-8: line 1, byte 0xe9 in 'caf\ufffd'; other words of it are UTF-8: it was put together ..."
    >>> not_utf8("naïve café".encode()[:-1])
    "it is not UTF-8: line 1, byte 0xc3 in 'caf\ufffd'; it ends within this character: get the rest of the text"
    """
    try:
        text.decode()
        return None
    except UnicodeDecodeError as error:
        cut = error.reason == "unexpected end of data"
        before, after = text[: error.start][-20:].split(), text[error.start :][:20].split()
        inside = text[error.start - 1 : error.start].strip()
        word = ((before[-1] if inside else b"") + (after[0] if after else b"")).decode("utf-8", "replace")
        line = first_line + text.count(b"\n", 0, error.start)
        place = f"it is not UTF-8: line {line}, byte 0x{text[error.start]:x} in '{word}'"
    encoding = guessed(text)
    if encoding is None and cut:
        return f"{place}; it ends within this character: get the rest of the text"
    if encoding is None:
        return f"{place}; other words of it are UTF-8: it was put together from two encodings, convert the parts apart"
    if 3 * sum(byte > 0x7F for byte in text) > len(text):  # no language in Latin letters
        return f"{place}; convert it to UTF-8, or parse it with --encoding, such as cp1251, iso-8859-7 or iso-8859-2"
    likely = f"{encoding} ({_CENTRAL[encoding]} in Czech, Hungarian, Polish and the like)"
    return f"{place}; it looks like {likely}: convert it to UTF-8, or parse it with --encoding and the right one"


def guessed(text: bytes) -> str | None:
    """Return the encoding that a Western text which is not UTF-8 probably has; None if a good part of it is UTF-8.

    Of Windows-1252 and Mac Roman it is the one with more quotes, and letters whose case fits the letters beside them,
    among the characters that are not ASCII; in a tie the first; ``latin-1`` if that is enough for the bytes.
    """
    read = text.decode("utf-8", "surrogateescape")
    broken = [match.start() for match in _BROKEN.finditer(read)]
    if 4 * sum(not character.isascii() for character in read) > 5 * len(broken):
        return None
    parts = [read[max(0, at - _BESIDE) : at + _BESIDE].encode("utf-8", "surrogateescape") for at in broken[:2000]]
    best = max(_SINGLE_BYTE, key=lambda name: sum(_fitting(part.decode(name, "replace")) for part in parts))
    high = {byte for byte in text if byte > 0x7F}
    return "latin-1" if best == "windows-1252" and all(byte >= 0xA0 for byte in high) else best


def _fitting(text: str) -> int:
    """Return the number of characters beyond ASCII that are letters or quotes in place, less those out of place."""
    total = 0
    for before, character, after in zip(f" {text}", text, f"{text[1:]} ", strict=False):
        if character < "\x80":
            continue
        if character.isupper() and not (before.isalpha() or after.isalpha()):
            continue  # 0x80 of "20 €" is a letter in Mac Roman
        if character.isalpha() and character not in "ªºƒ":
            inside = character.isupper() and before.isupper() and after.islower()  # as in "IÕm"
            jump = (character.isupper() and before.islower()) or (character.islower() and after.isupper())
            total += -1 if inside or jump else 1
        elif character in _QUOTES:
            total += 1
        elif before.isalpha():
            total -= 1
    return total
