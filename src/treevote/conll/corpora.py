"""Several files as one corpus: their sentences and lines, one after the other, each file a document."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence

import numpy as np

from treevote.conll.document_ids import document_ids
from treevote.corpus.documents import new_document
from treevote.corpus.source import BOM, Source
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError
from treevote.files.streams import uncompressed

SUFFIXES = (".conllu", ".conllx", ".conll")
"""Files of a folder with these suffixes are treebanks, compressed with gzip or xz or not."""


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
            if uncompressed(name).endswith(SUFFIXES) and not name.startswith("."):
                yield os.path.join(where, name)


def joined(parts: Sequence[Treebank], paths: Sequence[str | os.PathLike[str]]) -> Treebank:
    """Return treebanks that were read from files as one, with their lines unless their formats differ.

    A file in CoNLL-U whose first sentence begins no document begins one, with the id of `document_ids`.
    """
    whole = Treebank.concatenate(parts, " + ".join(part.name for part in parts))
    named = zip(parts, document_ids(paths), strict=True)
    sources = [part.source and _as_document(part.source, document) for part, document in named]
    return dataclasses.replace(whole, source=Source.concatenate(sources))


def _as_document(source: Source, document: str) -> Source:
    """Return the lines of a file that begins with a document."""
    lines, first = source.text.split(b"\n"), int(source.line_of[0])
    comments = [line.removeprefix("\ufeff") for line in source.lines[first : int(source.line_of[1])]]
    if source.format != "conllu" or new_document(comments) is not None:
        return source
    end = b"\r" * lines[first].endswith(b"\r")
    front = b"# newdoc id = " + document.encode("utf-8", "surrogateescape") + end
    lines[first : first + 1] = [front, lines[first].removeprefix(BOM)]
    line_of = np.concatenate([source.line_of[:1], source.line_of[1:] + 1])
    number = source.first_line - 1  # lines of tokens keep their numbers
    return dataclasses.replace(source, first_line=number, text=b"\n".join(lines), line_of=line_of)
