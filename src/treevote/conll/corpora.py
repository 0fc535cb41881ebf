"""Several files as one corpus: their sentences and lines, one after the other, each file a document with an id."""

from __future__ import annotations

import dataclasses
import itertools
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NoReturn

import numpy as np

from treevote.corpus.source import BOM, Source, new_document
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError, warn
from treevote.files.streams import stem

SUFFIXES = (".conllu", ".conllx", ".conll")  # of the files of a folder that are treebanks, compressed or not


def files_of(source: str | os.PathLike[str]) -> list[str]:
    """Return the treebanks in a folder and its sub-folders, sorted; InputError if there is none, or one is shut."""
    found = sorted(files_with(SUFFIXES, source, set()))
    if not found:
        problem = f"expected files with the suffix {', '.join(SUFFIXES)}, found none"
        raise InputError(problem, path=os.fspath(source), remedy="check the path, or name the files")
    return found


def files_with(suffixes: tuple[str, ...], folder: str | os.PathLike[str], links: set[str]) -> Iterator[str]:
    """Yield the files in a folder and its sub-folders with these suffixes, or those in capitals, sorted.

    Hidden ones are left out.
    """
    for where, files in walk(folder, links):
        for name in files:
            if not name.startswith(".") and stem(name)[1].lower() in suffixes:
                yield os.path.join(where, name)


def walk(folder: str | os.PathLike[str], links: set[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield a folder and its sub-folders, with the names of their files, sorted; hidden ones are left out.

    Links to folders are not followed, but added to ``links``: they may lead in a circle, or to a folder twice.
    """
    for where, folders, files in os.walk(folder, onerror=_refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        links.update(path for path in (os.path.join(where, name) for name in folders) if os.path.islink(path))
        yield where, sorted(files)


def _refuse(error: OSError) -> NoReturn:
    """Raise the error of a folder that cannot be listed: its files would be left out without a word."""
    problem, remedy = f"cannot read: {error.strerror or error}", "check the permissions, or name the files"
    raise InputError(problem, path=str(error.filename), remedy=remedy) from error


def joined(parts: Sequence[Treebank], paths: Sequence[str | os.PathLike[str]]) -> Treebank:
    """Return treebanks that were read from files as one, with their lines unless their formats differ.

    A `TreevoteWarning` tells of the difference.
    A file in CoNLL-U whose first sentence begins no document begins one, with the id of `document_ids`.
    """
    whole = Treebank.concatenate(parts, " + ".join(part.name for part in parts))
    named = zip(parts, document_ids(paths), strict=True)
    source = Source.concatenate([_as_document(part, document) for part, document in named])
    if source is None:
        warn(f"{whole.name}: files of different formats; comments, ranges, DEPS and MISC are left out: read each alone")
    return dataclasses.replace(whole, source=source)


def _as_document(part: Treebank, document: str) -> Source | None:
    """Return the lines of a file that begins with a document."""
    source = part.source
    if source is None or source.format != "conllu" or new_document(part.comments(0)) is not None:
        return source
    lines, first = source.text.split(b"\n"), int(source.line_of[0])
    end = b"\r" * lines[first].endswith(b"\r")
    mark = BOM * lines[first].startswith(BOM)
    front = mark + b"# newdoc id = " + document.encode("utf-8", "surrogateescape") + end
    lines[first : first + 1] = [front, lines[first].removeprefix(BOM)]
    line_of = np.concatenate([source.line_of[:1], source.line_of[1:] + 1])
    files = tuple((i + (i > first), path, n - (i <= first)) for i, path, n in source.files)  # tokens keep their numbers
    return dataclasses.replace(source, text=b"\n".join(lines), line_of=line_of, files=files)


def document_ids(names: Sequence[str | os.PathLike[str]], prefix: str = "") -> list[str]:
    """Return an id for each file, ``# newdoc id`` and the beginning of its ``sent_id``; standard input alone has none.

    A prefix stands in front of each id with a hyphen between, and for that of standard input.

    It is the name without folder and suffix; for files of the same name, with the folders that they do not share; for
    the same file again, with a number. ``/`` becomes ``:``, for UD forbids it, and white space ``_``.

    >>> document_ids(["news/1.txt", "news/2.txt.gz"]), document_ids(["a/x.txt", "b/x.txt"]), document_ids(["x", "x"])
    (['1', '2'], ['a:x', 'b:x'], ['x', 'x-2'])
    >>> document_ids(["news/1.txt", "news/2.txt"], "my news"), document_ids(["-"], "n")
    (['my_news-1', 'my_news-2'], ['n'])
    >>> document_ids(["-"]), document_ids(["-", "my news.txt"])
    ([''], ['-', 'my_news'])
    """
    paths = [os.fspath(name).replace(os.sep, "/") for name in names]
    front = _as_id(prefix)
    if paths == ["-"]:
        return [front]
    bare = [stem(path)[0] for path in paths]
    ids = [path.rpartition("/")[2] for path in bare]
    if len({*ids}) < len({*bare}):
        is_comparable = len({*map(os.path.isabs, bare)}) == 1
        shared = os.path.commonpath([os.path.dirname(path) for path in bare]) if is_comparable else ""
        ids = [path.removeprefix(shared).lstrip("/") for path in bare]
    ids = [f"{front}-{_as_id(each)}" if front else _as_id(each) for each in ids]
    taken, seen = {*ids}, Counter[str]()
    found = []
    for each in ids:
        seen[each] += 1
        if seen[each] > 1:
            each = next(other for k in itertools.count(seen[each]) if (other := f"{each}-{k}") not in taken)
            taken.add(each)
        found.append(each)
    return found


def _as_id(name: str) -> str:
    return re.sub(r"\s", "_", name).replace("/", ":")
