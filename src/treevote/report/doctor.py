"""A diagnosis of a treebank as text, JSON, a list of cases to acknowledge, and CoNLL-U."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from typing import Any

from treevote.annotation.suspects import KINDS, Arc, Diagnosis, Suspect
from treevote.conll.writer import with_items
from treevote.files.streams import writing
from treevote.report.answer import answer
from treevote.terminal import plural, table, wrapped

SHOWN = 50
"""Maximum number of suspects in the table on a terminal."""

KEY = "Suspect"
"""Key in MISC."""


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
