r"""The plain text of a treebank: from forms, multiword tokens, and what MISC says of spaces.

Spaces are written as UDPipe writes them: ``SpaceAfter=No``; ``SpacesAfter=`` and ``SpacesBefore=`` with the spaces
themselves, where they are not one space; ``SpacesInToken=`` with the token as it stands in the text, where FORM cannot
hold it. In their values ``\s \t \r \n \p \\`` stand for space, tab, carriage return, line feed, ``|`` and ``\``. What
no line of CoNLL-U should have in it, such as other spaces, control characters and bytes that are not UTF-8, is ``\x``
with two hexadecimal digits for each byte. A text, or a stretch of it, that has spaces alone is a comment,
``# spaces =``, in a block of its own. So every text, of any bytes, can be rebuilt.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from treevote.conll.chunks import chunks
from treevote.conll.reader import parse_chunk
from treevote.corpus.source import BLANK, is_new_paragraph
from treevote.files.streams import Readable

SPACES = "# spaces = "  # comment with a stretch of a text that has no token

_LETTERS = {" ": r"\s", "\t": r"\t", "\r": r"\r", "\n": r"\n", "|": r"\p", "\\": r"\\"}
_BYTES = {escape[1]: character.encode() for character, escape in _LETTERS.items()}
_PLAIN = dict.fromkeys("\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029", " ") | {end: end for end in "\t\r\n"}
_ESCAPED = re.compile(
    "[ \t\r\n|\\\\\x00-\x1f\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\ud800-\udfff]"
)
_UNESCAPED = re.compile(rb"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_BROKEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def escape(text: str) -> str:
    r"""Return a stretch of text as a value in MISC; bytes that are not UTF-8 are half surrogates.

    >>> print(escape(" \n|\x00\udcff"))
    \s\n\p\x00\xFF
    """
    return _ESCAPED.sub(lambda match: _LETTERS.get(match[0]) or _hexadecimal(match[0]), text)


def _hexadecimal(character: str) -> str:
    return "".join(f"\\x{byte:02X}" for byte in encoded(character))


def encoded(text: str) -> bytes:
    """Return the bytes of a text, also of one that is no valid Unicode."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def unescape(value: str) -> bytes:
    r"""Return the bytes of a value in MISC; an unknown escape stands for itself.

    Some treebanks have ``\u`` with four hexadecimal digits, for a character.

    >>> unescape(r"a\b"), unescape(r"\u00A0")
    (b'a\\b', b'\xc2\xa0')
    """
    return _UNESCAPED.sub(_unescaped, encoded(value)) if "\\" in value else encoded(value)


def _unescaped(match: re.Match[bytes]) -> bytes:
    letter = match.group(1).decode("utf-8", "replace")
    if len(letter) == 3:
        return bytes([int(letter[1:], 16)])
    if len(letter) == 5:
        return encoded(chr(int(letter[1:], 16)))
    return _BYTES.get(letter, match.group())


def form_of(text: str) -> str:
    r"""Return a token as FORM: its spaces are one space each, and what no line should have in it is U+FFFD.

    >>> form_of("a\n b"), form_of("a\x00b"), form_of("\x1f")
    ('a b', 'a\ufffdb', '\ufffd')
    """
    if text and text.isprintable() and " " not in text:  # nearly all tokens
        return text
    return _BROKEN.sub("\ufffd", " ".join(text.split())) or "\ufffd"


def plain(text: str) -> str:
    r"""Return a text of the same length without characters on which other programs stumble.

    Ends of lines other than ``\n`` and ``\r`` become spaces, control characters and half surrogates U+FFFD.
    """
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    return _BROKEN.sub(lambda match: _PLAIN.get(match[0], "\ufffd"), text)


