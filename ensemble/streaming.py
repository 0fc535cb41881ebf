"""The chunks of several files: text of any length. A chunk is read, parsed and written where its task runs."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, Literal, NamedTuple, TypeVar

from treevote.conll.chunks import Chunk, chunks
from treevote.conll.corpora import document_ids
from treevote.conll.text_chunks import AnyFormat, TextChunk, any_chunks
from treevote.corpus.treebank import Format
from treevote.files.encodings import UTF8
from treevote.files.streams import AnyPath

CHUNK_BYTES = 1 << 19  # approximate length of a chunk: its transfer is cheap compared with parsing it
C = TypeVar("C", bound=Chunk | TextChunk)


class FileChunk(NamedTuple, Generic[C]):
    """A chunk of one of several files."""

    chunk: C
    file: int  # number of its file, from 0
    bytes_read: int  # of all files, compressed or not, up to its end


def file_chunks(paths: Sequence[AnyPath], *, format: Format | Literal["auto"] = "auto") -> Iterator[FileChunk[Chunk]]:
    r"""Yield the chunks of treebanks, one file after the other; see `treevote.conll.chunks.chunks`.

    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile() as file:
    ...     _ = file.write(b"1\ta\n\n" * 2), file.flush()
    ...     [(each.file, each.bytes_read) for each in file_chunks([file.name] * 2)]
    [(0, 10), (1, 20)]
    """
    return _counted(paths, lambda path, _: chunks(path, format=format, n_bytes=CHUNK_BYTES))


def any_file_chunks(
    paths: Sequence[AnyPath],
    *,
    format: AnyFormat = "auto",
    n_bytes: int = CHUNK_BYTES,
    encoding: str = UTF8,
    id_prefix: str = "",
) -> Iterator[FileChunk[Chunk | TextChunk]]:
    """Yield the chunks of files that may be running text; the names of all their sentences differ."""

    def cut(path: str, document: str) -> Iterator[Chunk | TextChunk]:
        return any_chunks(path, format=format, n_bytes=n_bytes, document=document, encoding=encoding)

    return _counted(paths, cut, id_prefix)


def _counted(
    paths: Sequence[AnyPath], cut: Callable[[str, str], Iterator[C]], id_prefix: str = ""
) -> Iterator[FileChunk[C]]:
    before = read = 0
    for file, (path, document) in enumerate(zip(paths, document_ids(paths, id_prefix), strict=True)):
        for chunk in cut(os.fspath(path), document):
            read = before + chunk.bytes_read
            yield FileChunk(chunk, file, read)
        before = read


def size(paths: Sequence[AnyPath]) -> int:
    """Return the bytes of all files, compressed or not; 0 if one of them is not a regular file."""
    try:
        facts = [os.stat(path) for path in paths]
    except OSError:
        return 0
    return sum(fact.st_size for fact in facts) if all(stat.S_ISREG(fact.st_mode) for fact in facts) else 0
