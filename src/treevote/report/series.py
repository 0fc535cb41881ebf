"""Marks, strokes and colours by which plots and tables tell systems apart; colours repeat the difference."""

from __future__ import annotations

from typing import NamedTuple


class Series(NamedTuple):
    """The look of a system: an SVG path around its point, a pattern of dashes, a colour on light and on dark paper."""

    mark: str
    dashes: str
    light: str
    dark: str


SERIES = (
    Series("m-4,0a4,4 0 1 0 8,0a4,4 0 1 0 -8,0z", "none", "#0b5c8a", "#6db6e8"),  # disc
    Series("m-3.6,-3.6h7.2v7.2h-7.2z", "7 3", "#b3400f", "#f0955f"),  # square
    Series("m0,-4.6l4.6,8h-9.2z", "2 3", "#4b7a1d", "#9bc95f"),  # triangle
    Series("m0,-5l5,5l-5,5l-5,-5z", "9 3 2 3", "#7a3e9d", "#c79bea"),  # diamond
    Series("m0,4.6l4.6,-8h-9.2z", "4 2", "#8a6d00", "#d9b84a"),  # inverted triangle
    Series("m-4.4,-1.4h3v-3h2.8v3h3v2.8h-3v3h-2.8v-3h-3z", "1.5 2", "#52606d", "#a3b1bf"),  # cross
)
"""The looks of the systems in turn."""
