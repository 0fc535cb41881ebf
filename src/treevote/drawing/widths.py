"""How much room text takes, in the columns of a terminal and on a page, and in which direction it is read."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for wide characters, none for combining marks.

    Examples
    --------
    >>> columns("dog"), columns("犬"), columns("cafe\u0301")
    (3, 2, 4)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


@lru_cache(4096)
def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0  # marks, joiners, and the later letters of a Hangul syllable
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shortened(text: str, width: int) -> str:
    """Return a text that takes at most ``width`` columns, with an ellipsis where it was cut.

    Examples
    --------
    >>> shortened("understanding", 7), shortened("日本語", 4), shortened("dog", 3)
    ('unders…', '日…', 'dog')
    """
    if columns(text) <= width:
        return text
    room = width - 1
    for i, character in enumerate(text):
        room -= _columns(character)
        if room < 0:
            return text[:i] + "…"
    return text


def padded(text: str, width: int) -> str:
    """Return a text with spaces behind it up to ``width`` columns.

    Examples
    --------
    >>> padded("犬", 4)
    '犬  '
    """
    return text + " " * (width - columns(text))


def ems(text: str) -> float:
    """Return about how wide a text is in a proportional typeface, in units of its size; rather more than less.

    Examples
    --------
    >>> round(ems("dogs"), 2), ems("犬"), ems("i") < ems("W")
    (2.36, 1.0, True)
    """
    return sum(map(_ems, text))


@lru_cache(4096)
def _ems(character: str) -> float:
    if (n_columns := _columns(character)) != 1:
        return n_columns / 2
    if character in "iljtfr.,:;'!|()[]I ":
        return 0.34
    if character in "mwMW@%—…":
        return 0.92
    return 0.7 if character.isupper() else 0.59


def right_to_left(forms: Iterable[str]) -> bool:
    """Tell whether most of the characters that have a direction are read from right to left.

    Examples
    --------
    >>> right_to_left(["كتب", "الولد", "PC"]), right_to_left(["the", "dog"])
    (True, False)
    """
    directions = [unicodedata.bidirectional(character) for form in forms for character in form]
    backward = sum(direction in ("R", "AL") for direction in directions)
    return backward > directions.count("L")
