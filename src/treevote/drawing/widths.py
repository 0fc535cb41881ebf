"""Widths of text, in the columns of a terminal and on a page, and its direction."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache

from rich.cells import cell_len


def shortened(text: str, width: int) -> str:
    """Return a text that takes at most ``width`` columns of a terminal, with an ellipsis where it was cut.

    >>> shortened("understanding", 7), shortened("日本語", 4), shortened("dog", 3)
    ('unders…', '日…', 'dog')
    """
    if cell_len(text) <= width:
        return text
    end = bisect_right(range(len(text)), width - 1, key=lambda end: cell_len(text[:end])) - 1
    return text[:end].rstrip() + "…"


def ems(text: str) -> float:
    """Return the approximate width of a text in a proportional typeface, in units of its size; rather too much.

    >>> round(ems("dogs"), 2), ems("犬"), ems("i") < ems("W")
    (2.36, 1.0, True)
    """
    return sum(map(_ems, text))


@lru_cache(4096)
def _ems(character: str) -> float:
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0.0  # marks, joiners, and the later letters of a Hangul syllable
    if cell_len(character) == 2:
        return 1.0
    if character in "iljtfr.,:;'!|()[]I ":
        return 0.34
    if character in "mwMW@%—…":
        return 0.92
    return 0.7 if character.isupper() else 0.59


def right_to_left(forms: Iterable[str]) -> bool:
    """Tell whether most of the characters with a direction are read from right to left."""
    directions = [unicodedata.bidirectional(character) for form in forms for character in form]
    backward = sum(direction in ("R", "AL") for direction in directions)
    return backward > directions.count("L")
