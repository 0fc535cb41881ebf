"""A tree for a terminal: a line for each word, drawn to the right of its head.

Such a drawing is as wide for a long sentence as for a short one, keeps words of right-to-left scripts and wide
characters intact, and has room for tag, label and the differences of a system beside each word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rich.cells import cell_len

from treevote.corpus.sentence import Sentence
from treevote.drawing.forest import bars, forest, lines
from treevote.drawing.widths import right_to_left, shortened
from treevote.visibility import visible

MAX_COLUMNS = 40
"""Maximum number of columns of lines; a tree that needs more is described in words."""

ROOM_FOR_WORDS, MIN_WORDS = 40, 16
"""Columns reserved for all but the lines, and minimum number of columns for lines and form."""

UNSURE = 0.7
"""Arcs with a lower confidence are marked with a question mark."""

DOUBT = {"yellow": "?", "red": "??"}
"""Marks of the lights of doubtful arcs."""

DIFFERS = "≠"
"""The sign before the head and label of a system."""

LEFT_TO_RIGHT, ISOLATE, END = "\u200e", "\u2068", "\u2069"


def draw(
    gold: Sentence,
    system: Sentence | None = None,
    *,
    width: int | None = None,
    confidence: Sequence[float] | None = None,
    lights: Sequence[str] | None = None,
    lit: Literal["gold", "system"] = "gold",
) -> list[str]:
    r"""Return the lines of a drawing: number, tree, form, UPOS, deprel, confidence, and how a system differs.

    Several roots, cycles and tokens without a head are drawn and noted. ``width`` is the number of columns of the
    terminal: longer lines are cut off. An arc whose confidence, one of n + 1, is below `UNSURE` is marked; where there
    are ``lights``, a yellow and a red arc are, by one and two question marks; ``lit`` is the tree whose arcs have them.

    >>> from treevote.corpus.treebank import Treebank
    >>> words, labels = ["the", "dog", "barks", "loudly"], ["det", "nsubj", "root", "advmod"]
    >>> gold, parse = Treebank.of([(words, [2, 3, 0, 3], labels), (words, [2, 3, 0, 2], labels)])
    >>> print(*draw(gold, parse), sep="\n")
    1    ╭── the   _  det
    2  ╭─╯ dog     _  nsubj
    3 ─┤ barks     _  root
    4  ╰── loudly  _  advmod  ≠ of 2 dog
    """
    n = len(gold.words) - 1
    if not n:
        return []
    heads = forest(gold.heads.tolist())
    n_columns = MAX_COLUMNS if width is None else min(MAX_COLUMNS, max(width - ROOM_FOR_WORDS, 2) // 2)
    placed = bars(heads, n_columns)
    trees = [""] * (n + 1) if placed is None else lines(heads, placed)
    forms = [visible(word.form) for word in gold.words]
    forms = [f"{ISOLATE}{form}{END}" if right_to_left([form]) else form for form in forms]
    tags = _column([visible(word.upos) for word in gold.words[1:]])
    is_named = [placed is None or cut < 0 for cut in heads]  # the head, which no line shows
    labels = _column([_label(gold, word, forms, is_named[word]) for word in range(1, n + 1)])
    if confidence is not None:
        sure = [f"{value:.2f}{' ?' if is_unsure(value) and lights is None else ''}" for value in confidence[1:]]
        labels = _column([f"{label}  {number}" for label, number in zip(labels, sure, strict=True)])
    notes = [""] * n if system is None else [_note(gold, system, word, forms) for word in range(1, n + 1)]
    if lights is not None:
        marks = [DOUBT.get(light, "") for light in lights[1:]]
        behind = [bool(note) and lit == "system" for note in notes]  # the note, which has the arc of the system
        labels = _column([f"{label} {'' if b else mark}" for label, mark, b in zip(labels, marks, behind, strict=True)])
        notes = [f"{note} {mark if b else ''}".rstrip() for note, mark, b in zip(notes, marks, behind, strict=True)]
    numbers = [str(word).rjust(len(str(n))) for word in range(1, n + 1)]
    room = None if width is None else max(width - cell_len(f"{numbers[0]}   {tags[0]}  {labels[0]}"), MIN_WORDS)
    words = [f"{tree} {form}" if tree else form for tree, form in zip(trees[1:], forms[1:], strict=True)]
    words = _column(words if room is None else [_cut(word, room) for word in words])

    rows = ["{} {}  {}  {}  {}".format(*row).rstrip() for row in zip(numbers, words, tags, labels, notes, strict=True)]
    if placed is None:
        rows.insert(0, f"(a tree of more than {n_columns} columns: told, not drawn)")
    rows = rows if width is None else [_cut(row, width) for row in rows]
    return [LEFT_TO_RIGHT + row if ISOLATE in row else row for row in rows]  # a terminal starts them at the left


def is_unsure(confidence: float) -> bool:
    """Tell whether a confidence is marked: whether it is below `UNSURE` as it is shown, with two places.

    >>> is_unsure(0.69), is_unsure(0.696)
    (True, False)
    """
    return round(confidence, 2) < UNSURE


def _cut(text: str, width: int) -> str:
    """Return a text that takes at most ``width`` columns; a right-to-left word that was cut has its end."""
    cut = shortened(text, width)
    return cut + END * (cut.count(ISOLATE) - cut.count(END))


def _column(cells: list[str]) -> list[str]:
    """Return the cells, all as wide as the widest."""
    width = max(map(cell_len, cells), default=0)
    return [cell + " " * (width - cell_len(cell)) for cell in cells]


def _label(sentence: Sentence, word: int, forms: list[str], is_named: bool) -> str:
    """Return the label of a word, and its head where the drawing does not show it."""
    head, label = int(sentence.heads[word]), visible(sentence.deprels[word])
    if head < 0:
        return "(no head)"
    return f"{label} of {head} {forms[head]}" if is_named and head else label


def _note(gold: Sentence, system: Sentence, word: int, forms: list[str]) -> str:
    """Return the head and label of the system where they differ from the gold ones."""
    head, gold_head = int(system.heads[word]), int(gold.heads[word])
    label = visible(system.deprels[word])
    parts = [] if gold.deprels[word] == system.deprels[word] else [label]
    if head != gold_head:
        parts = ["no head"] if head < 0 else [*parts, f"of {head} {forms[head]}" if head else "on ROOT"]
    return " ".join([DIFFERS, *parts]) if parts else ""
