"""Text of any length for a stored model: the chunks of several files, and a model that each process loads once.

A task is a chunk of text: reading, parsing and writing all happen where the task runs, and no treebank travels between
processes.
"""

from __future__ import annotations

import functools
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

from treevote.conll.chunks import Chunk, chunks
from treevote.corpus.treebank import Format
from treevote.ensemble.parser import EnsembleParser, load, load_member

CHUNK_BYTES = 1 << 18
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


def size(paths: Sequence[str | os.PathLike[str]]) -> int:
    """Return the bytes of all files, compressed or not; 0 if one of them is not a regular file.

    Examples
    --------
    >>> size(["/dev/null"])
    0
    """
    try:
        facts = [os.stat(path) for path in paths]
    except OSError:
        return 0
    return sum(fact.st_size for fact in facts) if all(stat.S_ISREG(fact.st_mode) for fact in facts) else 0


@dataclass(frozen=True, eq=False)
class StoredModel:
    """An ensemble and its folder. Another process gets only path and key, and loads the ensemble itself, once.

    The key is random for each load: a process may live on and find another model at the same path. With the name of a
    member, the ensemble is this member alone.
    """

    path: str
    key: str
    member: str | None = None
    parser: EnsembleParser | None = None

    @classmethod
    def load(cls, path: str | os.PathLike[str], member: str | None = None) -> Self:
        """Load a model; raises as `treevote.ensemble.parser.load`, or `load_member`."""
        return cls(os.path.abspath(path), secrets.token_hex(8), member, _load(os.fspath(path), member))

    def __call__(self) -> EnsembleParser:
        """Return the ensemble."""
        return self.parser or _load_once(self.path, self.key, self.member)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.path, self.key, self.member)


@functools.lru_cache(maxsize=1)
def _load_once(path: str, key: str, member: str | None) -> EnsembleParser:
    """Load a model in the process of a worker."""
    del key
    return _load(path, member)


def _load(path: str, member: str | None) -> EnsembleParser:
    return load(path) if member is None else load_member(path, member)
