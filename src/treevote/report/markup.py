"""Numbers and names as they are written on the page: the filters of its templates."""

from __future__ import annotations

import re

NOTHING = "–"
"""Stands for a number that is not there."""


def rate(value: float | None) -> str:
    """Return a percentage."""
    return NOTHING if value is None else f"{value:.2f}"


def points(value: float | None) -> str:
    """Return a difference of percentages, with its sign."""
    if value is None:
        return NOTHING
    return "0.00" if abs(value) < 0.005 else f"{value:+.2f}".replace("-", "−")


def span(low: float | None, high: float | None) -> str:
    """Return an interval."""
    return NOTHING if low is None or high is None else f"{low:.2f}–{high:.2f}"


def unbroken(sentence: str) -> str:
    r"""Return a sentence whose lines do not break within ``p = 0.02``, ``p ≤ 0.01`` or ``95 %``.

    Examples
    --------
    >>> unbroken("95 % interval, p ≤ 0.01")
    '95\xa0% interval, p\xa0≤\xa00.01'
    """
    return re.sub(r"(?<=\bp) (?=[=≤])|(?<=[=≤]) (?=[0-9])|(?<=[0-9]) (?=%)", "\N{NO-BREAK SPACE}", sentence)
