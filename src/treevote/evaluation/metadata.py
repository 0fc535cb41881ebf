"""Document metadata in the comments of a file: documents and domains of sentences."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from treevote.corpus.sentence import sent_id
from treevote.corpus.treebank import Treebank

MAX_DOMAINS = 50
"""Maximum number of domains taken from sent_id; with more, its beginnings are no domains."""

_DOCUMENT = re.compile(r"#\s*newdoc(?:\s+id\s*=(.*)|\s*)")
_DOMAIN = re.compile(r"#\s*(?:meta::)?(?:genre|domain)\s*=(.*)")
_SEPARATOR = re.compile(r"[-_.:/\s]+")


def documents(treebank: Treebank) -> list[str] | None:
    r"""Return the document of each sentence, by the comments ``# newdoc``; None if there are none.

    Examples
    --------
    >>> import io
    >>> from treevote.conll.reader import read
    >>> token = "1\ta" + "\t_" * 8 + "\n\n"
    >>> text = f"# newdoc id = x\n{token}{token}# newdoc\n{token}"
    >>> documents(read(io.BytesIO(text.encode()), trees="ignored"))
    ['x', 'x', 'document 2']
    """
    names: list[str] = []
    name, count = "(before the first)", 0
    for lines in _comments(treebank):
        for line in lines:
            if match := _DOCUMENT.fullmatch(line):
                count += 1
                name = (match[1] or "").strip() or f"document {count}"
        names.append(name)
    return names if count else None


def domains(treebank: Treebank) -> list[str] | None:
    """Return the domain of each sentence: by a comment ``genre`` or ``domain``, else by how ``sent_id`` begins.

    Of ``sent_id`` are taken as many pieces, cut at ``-_.:/`` and without digits at the end, as tell sentences apart at
    all; if that gives more than `MAX_DOMAINS`, they are no domains.
    """
    comments = list(_comments(treebank))
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


def _comments(treebank: Treebank) -> Iterator[Sequence[str]]:
    """Yield the lines before the first token of each sentence; nothing without a source."""
    if (source := treebank.source) is None:
        return
    roots = treebank.offsets[:-1]
    for first, last in zip(source.line_of[roots].tolist(), source.line_of[roots + 1].tolist(), strict=True):
        yield source.lines[first:last]
