"""The bytes of a tokenizer of UDPipe 1, checked before the library gets them: it trusts lengths, sizes and strings.

A file that passes has the layout that its trainer writes, with a network of a known size and rules whose words are
words; so a forged one can split a text wrongly, and no more.
"""

from __future__ import annotations

import io
import lzma
import struct

from treevote.errors import ModelError

HEADER = b"\x12morphodita_parsito\x03\x7f\x7f\x01"  # name and version, sentinels, and that there is a tokenizer
NETWORK = b"\x03\x02"  # tokenizer with a network, of version 2
RULES = b"\x02"  # version of the rules for multiword tokens
END = b"\x00\x00"  # neither tagger nor parser

DIMENSIONS = (16, 24, 64)
SEGMENT = 50
MAX_BYTES = 1 << 26  # maximum size of each part, decompressed
MAX_WORD = 1 << 10  # maximum length of a word in a rule, in bytes
MAX_SUFFIXES = 1 << 26  # maximum size of all suffixes of the suffixes in rules, in bytes: the library keeps each

_BLOCK = struct.Struct("<IIIBI")
_PROPERTIES = 93  # 3 bits of literal context, 2 of position: the defaults
_OUTCOMES = 3
_CONTINUATION = bytes(range(0x80, 0xC0))  # bytes within a character, with which the end of a token may begin


def check(data: bytes) -> bytes:
    """Return the bytes of a tokenizer; ModelError if the trainer could not have written them."""
    if not data.startswith(HEADER + NETWORK):
        raise _damaged("its first bytes are others")
    network, at = _decompressed(data, len(HEADER + NETWORK))
    _check_network(network)
    if data[at : at + 1] != RULES:
        raise _damaged("the rules for multiword tokens are of another version")
    rules, at = _decompressed(data, at + 1)
    _check_rules(rules)
    if data[at:] != END:
        raise _damaged("there is something behind it")
    return data


def _damaged(problem: str) -> ModelError:
    return ModelError(f"expected the tokenizer of UDPipe, {problem}; the model is damaged: train it again")


def _decompressed(data: bytes, at: int) -> tuple[bytes, int]:
    """Return the content of a compressed block, and where it ends."""
    if at + _BLOCK.size > len(data):
        raise _damaged("it is cut off")
    length, packed, check_sum, properties, dictionary = _BLOCK.unpack_from(data, at)
    start = at + _BLOCK.size
    end = start + packed
    if length > MAX_BYTES or end > len(data) or properties != _PROPERTIES or dictionary > MAX_BYTES:
        raise _damaged("a length is too large")
    if check_sum != (length * 19991 + packed * 199999991 + 1234567890) % (1 << 32):
        raise _damaged("a sum of lengths is wrong")
    settings = {"id": lzma.FILTER_LZMA1, "dict_size": max(dictionary, 1 << 12), "lc": 3, "lp": 0, "pb": 2}
    try:
        content = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[settings]).decompress(data[start:end], length)
    except lzma.LZMAError:
        raise _damaged("a part cannot be decompressed") from None
    if len(content) != length:
        raise _damaged("a part is cut off")
    return content, end


def _check_network(content: bytes) -> None:
    """Check the network: its size, and the number of its weights."""
    url, segment, spaces, version, size, n_characters = struct.unpack_from("<BHBBBI", content.ljust(10, b"\0"))
    if url > 2 or segment != SEGMENT or spaces > 1 or version != 1 or size not in DIMENSIONS:
        raise _damaged("the settings of its network are unknown")
    matrix = (size + 1) * size
    numbers = 2 * 6 * matrix + 2 * _OUTCOMES * (size + 1)
    at = 10 + n_characters * (4 + 4 * size) + 4 * numbers
    if at >= len(content) or len(content) != at + 1 + 8 * content[at]:
        raise _damaged("its network has another size")


def _check_rules(content: bytes) -> None:
    """Check the rules: each a token, or an end of tokens, and its words."""
    stream, suffixes = io.BytesIO(content), 0
    for is_suffix in (False, True):
        for _ in range(_number(stream, 4)):
            key = _word(stream)
            words = [_word(stream) for _ in range(_number(stream, 1))]
            if not words or not all(words[1:]) or not (is_suffix or (key and words[0])):
                raise _damaged("a rule for multiword tokens has no words")
            ends = [end.lstrip(_CONTINUATION) or b"a" for end in (key, words[0]) if end and is_suffix]
            if not all(map(_is_word, [*ends, *(words[1:] if is_suffix else words)])):
                raise _damaged("a rule for multiword tokens has something else than words")
            if is_suffix:
                suffixes += len(key) * (len(key) + 64)
    if suffixes > MAX_SUFFIXES:
        raise _damaged("the rules for multiword tokens take too much memory")
    if stream.read(1):
        raise _damaged("there is something behind its rules")


def _taken(stream: io.BytesIO, size: int) -> bytes:
    found = stream.read(size)
    if len(found) < size:
        raise _damaged("its rules are cut off")
    return found


def _number(stream: io.BytesIO, size: int) -> int:
    return int.from_bytes(_taken(stream, size), "little")


def _word(stream: io.BytesIO) -> bytes:
    length = _number(stream, 1)
    if length == 255:
        length = _number(stream, 4)
    if length > MAX_WORD:
        raise _damaged("a word is too long")
    return _taken(stream, length)


def _is_word(word: bytes) -> bool:
    try:
        text = word.decode()
    except UnicodeDecodeError:
        return False
    return bool(text) and not any(character < " " or character in "\x7f\x85\u2028\u2029" for character in text)
