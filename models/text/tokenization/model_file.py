"""The bytes of a tokenizer of UDPipe 1: the layout that its trainer writes, and nothing else.

A network that reads characters (`treevote.models.text.tokenization.network`), then the rules for multiword tokens
(`treevote.models.text.tokenization.multiword`), each compressed.
"""

from __future__ import annotations

import lzma
import struct

from treevote.errors import ModelError

HEADER = b"\x12morphodita_parsito\x03\x7f\x7f\x01"  # name and version, sentinels, and that there is a tokenizer
NETWORK = b"\x03\x02"  # tokenizer with a network, of version 2
RULES = b"\x02"  # version of the rules for multiword tokens
END = b"\x00\x00"  # neither tagger nor parser

MAX_BYTES = 1 << 26  # maximum size of each part, decompressed

_BLOCK = struct.Struct("<IIIBI")
_PROPERTIES = 93  # 3 bits of literal context, 2 of position: the defaults


def parts(data: bytes) -> tuple[bytes, bytes]:
    """Return the network and the rules of a tokenizer; ModelError if the trainer could not have written the layout."""
    if not data.startswith(HEADER + NETWORK):
        raise damaged("its first bytes are others")
    network, at = _decompressed(data, len(HEADER + NETWORK))
    if data[at : at + 1] != RULES:
        raise damaged("the rules for multiword tokens are of another version")
    rules, at = _decompressed(data, at + 1)
    if data[at:] != END:
        raise damaged("there is something behind it")
    return network, rules


def damaged(problem: str) -> ModelError:
    """Return the error of a tokenizer that the trainer could not have written."""
    return ModelError(f"expected the tokenizer of UDPipe, {problem}; the model is damaged: train it again")


def _decompressed(data: bytes, at: int) -> tuple[bytes, int]:
    """Return the content of a compressed block, and where it ends."""
    if at + _BLOCK.size > len(data):
        raise damaged("it is cut off")
    length, packed, check_sum, properties, dictionary = _BLOCK.unpack_from(data, at)
    start = at + _BLOCK.size
    end = start + packed
    if length > MAX_BYTES or end > len(data) or properties != _PROPERTIES or dictionary > MAX_BYTES:
        raise damaged("a length is too large")
    if check_sum != (length * 19991 + packed * 199999991 + 1234567890) % (1 << 32):
        raise damaged("a sum of lengths is wrong")
    settings = {"id": lzma.FILTER_LZMA1, "dict_size": max(dictionary, 1 << 12), "lc": 3, "lp": 0, "pb": 2}
    try:
        content = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[settings]).decompress(data[start:end], length)
    except lzma.LZMAError:
        raise damaged("a part cannot be decompressed") from None
    if len(content) != length:
        raise damaged("a part is cut off")
    return content, end
