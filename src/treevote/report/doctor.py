"""A diagnosis of a treebank as text, JSON, a list of cases to acknowledge, CoNLL-U, and a page of suspects by kind."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from treevote.annotation.suspects import KINDS, Arc, Diagnosis, Kind, Suspect
from treevote.conll.writer import with_items
from treevote.corpus.sentence import ROOT, Sentence, Word
from treevote.drawing import svg
from treevote.files.streams import writing
from treevote.report.answer import answer
from treevote.report.page import write_page
from treevote.report.trees import for_all_widths
from treevote.terminal import plural, table, wrapped
from treevote.visibility import visible

SHOWN = 50
"""Maximum number of suspects in the table on a terminal."""

KEY = "Suspect"
"""Key in MISC."""

DRAWN, LISTED = 60, 400
"""Maximum numbers of suspects of a kind with a drawing, and of those in the table below them."""

AROUND, WIDEST, QUOTED = 2, 24, 60
"""Words of a drawing on both sides of an arc, the maximum number of its words, and the words that are quoted on both
sides of a suspect."""

OMITTED = Word("…", "_", "", "_", "_")
"""What stands in a drawing for words that are left out."""

LEGEND = {
    "gold": "the annotation",
    "system": "suggested instead",
    "label": "same head, other label (given ≠ suggested)",
}
"""Meaning of the strokes of a drawing."""


def counts(diagnosis: Diagnosis) -> dict[str, int]:
    """Return the number of suspects of each kind; a suspect in several lists counts in each."""
    found = Counter(kind for suspect in diagnosis.suspects for kind in suspect.kinds)
    return {kind: found[kind] for kind in KINDS}


def as_text(diagnosis: Diagnosis) -> str:
    """Return the first suspects as a table, and their numbers."""
    rows = [
        [one.sent_id, str(one.token), one.form, arc(one.given), arc(one.suggested), one.kind, f"{one.probability:.2f}"]
        for one in diagnosis.suspects[:SHOWN]
    ]
    parts = [table(["sentence", "token", "word", "given", "suggested", "kind", "wrong"], rows)] if rows else []
    more = len(diagnosis.suspects) - SHOWN
    if more > 0:
        parts.append(f"{more:,} more: --report, --list or --json")
    parts.append(wrapped(sentence(diagnosis)))
    return "\n\n".join(parts)


def sentence(diagnosis: Diagnosis) -> str:
    """Return the numbers of a diagnosis in words."""
    listed = ", ".join(f"{n:,} {kind}" for kind, n in counts(diagnosis).items() if n)
    if several := sum(len(one.kinds) > 1 for one in diagnosis.suspects):
        listed += f", {several:,} of several kinds"
    probable = f"{diagnosis.probable:,} of them with a probability of {diagnosis.least:g} or more"
    said = f"{plural(len(diagnosis.suspects), 'suspect')}, {probable},"
    hidden = f"; {diagnosis.acknowledged:,} acknowledged" if diagnosis.acknowledged else ""
    n_sentences, n_tokens = diagnosis.judged
    size = f"{plural(n_sentences, 'sentence')}, {plural(n_tokens, 'token')}"
    return f"{said} in {size}" + (f": {listed}" if listed else "") + hidden


def arc(of: Arc | None) -> str:
    """Return an arc in a few words."""
    return "-" if of is None else f"{of.deprel} of {of.head} {of.form}"


def as_json(diagnosis: Diagnosis, command: str = "") -> str:
    """Return the whole diagnosis as JSON."""
    n_sentences, n_tokens = diagnosis.judged
    facts: dict[str, Any] = {
        "files": list(diagnosis.files),
        "sentences": n_sentences,
        "tokens": n_tokens,
        "members": list(diagnosis.members),
        "folds": diagnosis.folds,
        "least": diagnosis.least,
        "probable": diagnosis.probable,
        "acknowledged": diagnosis.acknowledged,
        "kinds": counts(diagnosis),
        "suspects": [_plain(one) for one in diagnosis.suspects],
    }
    return answer("diagnosis", facts, command)


def _plain(suspect: Suspect) -> dict[str, Any]:
    """Return a suspect as data, without the number of its sentence."""
    facts = {field.name: getattr(suspect, field.name) for field in dataclasses.fields(suspect)[1:]}
    arcs = {name: None if facts[name] is None else facts[name]._asdict() for name in ("given", "suggested")}
    return facts | arcs | {"probability": round(suspect.probability, 4)}


def write_list(diagnosis: Diagnosis, path: str | os.PathLike[str]) -> None:
    """Write a line for each suspect, as `treevote.annotation.acknowledged.read_acknowledged` reads those of cases."""
    with writing(path) as stream:
        for one in diagnosis.suspects:
            remarks = f"{one.probability:.3f}", one.kind, one.form, arc(one.given), arc(one.suggested)
            line = "\t".join([one.sent_id, str(one.token), one.digest, *remarks])
            stream.write(f"{line}\n".encode("utf-8", "surrogateescape"))


def write_marked(diagnosis: Diagnosis, path: str | os.PathLike[str]) -> None:
    """Write the treebank with each suspect in MISC: its kind, its probability, and the suggested head and label."""
    values = {}
    for one in diagnosis.suspects:
        found = "" if one.suggested is None else f":{one.suggested.head}:{one.suggested.deprel}"
        values[diagnosis.slot(one)] = f"{one.kind}:{one.probability:.2f}{found}"
    text = with_items(diagnosis.treebank, KEY, values)
    with writing(path) as stream:
        stream.write(text)


def write_report(diagnosis: Diagnosis, path: str | os.PathLike[str], *, command: str = "", date: str = "") -> None:
    """Write the page to a file; the same diagnosis, command and date give the same bytes."""
    found = [group for kind in KINDS if (group := _group(diagnosis, kind))["total"]]
    content = {"diagnosis": diagnosis, "sentence": sentence(diagnosis), "groups": found, "legend": LEGEND}
    write_page("doctor.html", path, **content, arc=arc, command=command, date=date)


def _group(diagnosis: Diagnosis, kind: Kind) -> dict[str, Any]:
    """Return the suspects of a kind: those with a drawing, with the words around them, and those in a table."""
    own = [one for one in diagnosis.suspects if one.kind == kind]
    drawn = []
    for one in own[:DRAWN]:
        tree = diagnosis.treebank.sentence(one.sentence)
        first, last = max(1, one.token - QUOTED), min(len(tree.words) - 1, one.token + QUOTED)
        words = [(i, tree.words[i].form) for i in range(first, last + 1)]
        drawn.append((one, words, _drawing(tree, one)))
    listed = own[DRAWN : DRAWN + LISTED]
    return {"kind": kind, "title": KINDS[kind], "total": len(own), "drawn": drawn, "listed": listed}


def _drawing(sentence: Sentence, suspect: Suspect) -> str:
    """Return the words around the arcs of a suspect with their arcs, and the suggested one over the given one."""
    ends = [suspect.token, *(of.head for of in (suspect.given, suspect.suggested) if of is not None and of.head)]
    first, last = max(1, min(ends) - AROUND), min(len(sentence.words) - 1, max(ends) + AROUND)
    kept: list[int | None] = [*range(first, last + 1)]
    if last - first >= WIDEST:
        near = sorted({i for end in ends for i in range(max(first, end - AROUND), min(last, end + AROUND) + 1)})
        kept = [near[0]]
        for before, i in itertools.pairwise(near):
            kept += [i] if i == before + 1 else [None, i]
    places = {0: 0, **{old: new for new, old in enumerate(kept, start=1) if old is not None}}
    own = _part(sentence, kept, places)
    at, other = places[suspect.token], suspect.suggested
    heads, deprels = own.heads.copy(), list(own.deprels)
    heads[at], deprels[at] = (-1, "") if other is None else (places[other.head], other.deprel)
    system = Sentence(own.words, heads, tuple(deprels))
    title = visible(f"{suspect.form}: {arc(suspect.given)}; suggested: {arc(other)}")
    return for_all_widths(partial(svg.draw, own, system, title=title, meaning=LEGEND))


def _part(sentence: Sentence, kept: Sequence[int | None], places: Mapping[int, int]) -> Sentence:
    """Return ROOT and some words of a sentence with the arcs among them; None stands for words that are left out.

    ``places`` are the positions of the words in the result; a word whose head is not among them has no arc.
    """
    heads = np.array([-1, *(-1 if i is None else places.get(int(sentence.heads[i]), -1) for i in kept)], np.int32)
    deprels = ("", *(sentence.deprels[i] if i is not None and heads[places[i]] >= 0 else "" for i in kept))
    return Sentence((ROOT, *(OMITTED if i is None else sentence.words[i] for i in kept)), heads, deprels)
