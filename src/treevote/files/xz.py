"""Files compressed with xz: one stream or several, with stream padding between and behind them.

`lzma.LZMAFile` would take padding, or any other bytes that it cannot decode after a stream, for the end of the file.
"""

from __future__ import annotations

import functools
import itertools
import lzma
from collections.abc import Iterator
from typing import BinaryIO

MAGIC = b"\xfd7zXZ\x00"
"""The first bytes of each stream."""

MEMORY_LIMIT = 256 << 20
"""Bytes that decompression may take; the highest preset of xz takes a quarter."""

_BLOCK = 1 << 16


class MemoryLimitError(Exception):
    """Decompression would take too much memory."""


def decompressed(file: BinaryIO) -> Iterator[bytes]:
    """Yield the decompressed content of a file compressed with xz, from its position to its end, in blocks.

    EOFError if the file ends within a stream; lzma.LZMAError if it is damaged, or a stream is followed by something
    else than a stream or padding; MemoryLimitError if decompression takes more than `MEMORY_LIMIT`.
    """
    blocks = iter(functools.partial(file.read, _BLOCK), b"")
    ahead = next(blocks, b"")
    while ahead:
        decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, MEMORY_LIMIT)
        yield _decompress(decompressor, ahead)
        while not decompressor.eof:
            data = next(blocks, b"") if decompressor.needs_input else b""
            if decompressor.needs_input and not data:
                raise EOFError("it ends within a stream")
            yield _decompress(decompressor, data)
        n_padding = 0
        for block in itertools.chain([decompressor.unused_data], blocks):
            ahead = block.lstrip(b"\0")
            n_padding += len(block) - len(ahead)
            if ahead:
                break
        if n_padding % 4:
            raise lzma.LZMAError(f"expected padding of a multiple of 4 bytes, found {n_padding}")


def _decompress(decompressor: lzma.LZMADecompressor, data: bytes) -> bytes:
    try:
        return decompressor.decompress(data, _BLOCK)
    except lzma.LZMAError as error:
        if "Memory usage limit" not in str(error):
            raise
        raise MemoryLimitError(f"decompression takes more than {MEMORY_LIMIT >> 20} MiB of memory") from error
