"""LZMA without matches and without an end marker, as short as can be: for forged tokenizers."""

from __future__ import annotations

import struct


def packed(content: bytes) -> bytes:
    """Return a compressed block of a tokenizer of UDPipe."""
    raw = _encoded(content)
    check_sum = (len(content) * 19991 + len(raw) * 199999991 + 1234567890) % (1 << 32)
    return struct.pack("<IIIBI", len(content), len(raw), check_sum, 93, 1 << 16) + raw


def _encoded(content: bytes) -> bytes:
    low, width, cache, pending = 0, 0xFFFFFFFF, 0, 1
    out = bytearray()
    models: dict[tuple[int, ...], int] = {}

    def shift() -> None:
        nonlocal low, cache, pending
        if low < 0xFF000000 or low > 0xFFFFFFFF:
            for i in range(pending):
                out.append(((cache if i == 0 else 0xFF) + (low >> 32)) & 0xFF)
            pending, cache = 0, (low >> 24) & 0xFF
        pending += 1
        low = (low << 8) & 0xFFFFFFFF

    def bit(model: tuple[int, ...], value: int) -> None:
        nonlocal low, width
        p = models.get(model, 1024)
        bound = (width >> 11) * p
        if value:
            low, width = low + bound, width - bound
            models[model] = p - (p >> 5)
        else:
            width = bound
            models[model] = p + ((2048 - p) >> 5)
        while width < 1 << 24:
            width = (width << 8) & 0xFFFFFFFF
            shift()

    before = 0
    for place, byte in enumerate(content):
        bit((0, place & 3), 0)
        symbol = 1
        for i in range(7, -1, -1):
            value = byte >> i & 1
            bit((1, before >> 5, symbol), value)
            symbol = symbol << 1 | value
        before = byte
    for _ in range(5):
        shift()
    return bytes(out)
