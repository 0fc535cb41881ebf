"""``treevote show``: the trees of a file, and the differences of a system, in the terminal or as SVG."""

from __future__ import annotations

import difflib
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as short
from typing import Literal

import numpy as np

from treevote.conll.reader import read
from treevote.corpus.sentence import Sentence, sent_id
from treevote.corpus.treebank import LIGHT, Format, Treebank
from treevote.corpus.trees import per_sentence
from treevote.errors import ConfigError, InputError
from treevote.evaluation.agreement import arcs_of, disagreement
from treevote.evaluation.calibration import COLUMNS, confidence_of
from treevote.evaluation.counts import require_same_sentences
from treevote.evaluation.lights import NAMES
from treevote.evaluation.names import named
from treevote.kernels import Doubles

_RANGE = re.compile("[0-9]{1,9}-([0-9]{1,9})?|-[0-9]{1,9}")


@dataclass(frozen=True)
class Chosen:
    """The sentences to be shown, by their numbers from 1, of a file and of a system with the same sentences.

    ``confidence`` is that of each arc with its label, shape (n_slots,), if the file carries it, or the system's;
    ``lights`` are those of all slots, empty for none.
    """

    gold: Treebank
    system: Treebank | None
    numbers: tuple[int, ...]
    confidence: Doubles | None
    name: str
    lights: tuple[str, ...] | None
    lit: Literal["gold", "system"]  # the tree whose arcs have the lights

    def trees(self, number: int) -> tuple[Sentence, Sentence | None, list[float] | None, tuple[str, ...] | None]:
        """Return a sentence, that of the system, and confidence and light of each word, of which the first is ROOT."""
        first, last = self.gold.offsets[number - 1 : number + 1].tolist()
        system = None if self.system is None else self.system.sentence(number - 1)
        sure = None if self.confidence is None else self.confidence[first:last].tolist()
        return self.gold.sentence(number - 1), system, sure, None if self.lights is None else self.lights[first:last]


def show(
    path: str | Path,
    *,
    sentences: str | None,
    id: str | None,
    against: str | Path | None,
    sort: Literal["file", "unsure", "differing"],
    differing: bool,
    worst: int | None,
    format: Format | Literal["auto"],
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
        numbers = [] if sentences is None else numbers_of(sentences, gold)
        numbers += [] if id is None else [_number_of(id, gold)]
    sure, wrong = _confidence(gold), None
    if system is not None:
        sure = _confidence(system) if sure is None else sure
        wrong = per_sentence(gold.is_token & disagreement(*arcs_of([gold, system])), gold.offsets)
    if differing and wrong is not None:
        numbers = [number for number in numbers if wrong[number - 1]]
    if worst is not None and sort == "file":
        sort = "unsure" if system is None else "differing"
    if sort == "differing" and wrong is not None:
        numbers.sort(key=lambda number: -int(wrong[number - 1]))
    elif sort == "unsure":
        sure = confidence_of(gold, COLUMNS["label"]) if sure is None else sure  # a fault names the token
        sums = np.bincount(gold.sentence_of[gold.is_token], sure[gold.is_token], gold.n_sentences)
        mean = sums / np.maximum(gold.lengths, 1)
        numbers.sort(key=lambda number: float(mean[number - 1]))
    own = _lights(gold)
    lights = _lights(system) if own is None and system is not None else own
    lit: Literal["gold", "system"] = "gold" if lights is own else "system"
    return Chosen(gold, system, tuple(numbers[:worst]), sure, name, lights, lit)


def _lights(treebank: Treebank) -> tuple[str, ...] | None:
    """Return the light of each slot in MISC, empty for none; None if the file carries none."""
    source = treebank.source
    assert source is not None, "read from a file"
    found, slots = [""] * len(treebank.tokens), np.flatnonzero(treebank.is_token)
    for slot, misc in zip(slots.tolist(), source.misc(slots), strict=True):
        values = (item.partition("=")[2] for item in misc.split("|") if item.startswith(f"{LIGHT}="))
        found[slot] = next((value for value in values if value in NAMES), "")
    return tuple(found) if any(found) else None


def _confidence(treebank: Treebank) -> Doubles | None:
    """Return the confidence of each arc with its label; None if the file carries none."""
    with suppress(InputError):
        return confidence_of(treebank, COLUMNS["label"])
    return None


def numbers_of(choice: str, treebank: Treebank) -> list[int]:
    """Return the numbers of a choice, in its order; InputError if it or a number is not understood."""
    n_sentences, numbers = treebank.n_sentences, list[int]()
    for part in choice.split(","):
        begin, dash, end = map(str.strip, part.partition("-"))
        if not _RANGE.fullmatch(f"{begin}-{end}"):
            problem = f"expected numbers of sentences, such as 3, 3-7 or 1,5-8, found {short(part)}"
            raise InputError(problem, path=treebank.title, remedy=f"give numbers from 1 to {n_sentences}")
        first = int(begin or 1)
        last = int(end or n_sentences) if dash else first
        if not 1 <= first <= last <= n_sentences:
            problem = f"expected sentences from 1 to {n_sentences:,}, found {part.strip()}"
            raise InputError(problem, path=treebank.title, remedy="choose among these")
        numbers += range(first, last + 1)
    return numbers


def _number_of(id: str, treebank: Treebank) -> int:
    ids = [sent_id(treebank.comments(i)) for i in range(treebank.n_sentences)]
    numbers = [number for number, own in enumerate(ids, 1) if own == id]
    if len(numbers) == 1:
        return numbers[0]
    if numbers:
        found = f"{len(numbers)} (the first are the sentences {numbers[0]} and {numbers[1]})"
    else:
        near = difflib.get_close_matches(id, ids, n=1, cutoff=0.6)
        found = f"none (the nearest is {near[0]!r})" if near else "none"
    problem = f"expected a sentence with the sent_id {id!r}, found {found}"
    raise InputError(problem, path=treebank.title, remedy="choose by number with --sentence")
