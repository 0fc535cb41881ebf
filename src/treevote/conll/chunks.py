"""A treebank file in chunks of whole sentences: memory does not grow with the length of the file."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from treevote.conll.scanner import Blocks, find_blocks
from treevote.conll.validation import DETECTION_BYTES, format_of, require_standard_columns, require_utf8
from treevote.corpus.source import BLANK, BOM
from treevote.corpus.treebank import Format
from treevote.errors import InputError
from treevote.files.encodings import UTF8
from treevote.files.streams import Readable, opened

MAX_SENTENCE_BYTES = 64 << 20  # maximum length of a stretch without a blank line


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a file that holds whole sentences: unchanged bytes, decompressed.

    ``path`` may be ``<stdin>`` or empty. ``first_line`` and ``first_sentence`` count from 1 in the file; ``bytes_read``
    is how much of the file, compressed or not, was read when the stretch was cut. ``blocks`` are those of `bare_text`,
    if they are known; they are not sent to other processes.
    """

    path: str
    first_line: int
    first_sentence: int
    text: bytes
    format: Format
    bytes_read: int = 0
    blocks: Blocks | None = field(default=None, repr=False, compare=False)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle all but the blocks."""
        return Chunk, (self.path, self.first_line, self.first_sentence, self.text, self.format, self.bytes_read)

    @property
    def bare_text(self) -> bytes:
        """The text without the byte order mark of the file."""
        return self.text.removeprefix(BOM) if self.first_line == 1 else self.text

    def __len__(self) -> int:
        """Return the length of the text in bytes."""
        return len(self.text)


def chunks(
    source: Readable, *, format: Format | Literal["auto"] = "auto", n_bytes: int = 1 << 20, encoding: str = UTF8
) -> Iterator[Chunk]:
    r"""Cut a file at blank lines, reading no further than needed; the texts, one after the other, are the file.

    The format ``"auto"`` is determined once by `format_of`, from the name and the first MiB. A chunk has about
    ``n_bytes``; one with a single sentence may be longer. An empty file has no chunk. InputError as of `opened`, for
    UTF-16 and UTF-32 in place of UTF-8, and where there is no blank line in 64 MiB.

    >>> text = b"1\ta\n\n1\tb\n2\tc\n\n"
    >>> [(c.first_line, c.first_sentence, c.text) for c in chunks(io.BytesIO(text), n_bytes=8)]
    [(1, 1, b'1\ta\n\n'), (3, 2, b'1\tb\n2\tc\n\n')]
    """
    with opened(source, encoding) as (stream, path, bytes_read):
        line = sentence = 1
        rest = bytearray()  # which grows in place
        more = True
        head = io.BytesIO(stream.read(DETECTION_BYTES) if format == "auto" else b"")
        if find_blocks(head.getvalue().removeprefix(BOM)).is_sentence.any() and format == "auto":
            format = format_of(path, head.getvalue())
        while more:
            block = head.read(max(n_bytes, 1)) or stream.read(max(n_bytes, 1))
            more = bool(block)
            rest += block
            if line == 1:
                require_utf8(bytes(rest[: 1 << 12]), path)
            cut = _end_of_last_sentence(rest, len(rest) - len(block)) if more else len(rest)
            if not cut:
                if len(rest) > MAX_SENTENCE_BYTES:
                    problem = f"expected a blank line after each sentence, found none in {len(rest):,} bytes"
                    raise InputError(problem, path=path, line=line, remedy="check that this is a CoNLL file")
                continue
            text = bytes(rest[:cut])
            if line == 1:
                require_standard_columns(text, path)
            del rest[:cut]
            blocks = find_blocks(text.removeprefix(BOM) if line == 1 else text)
            n_sentences = int(blocks.is_sentence.sum())
            if format == "auto" and n_sentences:
                format = format_of(path, text)
            yield Chunk(path, line, sentence, text, "conllu" if format == "auto" else format, bytes_read(), blocks)
            line += text.count(b"\n")
            sentence += n_sentences


def _end_of_last_sentence(text: bytearray, fresh: int) -> int:
    """Return where the last blank line ends, 0 if there is none; none ends before ``fresh``."""
    end = text.rfind(b"\n")
    while end >= fresh:
        start = text.rfind(b"\n", 0, end) + 1
        if not text[start:end].strip(BLANK.encode()):
            return end + 1
        end = start - 1
    return 0
