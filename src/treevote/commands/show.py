"""``treevote show``: the trees of a file, and the differences of a system, in the terminal or as SVG."""

from __future__ import annotations

import difflib
import pydoc
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as short
from typing import Literal

import numpy as np

from treevote.conll.reader import read
from treevote.corpus.sentence import Sentence, sent_id
from treevote.corpus.treebank import Format, Treebank
from treevote.corpus.trees import is_projective, is_tree, per_sentence
from treevote.drawing import svg, text
from treevote.errors import ConfigError, InputError
from treevote.evaluation.agreement import arcs_of
from treevote.evaluation.calibration import COLUMNS, confidence_of, has_confidence
from treevote.evaluation.counts import require_same_sentences
from treevote.evaluation.names import named
from treevote.kernels import Floats
from treevote.visibility import visible

MAX_PICTURES = 100
"""Maximum number of sentences in one SVG file."""

WIDTH = 960
"""Width of a picture in CSS pixels."""

_TEXT = re.compile(r"#\s*text\s*=\s*(.+)")
_RANGE = re.compile("[0-9]{1,9}-([0-9]{1,9})?|-[0-9]{1,9}")


@dataclass(frozen=True)
class Chosen:
    """The sentences to be shown, by their numbers from 1, of a file and of a system with the same sentences.

    ``confidence`` is that of each arc with its label, shape (n_slots,), if the file carries it, or the system's.
    """

    gold: Treebank
    system: Treebank | None
    numbers: tuple[int, ...]
    confidence: Floats | None = None
    name: str = ""

    def trees(self, number: int) -> tuple[Sentence, Sentence | None, list[float] | None]:
        """Return a sentence, that of the system, and the confidence of each word, of which the first is ROOT's."""
        first, last = self.gold.offsets[number - 1 : number + 1].tolist()
        sure = None if self.confidence is None else self.confidence[first:last].tolist()
        return self.gold.sentence(number - 1), None if self.system is None else self.system.sentence(number - 1), sure


def show(
    path: str | Path,
    *,
    sentences: str | None = None,
    id: str | None = None,
    against: str | Path | None = None,
    sort: Literal["file", "unsure", "differing"] = "file",
    differing: bool = False,
    worst: int | None = None,
    format: Format | Literal["auto"] = "auto",
) -> Chosen:
    """Read a file and choose sentences of it: by numbers and ranges such as ``"1,5-8"``, by ``sent_id``, or all.

    They are in the order of the file; with ``"unsure"`` the lowest mean confidence of the arcs is first, with
    ``"differing"`` the most arcs that differ from those of ``against``. ``worst`` is the number of sentences with most
    different arcs, or without ``against`` of the least sure ones. InputError if a sentence or the confidence is
    missing; ConfigError if differences are asked for without a second file.
    """
    gold = read(path, format=format, trees="optional")
    name, file = ("", None) if against is None else next(iter(named([against]).items()))
    system = None if file is None else read(file, format=format, trees="optional")
    if system is not None:
        require_same_sentences(gold, system)
    if system is None and (differing or sort == "differing"):
        raise ConfigError("differences need a second file; give it with --against")
    numbers = list(range(1, gold.n_sentences + 1))
    if sentences is not None or id is not None:
        numbers = [] if sentences is None else numbers_of(sentences, gold.n_sentences)
        numbers += [] if id is None else [_number_of(id, gold)]
    sure, wrong = _confidence(gold), None
    if system is not None:
        sure = _confidence(system) if sure is None else sure
        ours, theirs = arcs_of([gold, system])
        differ = gold.is_token & ((ours.heads != theirs.heads) | (ours.deprels != theirs.deprels))
        wrong = per_sentence(differ, gold.offsets)
    if differing and wrong is not None:
        numbers = [number for number in numbers if wrong[number - 1]]
    if worst is not None and sort == "file":
        sort = "unsure" if system is None else "differing"
    if sort == "differing" and wrong is not None:
        numbers.sort(key=lambda number: -int(wrong[number - 1]))
    elif sort == "unsure":
        if sure is None:
            problem = "expected confidence in MISC, found none"
            raise InputError(problem, path=gold.title, remedy="parse with --confidence")
        sums = np.bincount(gold.sentence_of[gold.is_token], sure[gold.is_token], gold.n_sentences)
        mean = sums / np.maximum(gold.lengths, 1)
        numbers.sort(key=lambda number: float(mean[number - 1]))
    return Chosen(gold, system, tuple(numbers[:worst]), sure, name)


def _confidence(treebank: Treebank) -> Floats | None:
    """Return the confidence of each arc with its label; None if the file carries none."""
    if not has_confidence(treebank):
        return None
    try:
        return confidence_of(treebank, COLUMNS["label"])
    except InputError:
        return None


