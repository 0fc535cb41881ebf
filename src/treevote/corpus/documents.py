"""Documents: texts of several sentences, which begin with a comment ``# newdoc`` or ``# newdoc id = ID``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_DOCUMENT = re.compile(r"#\s*newdoc(?:\s+id\s*=(.*)|\s*)")
_PARAGRAPH = re.compile(r"#\s*new(?:doc|par)(?:\s+id\s*=.*|\s*)")


def new_document(lines: Sequence[str]) -> str | None:
    """Return the id of the document that begins with a sentence, empty if it has none; None if no document begins."""
    found = [match for line in lines if (match := _DOCUMENT.fullmatch(line))]
    return (found[-1][1] or "").strip() if found else None


def is_new_paragraph(lines: Iterable[str]) -> bool:
    """Tell whether a paragraph begins with a sentence, by ``# newpar`` or a new document."""
    return any(map(_PARAGRAPH.fullmatch, lines))


def openings(documents: Sequence[str], comments: Iterable[Sequence[str]]) -> list[str]:
    """Return the comment that each sentence lacks, so as not to be in the document of the one before it; else ''.

    >>> openings(["A", "B", "B", ""], [[], [], [], []])
    ['', '# newdoc id = B', '', '# newdoc']
    """
    found, before = [], documents[0] if documents else ""
    for document, lines in zip(documents, comments, strict=True):
        is_open = document == before or new_document(lines) is not None
        found.append("" if is_open else f"# newdoc id = {document}" if document else "# newdoc")
        before = document
    return found