@dataclass
class PlainText:
    r"""Builds the text of a treebank, some sentences at a time.

    Without spaces in MISC, sentences are one space apart, and paragraphs (``# newpar``, ``# newdoc``) a blank line; the
    text ends with a line feed. With ``lines`` each sentence is on a line of its own, whatever MISC says of the spaces
    around it. ``different`` counts the ``sentences`` whose comment ``# text`` says something else; ``first_different``
    is the ``sent_id`` of the first of them, else its number.

    >>> text = PlainText()
    >>> text.add(["1\tHi" + "\t_" * 7 + "\tSpaceAfter=No", "2\t!" + "\t_" * 8, ""]) + text.end()
    b'Hi!\n'
    """

    lines: bool = False
    sentences: int = 0
    different: int = 0
    first_different: str = ""
    _after: bytes | None = None
    _is_explicit: bool = False

    def add(self, lines: Iterable[str]) -> bytes:
        """Return the text of whole sentences without faults; the spaces after the last one are not known yet."""
        blocks = itertools.groupby((line.rstrip("\r") for line in lines), key=lambda line: not line.strip(BLANK))
        return b"".join(self._sentence(list(block)) for is_blank, block in blocks if not is_blank)

    def end(self) -> bytes:
        """Return the end of the text."""
        return b"" if self._after is None else self._after if self._is_explicit else b"\n"

    def _sentence(self, lines: Sequence[str]) -> bytes:
        """Return what is known at the end of a sentence, or of a block of comments."""
        comments, tokens = [line for line in lines if line.startswith("#")], list(_tokens(lines))
        spaces = [unescape(comment.removeprefix(SPACES)) for comment in comments if comment.startswith(SPACES)]
        if not tokens:
            return b"" if self.lines or not spaces else self._between(is_new=False) + b"".join(spaces)
        is_new = is_new_paragraph(comments)
        parts = [] if self.lines else [self._between(is_new=is_new)]
        plain = []
        for i, (form, misc) in enumerate(tokens):
            items = dict(item.split("=", 1) for item in misc.split("|") if "=" in item)
            if before := items.get("SpacesBefore"):
                parts.append(b"" if self.lines and not i else unescape(before))
            parts.append(unescape(items["SpacesInToken"]) if "SpacesInToken" in items else encoded(form))
            explicit = items.get("SpacesAfter")
            after = b"" if items.get("SpaceAfter") == "No" else b" "
            self._after, self._is_explicit = (after, not after) if explicit is None else (unescape(explicit), True)
            plain.append(form + (" " if self._after else ""))
            if i < len(tokens) - 1:
                parts.append(self._after)
        if self.lines:
            self._after, self._is_explicit = None, False
            parts.append(b"\n")
        self.sentences += 1
        text, stated = "".join(plain), _named("# text = ", comments)
        if stated is not None and stated != text and _bare(stated) != _bare(text):
            self.different += 1
            self.first_different = self.first_different or _named("# sent_id = ", comments) or str(self.sentences)
        return b"".join(parts)

    def _between(self, *, is_new: bool) -> bytes:
        """Return the spaces after the sentence before."""
        after, explicit = self._after, self._is_explicit
        self._after = None
        if after is None:
            return b""
        return b"\n\n" if is_new and (not explicit or not after) else after


def _tokens(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield FORM and MISC of the tokens of a sentence, a multiword token as one, without empty nodes."""
    covered = 0  # the last word of the multiword token before
    for columns in (line.split("\t") for line in lines if not line.startswith("#")):
        number, _, last = columns[0].partition("-")
        if "." not in number and int(number) > covered:
            covered = int(last or 0)
            yield columns[1], columns[9]


def _named(name: str, comments: Sequence[str]) -> str | None:
    """Return the value of a comment."""
    return next((comment.removeprefix(name) for comment in comments if comment.startswith(name)), None)


_LONG_RUN = re.compile(r"[^\0-\u02ff]{31}")


def _bare(text: str) -> str:
    """Return a text with single spaces, in normal form C unless a character has more than thirty marks.

    To order the marks of one character takes time that grows with the square of their number. Texts in the
    stream-safe format (Unicode Standard Annex 15, section 13) have no more.
    """
    bare = " ".join(text.split())
    is_long = any(all(map(unicodedata.combining, run)) for run in _LONG_RUN.findall(bare))
    return bare if is_long else unicodedata.normalize("NFC", bare)


def text_of(source: Readable, text: PlainText | None = None) -> Iterator[bytes]:
    """Yield the text of a CoNLL-U file, in constant memory; ``text`` counts the sentences."""
    building = PlainText() if text is None else text
    for chunk in chunks(source, format="conllu"):
        parse_chunk(chunk, trees="ignored")  # raises the first fault
        yield building.add(chunk.bare_text.decode().split("\n"))
    yield building.end()
