"""Text of any length: the chunks of several files.

A task is a chunk of text: reading, parsing and writing all happen where the task runs, and no treebank travels between
processes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from treevote.conll.chunks import Chunk, chunks
from treevote.conll.text_chunks import AnyFormat, TextChunk, any_chunks
from treevote.corpus.treebank import Format

CHUNK_BYTES = 1 << 19
"""Approximate length of a chunk: its transfer to a process is cheap compared with parsing it."""


class Part(NamedTuple):
    """A chunk, the number of its file, from 0, and the bytes of all files, compressed or not, read up to its end."""

    chunk: Chunk
    file: int
    bytes_read: int


def parts(
    paths: Sequence[str | os.PathLike[str]],
    *,
    format: Format | Literal["auto"] = "auto",
    n_bytes: int = CHUNK_BYTES,
) -> Iterator[Part]:
    r"""Yield the chunks of files, one file after the other; see `treevote.conll.chunks.chunks`.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile() as file:
    ...     _ = file.write(b"1\ta\n\n" * 2)
    ...     file.flush()
    ...     [(part.chunk.first_sentence, part.file, part.bytes_read) for part in parts([file.name] * 2)]
    [(1, 0, 10), (1, 1, 20)]
    """
    before = read = 0
    for file, path in enumerate(paths):
        for chunk in chunks(os.fspath(path), format=format, n_bytes=n_bytes):
            read = before + chunk.bytes_read
            yield Part(chunk, file, read)
        before = read


def any_parts(
    paths: Sequence[str | os.PathLike[str]], *, format: AnyFormat = "auto", n_bytes: int = CHUNK_BYTES
) -> Iterator[tuple[Chunk | TextChunk, int, int]]:
    """Yield the chunks of files that may be running text, with file and bytes read as in a `Part`."""
    before = read = 0
    for file, path in enumerate(paths):
        prefix = f"d{file + 1}-" if len(paths) > 1 else ""  # names of sentences differ
        for chunk in any_chunks(os.fspath(path), format=format, n_bytes=n_bytes, prefix=prefix):
            read = before + chunk.bytes_read
            yield chunk, file, read
        before = read


def size(paths: Sequence[str | os.PathLike[str]]) -> int:
    """Return the bytes of all files, compressed or not; 0 if one of them is not a regular file."""
    try:
        facts = [os.stat(path) for path in paths]
    except OSError:
        return 0
    return sum(fact.st_size for fact in facts) if all(stat.S_ISREG(fact.st_mode) for fact in facts) else 0
