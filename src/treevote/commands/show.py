"""``treevote show``: the trees of a file, and the differences of a system, in the terminal or as SVG."""

from __future__ import annotations

import difflib
import pydoc
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as short
from typing import Literal

import numpy as np

from treevote.conll.reader import read
from treevote.corpus.sentence import Sentence, sent_id
from treevote.corpus.treebank import Format, Treebank
from treevote.corpus.trees import is_projective, is_tree
from treevote.drawing import svg, text
from treevote.errors import InputError
from treevote.evaluation.counts import require_same_sentences
from treevote.visibility import visible

MAX_PICTURES = 100
"""Maximum number of sentences in one SVG file."""

_RANGE = re.compile("[0-9]{1,9}-([0-9]{1,9})?|-[0-9]{1,9}")


@dataclass(frozen=True)
class Chosen:
    """The sentences to be shown.

    Attributes
    ----------
    gold : Treebank
        All sentences of the file.
    system : Treebank or None
        The same sentences as a system parsed them.
    numbers : tuple of int
        Numbers of the sentences to show, from 1.
    """

    gold: Treebank
    system: Treebank | None
    numbers: tuple[int, ...]


def show(
    path: str | Path,
    *,
    sentences: str | None = None,
    id: str | None = None,
    against: str | Path | None = None,
    format: Format | Literal["auto"] = "auto",
) -> Chosen:
    """Read a file and choose sentences of it.

    Parameters
    ----------
    path : path
        Sentences, with trees or without.
    sentences : str, optional
        Numbers and ranges, such as ``"3"``, ``"3-7"``, ``"3-"`` or ``"1,5-8"``; without it and ``id`` all of them.
    id : str, optional
        The ``sent_id`` of the sentence; with ``sentences`` too, it is shown as well.
    against : path, optional
        The same sentences as a system parsed them.
    format : {"auto", "conllu", "conllx"}, default="auto"
        Format of the files.

    Raises
    ------
    InputError
        If a file cannot be read, a sentence is not there, or the files do not have the same sentences.
    """
    gold = read(path, format=format, trees="optional")
    system = None if against is None else read(against, format=format, trees="optional")
    if system is not None:
        require_same_sentences(gold, system)
    if sentences is None and id is None:
        return Chosen(gold, system, tuple(range(1, gold.n_sentences + 1)))
    numbers = [] if sentences is None else numbers_of(sentences, gold.n_sentences)
    return Chosen(gold, system, (*numbers, *([] if id is None else [_number_of(id, gold)])))


def numbers_of(choice: str, n_sentences: int) -> list[int]:
    """Return the numbers of a choice, in its order.

    Raises
    ------
    InputError
        If it is not understood, or there is no such sentence.

    Examples
    --------
    >>> numbers_of("2,4-", 5)
    [2, 4, 5]
    """
    numbers: list[int] = []
    for part in choice.split(","):
        begin, dash, end = map(str.strip, part.partition("-"))
        if not _RANGE.fullmatch(f"{begin}-{end}"):
            raise InputError(
                f"expected numbers of sentences, such as 3, 3-7 or 1,5-8, found {short(part)}",
                remedy=f"give numbers from 1 to {n_sentences}",
            )
        first = int(begin or 1)
        last = int(end or n_sentences) if dash else first
        if not 1 <= first <= last <= n_sentences:
            problem = f"expected sentences from 1 to {n_sentences:,}, found {part.strip()}"
            raise InputError(problem, remedy="choose among these")
        numbers += range(first, last + 1)
    return numbers


def as_text(chosen: Chosen, width: int | None = None) -> str:
    """Return the drawings for a terminal, each under a heading; see `treevote.drawing.text`."""
    parts = []
    for number in chosen.numbers:
        gold, system = _pair(chosen, number)
        drawing = text.draw(gold, system, width=width)
        parts.append("\n".join([*_heading(chosen, number, gold, system), "", *drawing]))
    return "\n\n\n".join(parts) + "\n"


