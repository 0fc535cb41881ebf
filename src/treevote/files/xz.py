"""Files compressed with xz: one stream or several, with stream padding between and behind them.

`lzma.LZMAFile` would take padding, or any other bytes that it cannot decode after a stream, for the end of the file.
"""

from __future__ import annotations

import io
import lzma
from typing import BinaryIO

MAGIC = b"\xfd7zXZ\x00"
"""The first bytes of each stream."""

MEMORY_LIMIT = 256 << 20
"""Bytes that decompression may take; the highest preset of xz takes a quarter."""

_BLOCK = 1 << 16


class MemoryLimitError(Exception):
    """Decompression would take too much memory."""


class XZReader(io.RawIOBase):
    """The decompressed content of a file compressed with xz, from its position to its end; the file stays open.

    Reading raises EOFError if the file ends within a stream; lzma.LZMAError if it is damaged, or a stream is followed
    by something else than a stream or padding; MemoryLimitError if decompression takes more than `MEMORY_LIMIT`.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._ahead = file, b""
        self._decompressor: lzma.LZMADecompressor | None = _decompressor()

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read at least one byte unless at the end."""
        while self._decompressor is not None:
            if self._decompressor.eof:
                self._ahead = self._decompressor.unused_data
                self._decompressor = _decompressor() if self._skip_padding() else None
                continue
            data = b""
            if self._decompressor.needs_input and not (data := self._more()):
                raise EOFError("it ends within a stream")
            if text := _decompress(self._decompressor, data, len(buffer)):
                buffer[: len(text)] = text
                return len(text)
        return 0

    def _more(self) -> bytes:
        data, self._ahead = self._ahead or self._file.read(_BLOCK), b""
        return data

    def _skip_padding(self) -> bool:
        """Go on to the next stream; return False at the end of the file."""
        n_padding = 0
        while data := self._more():
            self._ahead = data.lstrip(b"\0")
            n_padding += len(data) - len(self._ahead)
            if self._ahead:
                break
        if n_padding % 4:
            raise lzma.LZMAError(f"expected padding of a multiple of 4 bytes, found {n_padding}")
        return bool(self._ahead)


def _decompressor() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, MEMORY_LIMIT)


def _decompress(decompressor: lzma.LZMADecompressor, data: bytes, n_bytes: int) -> bytes:
    try:
        return decompressor.decompress(data, n_bytes)
    except lzma.LZMAError as error:
        if "Memory usage limit" not in str(error):
            raise
        raise MemoryLimitError(f"decompression takes more than {MEMORY_LIMIT >> 20} MiB of memory") from error
