"""Files as tasks: a task holds a piece of one large file, or several small files."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from typing import Any, BinaryIO, NamedTuple, cast

from treevote.batch.joint import ChunkParse, ParseJob
from treevote.conll.chunks import Chunk
from treevote.conll.text_chunks import AnyFormat, TextChunk, any_chunks
from treevote.ensemble.streaming import CHUNK_BYTES
from treevote.errors import InputError
from treevote.files.encodings import UTF8

TASK_BYTES = CHUNK_BYTES
"""Approximate length of the text of a task: a run that is killed loses the tasks that are under way."""


class FileEnd(NamedTuple):
    """The end of a file: the checksum of its bytes, or the reason why it could not be read."""

    sha256: str
    fault: InputError | None = None


class Piece(NamedTuple):
    """A chunk of a file, by the number of the file, or its end."""

    file: int
    content: Chunk | TextChunk | FileEnd


def pieces(
    path: str,
    file: int,
    *,
    document: str,
    format: AnyFormat,
    n_bytes: int,
    stopped: Collection[int],
    encoding: str = UTF8,
) -> Iterator[Piece]:
    """Yield the chunks of a file, then its end; no further chunks once its number is in ``stopped``.

    ``document`` is the id of a running text.
    """
    try:
        with open(path, "rb") as stream:
            before = os.fstat(stream.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise InputError("expected a file, found a pipe or device", path=path, remedy="name files")
            hashing = Hashing(stream, path)
            content = cast("BinaryIO", hashing)
            for chunk in any_chunks(content, format=format, n_bytes=n_bytes, document=document, encoding=encoding):
                if file in stopped:
                    return
                yield Piece(file, chunk)
            while hashing.read(1 << 20):  # the rest
                pass
            after = os.fstat(stream.fileno())
            if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
                raise InputError(
                    "the file changed while it was read", path=path, remedy="run the command again when it is complete"
                )
            yield Piece(file, FileEnd(hashing.sha256))
    except InputError as fault:
        yield Piece(file, FileEnd("", fault))
    except OSError as error:
        is_folder = isinstance(error, IsADirectoryError)
        problem = "expected a file, found a folder" if is_folder else f"cannot read: {error.strerror or error}"
        unread = InputError(problem, path=path, remedy="check the name and the permissions")
        yield Piece(file, FileEnd("", unread))


def tasks(source: Iterable[Piece], n_bytes: int) -> Iterator[list[Piece]]:
    """Group pieces, in order, into tasks of about ``n_bytes``."""
    task: list[Piece] = []
    size = 0
    for piece in source:
        task.append(piece)
        size += 0 if isinstance(piece.content, FileEnd) else len(piece.content)
        if size >= n_bytes:
            yield task
            task, size = [], 0
    if task:
        yield task


def parse_task(work: ParseJob, task: list[Piece]) -> list[tuple[int, ChunkParse | FileEnd, int]]:
    """Parse the chunks of a task, together.

    Return the number of each file, a chunk parsed or the end of the file, and the bytes that were read up to there.
    """
    parsed = iter(work([content for _, content in task if not isinstance(content, FileEnd)]))
    return [
        (file, content, 0) if isinstance(content, FileEnd) else (file, next(parsed), content.bytes_read)
        for file, content in task
    ]


class Hashing:
    """A file that is read or written once, and the checksum of these bytes."""

    def __init__(self, file: BinaryIO, name: str = "") -> None:
        self.name, self._file, self._digest = name, file, hashlib.sha256()

    def read(self, n: int = -1) -> bytes:
        """Read bytes."""
        data = self._file.read(n)
        self._digest.update(data)
        return data

    def write(self, data: Any) -> int:
        """Write bytes."""
        self._digest.update(data)
        return self._file.write(data)

    def flush(self) -> None:
        """Flush the file."""
        self._file.flush()

    @property
    def sha256(self) -> str:
        """Checksum of the bytes until now."""
        return self._digest.hexdigest()
