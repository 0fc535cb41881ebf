"""Document metadata in the comments of a file: documents and domains of sentences."""

from __future__ import annotations

import itertools
import re

from treevote.corpus.sentence import sent_id
from treevote.corpus.treebank import Treebank

MAX_DOMAINS = 50
"""Maximum number of domains taken from sent_id."""

_DOCUMENT = re.compile(r"#\s*newdoc(?:\s+id\s*=(.*)|\s*)")
_DOMAIN = re.compile(r"#\s*(?:meta::)?(?:genre|domain)\s*=(.*)")
_SEPARATOR = re.compile(r"[-_.:/\s]+")


def documents(treebank: Treebank) -> list[str] | None:
    """Return the document of each sentence, by the comments ``# newdoc``; None if there are none."""
    names: list[str] = []
    name, count = "(before the first)", 0
    for lines in map(treebank.comments, range(treebank.n_sentences)):
        for line in lines:
            if match := _DOCUMENT.fullmatch(line):
                count += 1
                name = (match[1] or "").strip() or f"document {count}"
        names.append(name)
    return names if count else None


def domains(treebank: Treebank) -> list[str] | None:
    """Return the domain of each sentence: by a comment ``genre`` or ``domain``, else by the beginning of ``sent_id``.

    The ``sent_id`` is cut at ``-_.:/``, without digits at the end of a piece, after the first piece that differs
    between sentences. None if it would give one domain, or more than `MAX_DOMAINS`.
    """
    comments = [treebank.comments(i) for i in range(treebank.n_sentences)]
    name, names = "", []
    for lines in comments:
        for line in lines:
            if _DOCUMENT.fullmatch(line):
                name = ""
            elif match := _DOMAIN.fullmatch(line):
                name = match[1].strip()
        names.append(name)
    if any(names):
        return [name or "(no domain)" for name in names]
    pieces = [[piece.rstrip("0123456789") for piece in _SEPARATOR.split(sent_id(lines))] for lines in comments]
    same = itertools.takewhile(lambda column: len(set(column)) == 1, zip(*pieces, strict=False))
    n = 1 + sum(1 for _ in same)
    starts = ["-".join(piece[:n]) for piece in pieces]
    kinds = set(starts)
    return starts if 1 < len(kinds) <= MAX_DOMAINS and "" not in kinds else None
