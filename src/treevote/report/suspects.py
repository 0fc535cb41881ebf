"""The page of a diagnosis: the suspects by kind, each with its words, what is there and what the parsers say."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from treevote.annotation.suspects import KINDS, Diagnosis, Kind, Suspect
from treevote.corpus.sentence import ROOT, Sentence
from treevote.drawing import svg
from treevote.report import doctor
from treevote.report.page import write_page
from treevote.report.trees import for_all_widths
from treevote.visibility import visible

DRAWN, LISTED = 60, 400
"""Maximum numbers of suspects of a kind with a drawing, and of those in the table below them."""

AROUND, WIDEST, QUOTED = 2, 24, 60
"""Words of a drawing on both sides of an arc, the maximum number of its words, and the words that are quoted on both
sides of a suspect."""


def write_report(diagnosis: Diagnosis, path: str | os.PathLike[str], *, command: str = "", date: str = "") -> None:
    """Write the page to a file; the same diagnosis, command and date give the same bytes."""
    found = [group for kind in KINDS if (group := _group(diagnosis, kind))["total"]]
    content = {"diagnosis": diagnosis, "sentence": doctor.sentence(diagnosis), "groups": found, "legend": LEGEND}
    write_page("doctor.html", path, **content, arc=doctor.arc, command=command, date=date)


LEGEND = {
    "gold": "the annotation",
    "system": "suggested instead",
    "label": "same head, other label (given ≠ suggested)",
}
"""Meaning of the strokes of a drawing."""


def _group(diagnosis: Diagnosis, kind: Kind) -> dict[str, Any]:
    """Return the suspects of a kind: those with a drawing, with the words around them, and those in a table."""
    own = [one for one in diagnosis.suspects if one.kind == kind]
    drawn = []
    for one in own[:DRAWN]:
        sentence = diagnosis.treebank.sentence(one.sentence)
        first, last = max(1, one.token - QUOTED), min(len(sentence.words) - 1, one.token + QUOTED)
        words = [(i, sentence.words[i].form) for i in range(first, last + 1)]
        drawn.append((one, words, _drawing(sentence, one)))
    listed = own[DRAWN : DRAWN + LISTED]
    return {"kind": kind, "title": KINDS[kind], "total": len(own), "drawn": drawn, "listed": listed}


def _drawing(sentence: Sentence, suspect: Suspect) -> str:
    """Return the words around the arcs of a suspect with their arcs, and the suggested one over the given one."""
    ends = [suspect.token, *(of.head for of in (suspect.given, suspect.suggested) if of is not None and of.head)]
    first, last = max(1, min(ends) - AROUND), min(len(sentence.words) - 1, max(ends) + AROUND)
    if last - first >= WIDEST:
        kept = sorted({i for end in ends for i in range(max(first, end - AROUND), min(last, end + AROUND) + 1)})
    else:
        kept = list(range(first, last + 1))
    places = {0: 0, **{old: new for new, old in enumerate(kept, start=1)}}
    own = _part(sentence, places)
    at, other = places[suspect.token], suspect.suggested
    heads, deprels = own.heads.copy(), list(own.deprels)
    heads[at], deprels[at] = (-1, "") if other is None else (places[other.head], other.deprel)
    system = Sentence(own.words, heads, tuple(deprels))
    title = visible(f"{suspect.form}: {doctor.arc(suspect.given)}; suggested: {doctor.arc(other)}")
    return for_all_widths(partial(svg.draw, own, system, title=title))


def _part(sentence: Sentence, places: Mapping[int, int]) -> Sentence:
    """Return the words of a sentence that have places, ROOT first, with the arcs among them; others have no arc."""
    _, *kept = places
    heads = np.array([-1, *(places.get(int(sentence.heads[i]), -1) for i in kept)], np.int32)
    deprels = ("", *(sentence.deprels[i] if heads[places[i]] >= 0 else "" for i in kept))
    return Sentence((ROOT, *(sentence.words[i] for i in kept)), heads, deprels)
