"""The trees of some sentences in the terminal, or as SVG; with those of a system, and what is unusual in them."""

from __future__ import annotations

import pydoc
import shutil
import sys
from collections.abc import Iterator, Sequence

import numpy as np

from treevote.commands.show import Chosen
from treevote.corpus.sentence import Sentence, sent_id
from treevote.corpus.trees import is_projective, is_tree
from treevote.drawing import svg, text
from treevote.errors import InputError
from treevote.visibility import visible

MAX_PICTURES = 100
"""Maximum number of sentences in one SVG file."""

WIDTH = 960
"""Width of a picture in CSS pixels."""


def as_text(chosen: Chosen, width: int | None = None) -> str:
    """Return the drawings for a terminal, each under a heading; see `treevote.drawing.text`."""
    if not chosen.numbers:
        return "no sentence differs\n"
    parts = []
    for number in chosen.numbers:
        gold, system, confidence, lights = chosen.trees(number)
        drawing = text.draw(gold, system, width=width, confidence=confidence, lights=lights, lit=chosen.lit)
        parts.append("\n".join([*_heading(chosen, number), "", *drawing]))
    return "\n\n\n".join(parts) + "\n"


def as_svg(chosen: Chosen, width: float = WIDTH) -> bytes:
    """Return an SVG file with the drawings below each other; InputError if they are too many."""
    if len(chosen.numbers) > MAX_PICTURES:
        problem = f"expected at most {MAX_PICTURES} sentences for one SVG file, found {len(chosen.numbers):,}"
        raise InputError(problem, remedy="choose some with --sentence, or name a folder, for a file of each")
    return _document(chosen, chosen.numbers, width)


def as_svgs(chosen: Chosen, width: float = WIDTH) -> Iterator[tuple[str, bytes]]:
    """Yield an SVG file for each sentence, with its name: ``sentence-NUMBER.svg``."""
    digits = len(str(chosen.gold.n_sentences))
    for number in chosen.numbers:
        yield f"sentence-{number:0{digits}}.svg", _document(chosen, [number], width)


def _document(chosen: Chosen, numbers: Sequence[int], width: float) -> bytes:
    pictures = []
    for number in numbers:
        gold, system, confidence, lights = chosen.trees(number)
        drawing = svg.draw(gold, system, width=width, confidence=confidence, lights=lights, lit=chosen.lit)
        pictures.append((_heading(chosen, number)[0], drawing))
    marked = {"confident": chosen.confidence is not None, "lit": chosen.lights is not None}
    return svg.document(pictures, two_trees=chosen.system is not None, **marked).encode()


def shown(chosen: Chosen, width: int | None = None) -> None:
    """Write the drawings to standard output: page by page in a terminal, as plain UTF-8 text anywhere else.

    Lines are cut off at ``width`` columns, by default at those of the terminal.
    """
    size = shutil.get_terminal_size() if sys.stdout.isatty() else None
    drawings = as_text(chosen, width or (size.columns if size else None))
    if size and drawings.count("\n") >= size.lines:
        pydoc.pager(drawings)
    else:
        sys.stdout.buffer.write(drawings.encode())  # whatever the encoding of the terminal


def _heading(chosen: Chosen, number: int) -> list[str]:
    """Return number and sent_id, text, peculiarities of the tree, and the number of words that a system has right."""
    gold, system, confidence, lights = chosen.trees(number)
    id = visible(sent_id(chosen.gold.comments(number - 1)))
    name = f"sentence {number} of {chosen.gold.n_sentences:,}" + (f", {id}" if id else "")
    heading = [name, visible(gold.text)]
    if confidence is not None and len(gold.words) > 1:
        sure = np.array(confidence)[1:]
        mark = f" (? below {text.UNSURE:g})" if lights is None else ""
        heading.append(f"mean confidence {sure.mean():.2f}, least {sure.min():.2f}{mark}")
    if lights is not None:
        told = (f"{lights.count(light)} {light} ({mark})" for light, mark in text.DOUBT.items())
        of = f" of {visible(chosen.name)}" if chosen.lit == "system" else ""
        heading.append(f"lights{of}: {lights.count('green')} green, {', '.join(told)}")
    if unusual := _unusual(gold):
        heading.append(f"({unusual})")
    if system is not None:
        known = gold.heads >= 0
        heads = known & (gold.heads == system.heads)
        both = sum(gold.deprels[word] == system.deprels[word] for word in np.flatnonzero(heads).tolist())
        same = f"{int(heads.sum())} of {int(known.sum())} heads are the same, {both} with the same label"
        heading.append(f"{text.DIFFERS} {visible(chosen.name)}: {same}")
    return heading


def _unusual(sentence: Sentence) -> str:
    heads = sentence.heads
    missing, n_roots = int((heads[1:] < 0).sum()), int((heads == 0).sum())
    if missing == len(heads) - 1:
        return "no heads"
    parts = [f"{missing} of {len(heads) - 1} words without a head"] if missing else []
    parts += [f"{n_roots} roots"] if n_roots > 1 else []
    whole = np.append(heads[:1], np.maximum(heads[1:], 0))  # words without a head may be roots
    if not is_tree(whole):
        parts.append("not a tree: its heads have a cycle")
    elif not missing and not is_projective(heads):
        parts.append("non-projective")
    return ", ".join(parts)
