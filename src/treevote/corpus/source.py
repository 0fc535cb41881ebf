"""The text that a treebank was read from, and the documents in it.

A document is a text of several sentences, which begins with a comment ``# newdoc`` or ``# newdoc id = ID``.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import operator
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from treevote.kernels import Ints, Longs

BOM = "\ufeff".encode()  # the byte order mark that some programs put before the first line; it is kept unchanged
BLANK = " \t\r"  # a line of these characters alone ends a sentence

_DOCUMENT = re.compile(r"#\s*newdoc(?:\s+id\s*=(.*)|\s*)")
_PARAGRAPH = re.compile(r"#\s*new(?:doc|par)(?:\s+id\s*=.*|\s*)")


@dataclass(frozen=True, eq=False)
class Source:
    """The text that sentences were read from, so that all that is not predicted is written back as it was.

    ``path`` is that of the file, which may be ``<stdin>``; it is empty for several. ``line_of``, shape (n_slots,), has
    for each token the index in ``lines``; for a ROOT slot that of the first line of the sentence, comments included.
    ``numbers``, shape (n_sentences,), has the number of each sentence in its file, from 1. ``files`` has for each run
    of lines that follow one another in a file the index of the first one, the path of the file, and the number of this
    line there, from 1.
    """

    path: str
    text: bytes
    line_of: Ints
    numbers: Longs
    format: Literal["conllu", "conllx"]
    files: tuple[tuple[int, str, int], ...]

    @functools.cached_property
    def lines(self) -> tuple[str, ...]:
        """All lines, without their line feed (a carriage return stays); bytes that are not UTF-8 are surrogates."""
        return tuple(self.text.decode("utf-8", "surrogateescape").split("\n"))

    def place(self, slot: int) -> tuple[str, int]:
        """Return the file of a slot, and the number of its line there, from 1."""
        line = int(self.line_of[slot])
        first, path, number = self.files[bisect.bisect_right(self.files, line, key=operator.itemgetter(0)) - 1]
        return path, number + line - first

    @functools.cached_property
    def _documents(self) -> tuple[Longs, list[str]]:
        """The lines that may begin documents, and their ids."""
        comments = ((i, line) for i, line in enumerate(self.lines) if line.startswith(("#", "\ufeff")))
        found = {i: new for i, line in comments if (new := new_document([line.lstrip("\ufeff")])) is not None}
        return np.array([*found], np.int64), [*found.values()]

    def documents(self, roots: Longs, chosen: Longs) -> list[str]:
        """Return the id of the document of some sentences, given the ROOT slots of all; empty before the first one.

        A document begins with a comment above the first token of a sentence.
        """
        lines, ids = self._documents
        if not ids:
            return [""] * len(chosen)
        sentence = np.searchsorted(self.line_of[roots], lines, side="right") - 1
        is_above = (sentence >= 0) & (lines < self.line_of[roots[sentence] + 1])
        names = ["", *itertools.compress(ids, is_above.tolist())]
        return [names[k] for k in np.searchsorted(sentence[is_above], chosen, side="right").tolist()]

    def misc(self, slots: Longs) -> list[str]:
        """Return MISC of the tokens in some slots; CoNLL-X has none."""
        if self.format == "conllx":
            return ["_"] * len(slots)
        return [self.lines[line].rstrip("\r").rpartition("\t")[2] for line in self.line_of[slots].tolist()]

    def select(self, chosen: Longs, slots: Sequence[range], front: Sequence[str]) -> Source:
        """Return the lines of some sentences, each with a blank line behind it, given their indices and slots.

        ``front`` is for each a comment to put before it, or empty. Comments between sentences are left out. All slots
        keep their places.
        """
        lines, files = list[str](), list[tuple[int, str, int]]()
        line_of = [np.zeros(0, np.int32)]
        for own, comment in zip(slots, front, strict=True):
            places = self.line_of[own.start : own.stop]
            start, end = int(places[0]), int(places[-1])
            while end < len(self.lines) and self.lines[end].strip(BLANK):
                end += 1
            first = len(lines)
            lines += [comment + "\r" * self.lines[start].endswith("\r")] * bool(comment)
            line_of.append((places - start + len(lines)).astype(np.int32))
            line_of[-1][0] = first
            path, number = self.place(own.start)
            files.append((first, path, number - (len(lines) - first)))
            lines += [self.lines[start].removeprefix("\ufeff"), *self.lines[start + 1 : end]]
            lines.append("\r" if lines[-1].endswith("\r") else "")
        text = "\n".join([*lines, ""]).encode("utf-8", "surrogateescape")
        return Source(self.path, text, np.concatenate(line_of), self.numbers[chosen], self.format, tuple(files))

    @staticmethod
    def concatenate(sources: Sequence[Source | None]) -> Source | None:
        """Join texts, in order, each with a blank line at its end, and but for the first without its byte order mark.

        None if one is missing, or their formats differ.
        """
        given = [source for source in sources if source is not None]
        if len(given) < len(sources) or len({source.format for source in given}) != 1:
            return None
        texts, line_of, files, n_lines = list[bytes](), list[Ints](), list[tuple[int, str, int]](), 0
        for source in given:
            text = source.text.removeprefix(BOM) if texts else source.text
            texts.append(text + missing_end(text))
            line_of.append(source.line_of + np.int32(n_lines))
            files += [(first + n_lines, path, number) for first, path, number in source.files]
            n_lines += texts[-1].count(b"\n")
        numbers = np.concatenate([source.numbers for source in given])
        return Source("", b"".join(texts), np.concatenate(line_of), numbers, given[0].format, tuple(files))


def missing_end(text: bytes) -> bytes:
    """Return the line ends that a text lacks at its end, so that another text can follow."""
    end = b"\r\n" if b"\r\n" in text else b"\n"
    *before, line = text.rsplit(b"\n", 2)
    if line.strip(BLANK.encode()):
        return end + end
    return end if line or (before and before[-1].strip(BLANK.encode())) else b""


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
