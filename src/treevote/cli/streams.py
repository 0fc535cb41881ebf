"""The standard streams of a command: all of a text or an error, and no file mistaken for a stream that is closed.

Those of Python do not suffice. Unbuffered, as with ``python -u``, standard output takes a part of a text for the whole
where the disk is full or a pipe does not block; and the first file that is opened gets the number of a closed stream.
"""

from __future__ import annotations

import io
import os
import select
import sys
from contextlib import suppress
from typing import Any, Literal, TextIO

from treevote.errors import InputError


class Descriptor(io.FileIO):
    """An open descriptor, which stays open; it is waited for where it does not block."""

    def __init__(self, number: int, mode: Literal["rb", "wb"]) -> None:
        super().__init__(number, mode, closefd=False)

    def readinto(self, buffer: Any) -> int:
        """Read at least one byte unless at the end."""
        while (n_bytes := super().readinto(buffer)) is None:
            select.select([self], [], [])
        return n_bytes

    def write(self, data: Any) -> int:
        """Write all of it."""
        rest = memoryview(data).cast("B")
        n_bytes = len(rest)
        while rest:
            if (written := super().write(rest)) is None:
                select.select([], [self], [])
            else:
                rest = rest[written:]
        return n_bytes


class Output(Descriptor):
    """Standard output."""

    def write(self, data: Any) -> int:
        """Write all of it; BrokenPipeError if the reader of the pipe is gone, InputError as on a full disk."""
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InputError(
                f"cannot write: {error.strerror}", path="<stdout>", remedy="check where it leads, and the disk"
            ) from error


class Messages(Descriptor):
    """Standard error: text that cannot be written is dropped, since there is no other channel."""

    def write(self, data: Any) -> int:
        """Write all of it, or as much as can be written."""
        with suppress(OSError):
            super().write(data)
        return len(data)


def open_streams() -> None:
    """Put streams of these kinds in the place of Python's; to be called before any file is opened.

    Of a stream that is closed, no file gets the number; it can be neither read from nor written to, and messages to it
    are dropped.
    """
    for number, access in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, access), True)  # it gets the lowest number that is free
    sys.stdin = _text(io.BufferedReader(Descriptor(0, "rb")), sys.stdin)
    sys.stdout = _text(io.BufferedWriter(Output(1, "wb")), sys.stdout)
    sys.stderr = _text(io.BufferedWriter(Messages(2, "wb")), sys.stderr)
    sys.stdout.reconfigure(line_buffering=sys.stdout.isatty())
    sys.stderr.reconfigure(line_buffering=True)


def _text(stream: io.BufferedReader | io.BufferedWriter, before: TextIO | None) -> io.TextIOWrapper:
    """Return a text file with the encoding of an earlier one; characters outside it become escape sequences.

    In the locale C, Python's own output has escape sequences for bytes of file names alone, and fails for a minus sign.
    """
    encoding, errors = ("utf-8", "strict") if before is None else (before.encoding, before.errors)
    escaped = errors == "strict" or isinstance(stream, io.BufferedWriter)
    return io.TextIOWrapper(stream, encoding, "backslashreplace" if escaped else errors)
