"""Running text in chunks of whole paragraphs: memory does not grow with the length of the file, nor of a paragraph.

A text is cut into stretches at blank lines, or at every line; each is read alone, so that no result depends on the
length of the chunks. A stretch keeps the spaces after it. One that is longer than ``MAX_STRETCH`` is cut at the end of
a sentence, else at a space, else anywhere between two characters.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

from treevote.conll.chunks import Chunk, chunks
from treevote.conll.validation import DETECTION_BYTES, require_utf8
from treevote.corpus.treebank import Format
from treevote.errors import InputError, require_known
from treevote.files.encodings import UTF8, not_utf8
from treevote.files.streams import Readable, is_stream, opened, uncompressed

TextFormat: TypeAlias = Literal["text", "lines"]  # paragraphs that end with a blank line; or each line is a sentence
AnyFormat: TypeAlias = Format | TextFormat | Literal["auto"]  # of a file to be parsed; see `text_format` for "auto"

MAX_STRETCH = 1 << 13  # maximum length in bytes of a stretch without a blank line, and of spaces without anything else
MAX_SPACES = 1 << 10  # maximum length in bytes of the spaces at the front of a stretch, and after it

_SPACES = re.compile(rb"[ \t\n\r\v\f]*")
_PARAGRAPH_END = re.compile(rb"\r?\n[ \t\r\v\f]*\n[ \t\n\r\v\f]*")
_LINE_END = re.compile(rb"\r?\n[ \t\n\r\v\f]*")
_ENDS = {"text": _PARAGRAPH_END, "lines": _LINE_END}
_CLOSERS = "|".join(re.escape(mark) for mark in "\"')]”’»」』）】〉》｣")
_SENTENCE_END = re.compile(  # the last one; no space follows the full stop of Chinese and Japanese
    f".*(?:[.!?](?:{_CLOSERS})*[ \t\n\r\v\f]|(?:。|！|？|｡)(?:{_CLOSERS})*[ \t\n\r\v\f]*)".encode(), re.DOTALL
)
_SPACE = re.compile(rb".*[ \t\n\r\v\f]", re.DOTALL)

# The first line that is neither blank nor a comment: a token, a range or an empty node. Lines end with LF or CR.
_COLUMNS = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:(?:[ \t\r]*\n|#.*\n)*+|(?:[ \t]*\r|#[^\r\n]*\r)*+)(?:1|1-\d+|0\.1)\t[^\t\n]+\t.*\t"
)


class TextSpan(NamedTuple):
    """A piece of a text: the name of its sentences (empty for spaces alone), its bytes, and what begins with it."""

    name: str
    text: bytes
    opens: Literal["text", "paragraph", "nothing"]


@dataclass(frozen=True, slots=True)
class TextChunk:
    """Consecutive spans of a running text; those of all chunks together are the text.

    ``bytes_read`` is how much of the file, compressed or not, was read when the chunk was cut; ``document`` is the id
    of the text (`treevote.conll.corpora.document_ids`), or empty. ``first_line`` counts from 1 in the file.
    """

    path: str
    stretches: tuple[TextSpan, ...]
    format: TextFormat
    bytes_read: int = 0
    document: str = ""
    first_line: int = 1

    @property
    def text(self) -> bytes:
        """The stretches, one after the other."""
        return b"".join(stretch.text for stretch in self.stretches)

    def __len__(self) -> int:
        """Return the length of the text in bytes."""
        return sum(len(stretch.text) for stretch in self.stretches)


def text_chunks(
    source: Readable, *, format: TextFormat = "text", n_bytes: int = 1 << 20, document: str = "", encoding: str = UTF8
) -> Iterator[TextChunk]:
    """Cut a running text into chunks of about ``n_bytes``, reading no further than needed.

    A text in another encoding is read as UTF-8. Bytes that are not in UTF-8, if that is the encoding, stay as they are;
    UTF-16 and UTF-32 in its place are an InputError. The names of all stretches
    begin with ``document``.
    """
    with opened(source, encoding) as (stream, path, bytes_read):
        stretches: list[TextSpan] = []
        size, line = 0, 1
        for stretch in _stretches(stream, path, _ENDS[format], document):
            stretches.append(stretch)
            size += len(stretch.text)
            if size >= n_bytes:
                yield TextChunk(path, tuple(stretches), format, bytes_read(), document, line)
                line += sum(stretch.text.count(b"\n") for stretch in stretches)
                stretches, size = [], 0
        if stretches:
            yield TextChunk(path, tuple(stretches), format, bytes_read(), document, line)


def utf8_checked(chunks: Iterable[TextChunk], warn: Callable[[str], object]) -> Iterator[TextChunk]:
    """Yield the chunks of a text; ``warn`` is called with the first place that is not UTF-8, if there is one."""
    doubtful = False
    for chunk in chunks:
        if not doubtful and (reason := not_utf8(chunk.text, chunk.first_line)):
            doubtful = True
            warn(f"{chunk.path}: {reason}")
        yield chunk


def text_chunk(text: bytes, *, format: TextFormat = "text") -> TextChunk:
    """Return a whole text as one chunk; bytes that look compressed are taken as they are."""
    return TextChunk("", tuple(_stretches(io.BytesIO(text), "", _ENDS[format], "")), format, len(text))


def _stretches(stream: Readable, path: str, end: re.Pattern[bytes], document: str) -> Iterator[TextSpan]:
    front = f"{document}-" if document else ""
    letter, apart = ("s", 1) if end is _LINE_END else ("p", 2)  # so many line feeds are between two of them
    rest, at, more = b"", 0, True
    number = part = feeds = 0  # line feeds since the last text
    while more or at < len(rest):
        if more and len(rest) - at < MAX_STRETCH + MAX_SPACES:
            block = stream.read(1 << 16)  # type: ignore[union-attr]
            if not rest and not number:
                require_utf8(block[: 1 << 12], path, columns=False)
            more = bool(block)
            rest, at = rest[at:] + block, 0
            continue
        stop = _stretch_end(rest, at, end)
        text = rest[at:stop]
        at = stop
        content = text.strip(b" \t\n\r\v\f")
        if not content:
            feeds += text.count(b"\n")
            yield TextSpan("", text, "nothing")
            continue
        before, _, behind = text.partition(content)
        is_new = not number or feeds + before.count(b"\n") >= apart
        feeds = behind.count(b"\n")
        number, part = (number + 1, 1) if is_new else (number, part + 1)
        name = f"{front}{letter}{number}" + f".{part}" * (part > 1)
        yield TextSpan(name, text, ("text" if number == 1 else "paragraph") if is_new else "nothing")


def _stretch_end(text: bytes, at: int, end: re.Pattern[bytes]) -> int:
    """Return where the stretch ends that begins at a position; spaces after it may lie behind ``MAX_STRETCH``."""
    limit = min(at + MAX_STRETCH, len(text))
    match = _SPACES.match(text, at, limit)
    content = at if match is None else match.end()
    if content - at > MAX_SPACES or content == limit:
        return content
    found = end.search(text, content, limit + MAX_SPACES)
    if found and found.start() <= limit:
        return min(found.end(), found.start() + MAX_SPACES)
    if limit == len(text):
        return limit
    half = at + MAX_STRETCH // 2
    for pattern in (_SENTENCE_END, _SPACE):
        if cut := pattern.match(text, half, limit):
            return cut.end()
    while limit > half and text[limit] & 0xC0 == 0x80:  # within a character
        limit -= 1
    return limit


def any_chunks(
    source: Readable, *, format: AnyFormat = "auto", n_bytes: int = 1 << 20, document: str = "", encoding: str = UTF8
) -> Iterator[Chunk | TextChunk]:
    """Cut a treebank (`treevote.conll.chunks.chunks`) or a running text (`text_chunks`) into chunks."""
    require_known("format", format, ["auto", *get_args(Format), *get_args(TextFormat)])
    named = isinstance(source, str | os.PathLike)
    name: str = os.fspath(source) if named else str(getattr(source, "name", ""))  # type: ignore[arg-type]
    text = text_format(name, format, encoding)
    if text is not None:
        return text_chunks(source, format=text, n_bytes=n_bytes, document=document, encoding=encoding)
    return chunks(source, format=cast("Format | Literal['auto']", format), n_bytes=n_bytes, encoding=encoding)


def text_format(path: str, format: AnyFormat, encoding: str = UTF8) -> TextFormat | None:
    """Return the format of a running text; None if a file is a treebank.

    ``"auto"`` is running text if the name ends with ``.txt``, compressed or not, and the file does not begin with
    columns, behind blank lines and comments. A pipe, which can be read once, goes by its name.
    """
    if format in ("text", "lines"):
        return "lines" if format == "lines" else "text"
    if format != "auto" or not uncompressed(path).lower().endswith(".txt"):
        return None
    if is_stream(path):
        return "text"
    try:
        with opened(path, encoding) as (stream, _, _):
            front = stream.read(DETECTION_BYTES)
    except InputError:  # which reading will tell
        return None
    return None if _COLUMNS.match(front) else "text"
