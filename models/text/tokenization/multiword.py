"""Rules for multiword tokens: the words of a token, by the whole token or by its end.

Case is that of the token. An end is one of bytes, so it may begin within a character; the first word then begins there.
"""

from __future__ import annotations

import bisect
import functools
import io
import itertools
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from treevote.models.text.tokenization.model_file import damaged

MAX_WORD = 1 << 10  # maximum length of a word in a rule, in bytes

Words: TypeAlias = tuple[str, ...]

_CONTINUATION = bytes(range(0x80, 0xC0))  # bytes within a character, with which the end of a token may begin


@dataclass(frozen=True, eq=False)
class MultiwordRules:
    """Words of tokens, and of ends of tokens, by their bytes in lower case; the first word of an end goes on there."""

    tokens: Mapping[bytes, Words]
    ends: Mapping[bytes, Words]

    @classmethod
    def from_bytes(cls, content: bytes) -> MultiwordRules:
        """Return the rules of a part of a file; ModelError if the trainer could not have written them."""
        stream, found = io.BytesIO(content), list[dict[bytes, Words]]()
        for is_end in (False, True):
            rules = {}
            for _ in range(_number(stream, 4)):
                key = _word(stream)
                words = [_word(stream) for _ in range(_number(stream, 1))]
                if not words or not all(words[1:]) or not (is_end or (key and words[0])):
                    raise damaged("a rule for multiword tokens has no words")
                ends = [end.lstrip(_CONTINUATION) or b"a" for end in (key, words[0]) if end and is_end]
                if not all(map(_is_word, [*ends, *(words[1:] if is_end else words)])):
                    raise damaged("a rule for multiword tokens has something else than words")
                rules[key] = tuple(word.decode("utf-8", "surrogateescape") for word in words)
            found.append(rules)
        if stream.read(1):
            raise damaged("there is something behind its rules")
        return cls(*found)

    def words(self, token: str) -> Words:
        """Return the words of a multiword token; none if it is one word."""
        return self._words_of(token) if self.tokens or self.ends else ()

    @functools.cached_property
    def _words_of(self) -> Callable[[str], Words]:
        return functools.lru_cache(1 << 14)(self._words)

    @functools.cached_property
    def _longest_end(self) -> int:
        return max(map(len, self.ends), default=0)

    def _words(self, token: str) -> Words:
        lower = [character.lower()[0].encode() for character in token]
        key = b"".join(lower)
        front, words = "", self.tokens.get(key)
        if words is None:
            starts = range(max(1, len(key) - self._longest_end), len(key))
            start = next((start for start in starts if key[start:] in self.ends), None)
            if start is None:
                return ()
            first, *others = self.ends[key[start:]]
            bounds = [0, *itertools.accumulate(map(len, lower))]
            n_characters = bisect.bisect_right(bounds, start) - 1
            front = token[:n_characters]
            within = key[bounds[n_characters] : start]  # of a character of which the end has the last bytes
            words = ((within + first.encode("utf-8", "surrogateescape")).decode("utf-8", "replace"), *others)
        is_upper = unicodedata.category(token[0]) in ("Lu", "Lt")
        if is_upper and not {"Ll", "Lm", "Lo"} & {*map(unicodedata.category, token)}:
            return (front + "".join(map(_upper, words[0])), *("".join(map(_upper, word)) for word in words[1:]))
        first = words[0]
        if is_upper and not front:
            first = _upper(first[0]) + first[1:]
        return (front + first, *words[1:])


def _upper(character: str) -> str:
    """Return the one character that is the upper case of another; the character if that are several."""
    return next((case for case in (character.upper(), character.title()) if len(case) == 1), character)


def _taken(stream: io.BytesIO, size: int) -> bytes:
    found = stream.read(size)
    if len(found) < size:
        raise damaged("its rules are cut off")
    return found


def _number(stream: io.BytesIO, size: int) -> int:
    return int.from_bytes(_taken(stream, size), "little")


def _word(stream: io.BytesIO) -> bytes:
    length = _number(stream, 1)
    if length == 255:
        length = _number(stream, 4)
    if length > MAX_WORD:
        raise damaged("a word is too long")
    return _taken(stream, length)


def _is_word(word: bytes) -> bool:
    try:
        text = word.decode()
    except UnicodeDecodeError:
        return False
    return bool(text) and not any(character < " " or character in "\x7f\x85\u2028\u2029" for character in text)