def numbers_of(choice: str, n_sentences: int) -> list[int]:
    """Return the numbers of a choice, in its order; InputError if it or a number is not understood."""
    numbers: list[int] = []
    for part in choice.split(","):
        begin, dash, end = map(str.strip, part.partition("-"))
        if not _RANGE.fullmatch(f"{begin}-{end}"):
            problem = f"expected numbers of sentences, such as 3, 3-7 or 1,5-8, found {short(part)}"
            raise InputError(problem, remedy=f"give numbers from 1 to {n_sentences}")
        first = int(begin or 1)
        last = int(end or n_sentences) if dash else first
        if not 1 <= first <= last <= n_sentences:
            problem = f"expected sentences from 1 to {n_sentences:,}, found {part.strip()}"
            raise InputError(problem, remedy="choose among these")
        numbers += range(first, last + 1)
    return numbers


def as_text(chosen: Chosen, width: int | None = None) -> str:
    """Return the drawings for a terminal, each under a heading; see `treevote.drawing.text`."""
    if not chosen.numbers:
        return "no sentence differs\n"
    parts = []
    for number in chosen.numbers:
        gold, system, confidence = chosen.trees(number)
        drawing = text.draw(gold, system, width=width, confidence=confidence)
        parts.append("\n".join([*_heading(chosen, number), "", *drawing]))
    return "\n\n\n".join(parts) + "\n"


def as_svg(chosen: Chosen, width: float = WIDTH) -> bytes:
    """Return an SVG file with the drawings below each other; InputError if they are too many."""
    if len(chosen.numbers) > MAX_PICTURES:
        raise InputError(
            f"expected at most {MAX_PICTURES} sentences for one SVG file, found {len(chosen.numbers):,}",
            remedy="choose some with --sentence, or name a folder, for a file of each",
        )
    return _document(chosen, chosen.numbers, width)


def as_svgs(chosen: Chosen, width: float = WIDTH) -> Iterator[tuple[str, bytes]]:
    """Yield an SVG file for each sentence, with its name: ``sentence-NUMBER.svg``."""
    digits = len(str(chosen.gold.n_sentences))
    for number in chosen.numbers:
        yield f"sentence-{number:0{digits}}.svg", _document(chosen, [number], width)


def _document(chosen: Chosen, numbers: Sequence[int], width: float) -> bytes:
    pictures = []
    for number in numbers:
        gold, system, confidence = chosen.trees(number)
        drawing = svg.draw(gold, system, width=width, confidence=confidence)
        pictures.append((_heading(chosen, number)[0], drawing))
    return svg.document(pictures, two_trees=chosen.system is not None, confident=chosen.confidence is not None).encode()


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
    gold, system, confidence = chosen.trees(number)
    id = visible(_sent_id(chosen.gold, number))
    name = f"sentence {number} of {chosen.gold.n_sentences:,}" + (f", {id}" if id else "")
    heading = [name, visible(_text_of(chosen.gold, number, gold))]
    if confidence is not None and len(gold.words) > 1:
        sure = np.array(confidence)[1:]
        heading.append(f"mean confidence {sure.mean():.2f}, least {sure.min():.2f} (? below {text.UNSURE:g})")
    if unusual := _unusual(gold):
        heading.append(f"({unusual})")
    if system is not None:
        known = gold.heads >= 0
        heads = known & (gold.heads == system.heads)
        both = sum(gold.deprels[word] == system.deprels[word] for word in np.flatnonzero(heads).tolist())
        same = f"{int(heads.sum())} of {int(known.sum())} heads are the same, {both} with the same label"
        heading.append(f"{text.DIFFERS} {visible(chosen.name)}: {same}")
    return heading


def _text_of(treebank: Treebank, number: int, sentence: Sentence) -> str:
    """Return the text of a sentence: that of its comment ``# text``, else its words."""
    for line in treebank.comments(number - 1) if treebank.source is not None else ():
        if match := _TEXT.fullmatch(line.rstrip()):
            return match[1]
    return " ".join(word.form for word in sentence.words[1:])


def _unusual(sentence: Sentence) -> str:
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


def _sent_id(treebank: Treebank, number: int) -> str:
    if treebank.source is None:
        return ""
    start = int(treebank.offsets[number - 1])
    return sent_id(treebank.source.lines[treebank.source.line_of[start] : treebank.source.line_of[start + 1]])


def _number_of(id: str, treebank: Treebank) -> int:
    ids = [_sent_id(treebank, number) for number in range(1, treebank.n_sentences + 1)]
    if id in ids:
        return ids.index(id) + 1
    near = difflib.get_close_matches(id, ids, n=1, cutoff=0.6)
    raise InputError(
        f"expected a sentence with the sent_id {id!r}, found none" + (f" (the nearest is {near[0]!r})" if near else ""),
        path=treebank.source.path if treebank.source else treebank.name,
        remedy="choose by number with --sentence",
    )
