"""The arcs of a drawing of one or two trees over the same words, and their heights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from treevote.corpus.sentence import Sentence

Kind: TypeAlias = Literal["both", "gold", "system", "label"]
"""The trees with an arc: both, the gold tree, that of the system; or both, with different labels."""


class Arc(NamedTuple):
    """An arc between positions, 0 for ROOT; of kind ``"label"``, ``label`` is the gold and ``other`` the system's."""

    head: int
    dependent: int
    label: str
    kind: Kind = "both"
    other: str = ""

    @property
    def is_stem(self) -> bool:
        """Whether the arc touches one word only: it comes from ROOT, or from the dependent itself."""
        return self.head in (0, self.dependent)


def arcs_of(gold: Sentence, system: Sentence | None = None) -> list[Arc]:
    """Return the arcs of a tree, or of two trees over the same words, by dependent; the gold arc comes first.

    Tokens whose head is not known have no arc. Labels are compared as they are.
    """
    found: list[Arc] = []
    system = gold if system is None else system
    for dependent in range(1, len(gold.words)):
        head, label = int(gold.heads[dependent]), gold.deprels[dependent]
        other_head, other = int(system.heads[dependent]), system.deprels[dependent]
        if head == other_head and head >= 0:
            kind: Kind = "both" if label == other else "label"
            found.append(Arc(head, dependent, label, kind, other if kind == "label" else ""))
            continue
        if head >= 0:
            found.append(Arc(head, dependent, label, "gold"))
        if other_head >= 0:
            found.append(Arc(other_head, dependent, other, "system"))
    return found


def levels(spans: Sequence[tuple[int, int]], rooms: Sequence[tuple[int, int]]) -> list[int]:
    """Return the height of each arc, 1 for the lowest; arcs over the same words have different heights.

    Short arcs are placed first, each just above those already between its ends. So an arc is above all those that it
    encloses, and arcs cross only if one starts inside the other and ends outside. A span has the first and last
    position of an arc, ``first < last``; its room, which includes it, those of arc and label.

    >>> arcs = [(1, 2), (1, 3), (3, 4), (1, 3)]
    >>> levels(arcs, arcs)
    [1, 2, 1, 3]
    """
    heights = [0] * len(spans)
    start = min((first for first, _ in rooms), default=0)
    over = np.zeros(max((last for _, last in rooms), default=0) - start, np.int64)  # height between neighbours
    for i in sorted(range(len(spans)), key=lambda i: (spans[i][1] - spans[i][0], spans[i], i)):
        between = over[rooms[i][0] - start : rooms[i][1] - start]
        heights[i] = int(between.max()) + 1
        between[:] = heights[i]
    return heights
