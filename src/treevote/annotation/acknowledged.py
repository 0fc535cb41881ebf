"""Cases that an annotator has looked at and means so: they are not shown again until their analysis changes.

A line of the file has sent_id, ID of the token and digest of its analysis, separated by tabs; further columns are
remarks. Blank lines, and lines that begin with ``#``, are left out.
"""

from __future__ import annotations

import hashlib
import os
from typing import TypeAlias

from treevote.conll.validation import MAX_DIGITS
from treevote.errors import InputError
from treevote.files.streams import opened

Case: TypeAlias = tuple[str, int, str]
"""Sentence, token and digest."""

DIGITS = 12  # length of a digest


def digest(form: str, head: int, deprel: str, head_form: str) -> str:
    """Return the digest of an analysis: the word, the position and form of its head, and the label.

    >>> digest("dogs", 2, "nsubj", "bark")
    '9c7fb668937e'
    """
    text = "\t".join((form, str(head), deprel, head_form))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def read_acknowledged(path: str | os.PathLike[str]) -> frozenset[Case]:
    """Read a file of cases; InputError for a line that is none."""
    with opened(path) as (stream, name, _):
        text = stream.read().decode("utf-8-sig", "replace")
    cases = set()
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        columns = line.split("\t")
        if len(columns) > 2 and columns[1].isdecimal() and len(columns[1]) <= MAX_DIGITS:
            cases.add((columns[0], int(columns[1]), columns[2]))
        elif line.strip() and not line.startswith("#"):
            problem = f"expected sent_id, token and digest with tabs between them, found {line[:40]!r}"
            raise InputError(problem, path=name, line=number, remedy="copy the line that treevote doctor --list wrote")
    return frozenset(cases)
