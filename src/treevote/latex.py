"""Tables in LaTeX, for the package booktabs."""

from __future__ import annotations

from collections.abc import Sequence

_ESCAPES = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",  # by default LaTeX has other characters in the place of these three
    ">": "$>$",
    "|": "$|$",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
}


def escaped(text: str) -> str:
    r"""Return a text without commands of LaTeX.

    >>> print(escaped("50 % of a_b"))
    50 \% of a\_b
    """
    return "".join(_ESCAPES.get(character, character) for character in text)


def bold(text: str) -> str:
    """Return an escaped text in bold."""
    return f"\\textbf{{{text}}}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> str:
    r"""Return a table of escaped cells, the first column on the left, numbers on the right.

    >>> print(table(["", "LAS"], [["a", bold("90.00")]]))
    % \usepackage{booktabs}
    \begin{tabular}{lr}
    \toprule
     & LAS \\
    \midrule
    a & \textbf{90.00} \\
    \bottomrule
    \end{tabular}
    """
    lines = [" & ".join(row) + r" \\" for row in (header, *rows)]
    start = [r"% \usepackage{booktabs}", f"\\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}", r"\toprule"]
    end = [r"\bottomrule", r"\end{tabular}", *([f"% {note}"] if note else [])]
    return "\n".join([*start, lines[0], r"\midrule", *lines[1:], *end])
