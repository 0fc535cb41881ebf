"""Addresses of the web and of mail in running text: each is one token.

The grammar is that of the tokenizer of UDPipe 1: after RFC 1738, section 5, with letters of all scripts in a path.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_LETTERS = r"[A-Za-z0-9$\-_.+!*'(),%]"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_NUMBER = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_ADDRESS = re.compile(
    rf"""
    (?:[A-Za-z]{{3,}}+://)?                          # protocol
    (?:{_LETTERS}++(?::{_LETTERS}++)?@)?             # user, and a password
    (?:(?:{_LABEL}\.)+[A-Za-z]{{2,}}                 # name of a host
      |{_NUMBER}(?:\.{_NUMBER}){{3}})                # or its number
    (?::[0-9]*)?                                     # port
    """,
    re.VERBOSE,
)
_RUN = re.compile(r"[A-Za-z0-9$\-_.+!*'(),%:@/]+")
_DOT = re.compile(r"[A-Za-z0-9]\.[A-Za-z0-9]")
_IN_PATH = frozenset("$-_.+!*'(),%;/?:@&=")
_NOT_LAST = frozenset(".!',;?:)")  # in a path; a bracket that closes another one may be last


def runs(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each stretch of characters in which addresses may begin."""
    if _DOT.search(text):
        for run in _RUN.finditer(text):
            if _DOT.search(run[0]):
                yield run.span()


def address_end(text: str, start: int) -> int:
    """Return the end of the longest address that begins at a character; its place if there is none.

    >>> text = "(see http://a.example/b_(c).)"
    >>> text[5 : address_end(text, 5)], address_end(text, 1)
    ('http://a.example/b_(c)', 1)
    """
    found = _ADDRESS.match(text, start)
    if found is None:
        return start
    end = found.end()
    return _path_end(text, end) if text[end : end + 1] == "/" else end


def _path_end(text: str, start: int) -> int:
    """Return the end of the path that begins at a slash."""
    end, n_open = start + 1, 0
    for i in range(start + 1, len(text)):
        character = text[i]
        is_letter = unicodedata.category(character)[0] in "LMN"
        if not is_letter and character not in _IN_PATH:
            break
        if is_letter or character not in _NOT_LAST or (character == ")" and n_open):
            end = i + 1
        n_open = n_open + 1 if character == "(" else max(n_open - 1, 0) if character == ")" else n_open
    return end
