"""Several files as one corpus: their sentences and lines, one after the other, each file a document."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence

import numpy as np

from treevote.conll.document_ids import document_ids
from treevote.corpus.source import Source
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError

SUFFIXES = (".conllu", ".conllx", ".conll")
"""Files of a folder with these suffixes are treebanks, compressed with gzip or xz or not."""

_NEW_DOCUMENT = b"# newdoc"


def files_of(source: str | os.PathLike[str]) -> list[str]:
    """Return the treebanks in a folder and its sub-folders, sorted; InputError if there is none."""
    found = sorted(_below(os.fspath(source)))
    if not found:
        problem = f"expected files with the suffix {', '.join(SUFFIXES)}, found none"
        raise InputError(problem, path=os.fspath(source), remedy="check the path, or name the files")
    return found


def _below(folder: str) -> Iterator[str]:
    for where, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            bare = name.removesuffix(".gz").removesuffix(".xz")
            if bare.endswith(SUFFIXES) and not name.startswith("."):
                yield os.path.join(where, name)


def joined(parts: Sequence[Treebank], paths: Sequence[str | os.PathLike[str]]) -> Treebank:
    """Return treebanks that were read from files as one, with their lines unless their formats differ.

    A file in CoNLL-U whose first sentence begins no document begins one, with the id of `document_ids`.
    """
    whole = Treebank.concatenate(parts, " + ".join(part.name for part in parts))
    sources = [part.source for part in parts if part.source is not None]
    formats = {source.format for source in sources}
    if len(sources) != len(parts) or len(formats) != 1:
        return whole
    texts, lines_of, n_lines = list[bytes](), list[np.ndarray](), 0
    for source, document in zip(sources, document_ids(paths), strict=True):
        text, line_of = _as_document(source, document)
        texts.append(text)
        lines_of.append(line_of + n_lines)
        n_lines += text.count(b"\n")
    line_of = np.concatenate(lines_of).astype(np.int32)
    return dataclasses.replace(whole, source=Source("", 1, b"".join(texts), line_of, sources[0].format))


def _as_document(source: Source, document: str) -> tuple[bytes, np.ndarray]:
    """Return the lines of a file with a blank line at the end, and of a document at the beginning."""
    lines, line_of = source.text.removeprefix("\ufeff".encode()).split(b"\n"), source.line_of
    first = int(line_of[0])
    comments = lines[first : int(line_of[1])]
    if source.format == "conllu" and not any(line.startswith(_NEW_DOCUMENT) for line in comments):
        lines.insert(first, _NEW_DOCUMENT + b" id = " + document.encode("utf-8", "surrogateescape"))
        line_of = np.concatenate([line_of[:1], line_of[1:] + 1])
    while lines and not lines[-1].strip():
        lines.pop()
    return b"\n".join([*lines, b"", b""]), line_of
