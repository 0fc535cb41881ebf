"""The lines of a tree whose words are below each other, each to the right of its head."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from treevote.corpus.trees import cycles

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8

SIGNS = " ╵╷│─╯╮┤─╰╭├─┴┬┼"
"""Box-drawing character by the sum of the directions in which lines leave a cell."""


class Bar(NamedTuple):
    """The vertical line to the dependents of a word: its column, first and last row."""

    column: int
    top: int
    bottom: int


def forest(heads: Sequence[int]) -> list[int]:
    """Return heads, -1 for none, without cycles: the first word of each cycle gets none; ``heads[0]`` is -1."""
    free = list(heads)
    for cycle in cycles(heads):
        free[min(cycle)] = -1
    return free


def bars(heads: Sequence[int], max_columns: int) -> dict[int, Bar] | None:
    """Return the bar of each word that has dependents, or None if they need more than ``max_columns``.

    The bar of a word is to the right of its head's, at the first column where no other bar is in the same rows. In a
    projective tree the column is the depth of the word. The heads, n + 1 of them, are without cycles.
    """
    dependents: list[list[int]] = [[] for _ in heads]
    for word in range(1, len(heads)):
        if heads[word] > 0:
            dependents[heads[word]].append(word)
    layer = [word for word in range(1, len(heads)) if heads[word] <= 0]
    taken: list[list[bool]] = []
    placed: dict[int, Bar] = {}
    while layer:
        for word in layer:
            if not dependents[word]:
                continue
            top, bottom = min(word, dependents[word][0]), max(word, dependents[word][-1])
            column = placed[heads[word]].column + 1 if heads[word] > 0 else 0
            while column < len(taken) and any(taken[column][top : bottom + 1]):
                column += 1
            if column >= max_columns:
                return None
            if column == len(taken):
                taken.append([False] * len(heads))
            taken[column][top : bottom + 1] = [True] * (bottom + 1 - top)
            placed[word] = Bar(column, top, bottom)
        layer = [dependent for word in layer for dependent in dependents[word]]
    return placed


def lines(heads: Sequence[int], placed: dict[int, Bar]) -> list[str]:
    r"""Return the lines of the tree before each position; ``heads`` are without cycles, and ``placed`` their `bars`.

    A line that crosses the bar of another word is interrupted: ``─│─``.

    >>> heads = [-1, 2, 3, 0, 3]
    >>> print(*lines(heads, bars(heads, 9)), sep="\n")
    <BLANKLINE>
       ╭──
     ╭─╯
    ─┤
     ╰──
    """
    cells: list[dict[int, int]] = [{} for _ in heads]  # in each row the directions of the lines at each place
    for bar in placed.values():
        for row in range(bar.top, bar.bottom + 1):
            up, down = UP * (row > bar.top), DOWN * (row < bar.bottom)
            cells[row][2 * bar.column + 1] = up | down
    drawn = [""]
    for word in range(1, len(heads)):
        cell, head = cells[word], heads[word]
        start = 2 * placed[head].column + 1 if head > 0 else 0
        own = 2 * placed[word].column + 1 if word in placed else start + 2 * (head > 0)
        crossed = set(cell) - {start if head > 0 else -1, own if word in placed else -1}
        end = max([own, *(place + 1 for place in crossed)])
        first = start if head >= 0 else own
        for place in range(first, end + 1) if head >= 0 or word in placed else ():
            if place not in crossed:
                cell[place] = cell.get(place, 0) | LEFT * (place > first or head == 0) | RIGHT * (place < end)
        drawn.append("".join(SIGNS[cell.get(place, 0)] for place in range(max(cell, default=-1) + 1)))
    return drawn
