"""How systems are told apart in plots and tables: by mark and stroke, and by colour as well."""

from __future__ import annotations

from treevote.report.markup import text

MARKS = (
    "M{x},{y}m-4,0a4,4 0 1 0 8,0a4,4 0 1 0 -8,0z",  # disc
    "M{x},{y}m-3.6,-3.6h7.2v7.2h-7.2z",  # square
    "M{x},{y}m0,-4.6l4.6,8h-9.2z",  # triangle
    "M{x},{y}m0,-5l5,5l-5,5l-5,-5z",  # diamond
    "M{x},{y}m0,4.6l4.6,-8h-9.2z",  # triangle that stands on its tip
    "M{x},{y}m-4.4,-1.4h3v-3h2.8v3h3v2.8h-3v3h-2.8v-3h-3z",  # cross
)
STROKES = ("none", "7 3", "2 3", "9 3 2 3", "4 2", "1.5 2")
"""Marks, and patterns of dashes, of the systems in turn."""

LIGHT = ("#0b5c8a", "#b3400f", "#4b7a1d", "#7a3e9d", "#8a6d00", "#52606d")
DARK = ("#6db6e8", "#f0955f", "#9bc95f", "#c79bea", "#d9b84a", "#a3b1bf")
"""Colours of the systems in turn, on light and on dark paper."""


def colours(palette: tuple[str, ...]) -> str:
    """Return the colours as CSS custom properties.

    Examples
    --------
    >>> colours(LIGHT)[:25]
    '--s0:#0b5c8a;--s1:#b3400f'
    """
    return ";".join(f"--s{i}:{colour}" for i, colour in enumerate(palette))


def colour(i: int) -> str:
    """Return the CSS colour of system ``i``, counted from 0.

    Examples
    --------
    >>> colour(7)
    'var(--s1)'
    """
    return f"var(--s{i % len(LIGHT)})"


def mark(i: int, x: float, y: float) -> str:
    """Return the mark of a system as an SVG path.

    Examples
    --------
    >>> mark(1, 10, 20)
    '<path d="M10,20m-3.6,-3.6h7.2v7.2h-7.2z" fill="var(--s1)"/>'
    """
    path = MARKS[i % len(MARKS)].format(x=f"{x:.1f}".removesuffix(".0"), y=f"{y:.1f}".removesuffix(".0"))
    return f'<path d="{path}" fill="{colour(i)}"/>'


def named(i: int, name: str) -> str:
    """Return the name of a system with its mark in front, as HTML.

    Examples
    --------
    >>> named(0, "a&b").endswith('<span>a&amp;b</span></span>')
    True
    """
    return f'<span class="system-name">{sample(i)}<span>{text(name)}</span></span>'


def sample(i: int, style: str = "") -> str:
    """Return the mark of a system as a small picture of its own."""
    styled = f' style="{style}"' if style else ""
    return f'<svg class="mark" width="12" height="12"{styled} aria-hidden="true">{mark(i, 6, 6)}</svg>'


def stroke(i: int) -> str:
    """Return the attributes of a system's line."""
    return f'stroke="{colour(i)}" stroke-dasharray="{STROKES[i % len(STROKES)]}"'
