"""Numbers and names as they are written on the page: the filters of its templates."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

NOTHING = "–"
"""Stands for a number that is not there."""


def rate(value: float | None) -> str:
    """Return a percentage.

    Examples
    --------
    >>> rate(89.126), rate(None)
    ('89.13', '–')
    """
    return NOTHING if value is None else f"{value:.2f}"


def points(value: float | None) -> str:
    """Return a difference of percentages, with its sign.

    Examples
    --------
    >>> points(1.234), points(-0.5), points(-0.001)
    ('+1.23', '−0.50', '0.00')
    """
    if value is None:
        return NOTHING
    return "0.00" if abs(value) < 0.005 else f"{value:+.2f}".replace("-", "−")


def span(low: float | None, high: float | None) -> str:
    """Return an interval.

    Examples
    --------
    >>> span(88.1, 90.2)
    '88.10–90.20'
    """
    return NOTHING if low is None or high is None else f"{low:.2f}–{high:.2f}"


def p_value(p: float) -> str:
    """Return a p-value.

    Examples
    --------
    >>> p_value(0.0002), p_value(0.0312), p_value(0.5)
    ('p < 0.001', 'p = 0.031', 'p = 0.50')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def plural(n: int, thing: str) -> str:
    """Return a number with the name of the counted things.

    Examples
    --------
    >>> plural(1, "system"), plural(2077, "sentence")
    ('1 system', '2,077 sentences')
    """
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def short_names(names: Sequence[str]) -> list[str]:
    """Return names without their common folders and suffixes, if the rest is distinct.

    Examples
    --------
    >>> short_names(["out/udpipe.test.conllu", "out/yara.test.conllu"]), short_names(["a/test.conllu", "b/test.conllu"])
    (['udpipe', 'yara'], ['a', 'b'])
    >>> short_names(["parse.conllu"]), short_names(["same", "same"])
    (['parse'], ['same', 'same'])
    """
    front = _common_front(names)
    ends = [name[front.rfind("/") + 1 :] for name in names]
    back = _common_front([end[::-1] for end in ends])[::-1]
    start = re.search("[./]", back)
    short = [end.removesuffix(back[start.start() :] if start else "") for end in ends]
    return short if all(short) and len(set(short)) == len(set(names)) else list(names)


def _common_front(names: Sequence[str]) -> str:
    """Return the characters with which all names begin."""
    pairs = zip(min(names, default=""), max(names, default=""), strict=False)
    return "".join(one for one, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
