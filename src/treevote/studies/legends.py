"""Legends of the tables of studies: a line for each column that several tables have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

SCORES = {
    "LAS": "labelled attachment score, percent of the tokens with the right head and label",
    "UAS": "unlabelled attachment score, percent of the tokens with the right head",
}

LEGENDS = {
    **SCORES,
    "sentences": "number of sentences",
    "tokens": "number of tokens",
    "rules": "number of rules of the decision list",
}
"""Column, and what it holds."""

OF_A_PAPER = "paper"
"""Columns and rows with figures of a paper."""

_FROM_THE_PAPER = "figures that the paper prints, of its own data"


def legend_of(columns: Sequence[str], rows: Sequence[str], own: Mapping[str, str]) -> dict[str, str]:
    """Return the legend of a table: a line for each column, and one for all figures of a paper.

    Parameters
    ----------
    columns, rows : sequence of str
        Their names; a name in ``own`` or in ``LEGENDS`` is explained.
    own : mapping of str to str
        Legends of this table alone, which come before those of ``LEGENDS``.

    Examples
    --------
    >>> list(legend_of(["", "LAS", "gain", "paper: LAS"], ["a"], {"gain": "LAS more than before"}))
    ['LAS', 'gain', 'paper']
    """
    known = {**LEGENDS, **own}
    found = {name: known[name] for name in columns if name in known}
    found |= {name: line for name, line in own.items() if name not in found}
    if any(name.startswith("paper: ") for name in (*columns, *rows)):
        found[OF_A_PAPER] = _FROM_THE_PAPER
    return found