def as_svg(chosen: Chosen) -> bytes:
    """Return an SVG file with the drawings below each other; see `treevote.drawing.svg`.

    Raises
    ------
    InputError
        If there are too many sentences for one picture.
    """
    if len(chosen.numbers) > MAX_PICTURES:
        raise InputError(
            f"expected at most {MAX_PICTURES} sentences for one SVG file, found {len(chosen.numbers):,}",
            remedy="choose some with --sentence",
        )
    pictures = [(_name(chosen.gold, number), svg.draw(*_pair(chosen, number))) for number in chosen.numbers]
    return svg.document(pictures, two_trees=chosen.system is not None).encode()


def shown(chosen: Chosen) -> None:
    """Write the drawings to standard output: page by page in a terminal, as plain UTF-8 text anywhere else."""
    size = shutil.get_terminal_size() if sys.stdout.isatty() else None
    drawings = as_text(chosen, size.columns if size else None)
    if size and drawings.count("\n") >= size.lines:
        pydoc.pager(drawings)
    else:
        sys.stdout.buffer.write(drawings.encode())  # whatever the encoding of the terminal


def _pair(chosen: Chosen, number: int) -> tuple[Sentence, Sentence | None]:
    system = None if chosen.system is None else chosen.system.sentence(number - 1)
    return chosen.gold.sentence(number - 1), system


def _heading(chosen: Chosen, number: int, gold: Sentence, system: Sentence | None) -> list[str]:
    """Return number and sent_id, text, peculiarities of the tree, and the number of words that a system has right."""
    heading = [_name(chosen.gold, number), visible(" ".join(word.form for word in gold.words[1:]))]
    if unusual := _unusual(gold):
        heading.append(f"({unusual})")
    if system is not None and chosen.system is not None:
        known = gold.heads >= 0
        heads = known & (gold.heads == system.heads)
        both = sum(gold.deprels[word] == system.deprels[word] for word in np.flatnonzero(heads).tolist())
        same = f"{int(heads.sum())} of {int(known.sum())} heads are the same, {both} with the same label"
        heading.append(f"{text.DIFFERS} {visible(chosen.system.name)}: {same}")
    return heading


def _unusual(sentence: Sentence) -> str:
    """Return the peculiarities of a tree; empty if there is none."""
    heads = sentence.heads
    missing, n_roots = int((heads[1:] < 0).sum()), int((heads == 0).sum())
    if missing == len(heads) - 1:
        return "no heads"
    if missing:
        return f"{missing} of {len(heads) - 1} words without a head"
    if not is_tree(heads):
        return "not a tree: its heads have a cycle"
    parts = [] if n_roots == 1 else [f"{n_roots} roots"]
    return ", ".join(parts if is_projective(heads) else [*parts, "non-projective"])


def _name(treebank: Treebank, number: int) -> str:
    id = visible(_sent_id(treebank, number))
    return f"sentence {number} of {treebank.n_sentences:,}" + (f", {id}" if id else "")


def _sent_id(treebank: Treebank, number: int) -> str:
    if treebank.source is None:
        return ""
    start = int(treebank.offsets[number - 1])
    return sent_id(treebank.source.lines[treebank.source.line_of[start] : treebank.source.line_of[start + 1]])


def _number_of(id: str, treebank: Treebank) -> int:
    """Return the number of the first sentence with a sent_id."""
    ids = [_sent_id(treebank, number) for number in range(1, treebank.n_sentences + 1)]
    if id in ids:
        return ids.index(id) + 1
    near = difflib.get_close_matches(id, ids, n=1, cutoff=0.6)
    raise InputError(
        f"expected a sentence with the sent_id {id!r}, found none" + (f" (the nearest is {near[0]!r})" if near else ""),
        path=treebank.source.path if treebank.source else treebank.name,
        remedy="choose by number with --sentence",
    )
