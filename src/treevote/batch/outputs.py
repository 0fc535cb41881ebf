"""Inputs of a batch, and the output file of each: folders, patterns, sub-folders, suffixes, names that collide."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from treevote.batch.manifest import NAME
from treevote.conll.corpora import SUFFIXES, files_with, walk
from treevote.conll.text_chunks import AnyFormat
from treevote.errors import ConfigError, InputError
from treevote.files.streams import stem

TEXT_SUFFIX = ".txt"
"""Running text: inputs of a folder that has no treebank, or if running text is asked for. Their outputs are CoNLL-U."""

_SEPARATOR = f"[{re.escape(os.sep + (os.altsep or ''))}]"

_ANY_DEPTH = re.compile(rf"(?:^|(?<={_SEPARATOR}))(?:\*\*(?:{_SEPARATOR}+|$))+")
"""``**`` as a part of a pattern, or several in a row."""


class Pair(NamedTuple):
    """An input file, and the path of its output below the output folder."""

    input: str
    name: str


def pairs(
    inputs: Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    suffix: str = "",
    format: AnyFormat = "auto",
) -> tuple[list[Pair], list[str]]:
    """Return the files of inputs with the name of the output of each, and the links that were not followed, sorted.

    An input is a file; a folder, with all treebank files in it and its sub-folders, whose paths below it are kept; or a
    pattern such as ``"corpus/**/*.conllu"``, of which the paths below the part without a wildcard are kept. Links to
    folders among the sub-folders, or those of ``**``, are not followed. A file that does not exist is listed: its fault
    belongs to it alone. The format ``"text"`` or ``"lines"`` looks for running text in folders, and its outputs end
    with ``.conllu``. The suffix takes the place of that of each name, compression included.

    ConfigError if two inputs have the same output, an output is an input, has the name of the manifest, or is the
    folder of another, the output folder is inside an input folder, or a suffix is none. InputError if a folder or
    pattern has no file, a folder cannot be read, or an input is standard input.

    >>> pairs(["new/a.conllu.gz", "old/b.conllu"], "out", ".parsed.conllu")[0]
    [Pair(input='new/a.conllu.gz', name='a.parsed.conllu'), Pair(input='old/b.conllu', name='b.parsed.conllu')]
    """
    if suffix and (not suffix.strip(".") or "." not in suffix or not suffix.isprintable() or {*suffix} & {"/", "\\"}):
        raise ConfigError(f"expected the end of a file name as suffix, found {suffix!r}; give one such as .conllu.gz")
    output = os.path.realpath(folder)
    if os.path.exists(output) and not os.path.isdir(output):
        raise ConfigError(f"{os.fspath(folder)} is a file; name a folder for the outputs")
    links: set[str] = set()
    files = [
        Pair(path, _output_name(name, suffix, format))
        for each in inputs
        for path, name in _files(os.fspath(each), output, os.fspath(folder), format, links)
    ]
    _require_apart(files, os.fspath(folder))
    return files, sorted(links)


def _require_apart(files: Sequence[Pair], folder: str) -> None:
    """Refuse an output that is that of another input, in the way of one, outside of the folder, or an input."""
    first: dict[str, int] = {}  # from the path of an output to the number of its input
    for number, (path, name) in enumerate(files):
        if (other := first.setdefault(os.path.normcase(name), number)) != number:
            if files[other].input == path:
                raise ConfigError(f"{path} is an input twice; name it once")
            raise ConfigError(
                f"{files[other].input} and {path} would both be written to {os.path.join(folder, name)}; "
                "give the folder that holds both, or parse them into two folders"
            )
    first[NAME] = len(files)
    for number, (path, name) in enumerate(files):
        for around in (name, *folders_of(name)):
            if (other := first.get(os.path.normcase(around), number)) != number:
                needed = "the list of parses" if other == len(files) else files[other].input
                raise ConfigError(
                    f"{path} would be written to {os.path.join(folder, name)}, but {os.path.join(folder, around)} "
                    f"is needed for {needed}; rename the file, or name another --suffix"
                )
            if around == os.pardir:
                raise ConfigError(f"{path} would be written outside of {folder}; leave out .. in the pattern")
    read = {os.path.realpath(path): path for path, _ in files}
    for _, name in files:
        if (same := read.get(os.path.realpath(os.path.join(folder, name)))) is not None:
            raise ConfigError(f"{same} is both read and written; name another output folder, or a --suffix")


def _files(each: str, output: str, folder: str, format: AnyFormat, links: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the path of each file of an input, and its path below the output folder; add links that stay unread."""
    if each == "-":
        raise InputError("standard input has no name for an output file", remedy="give files, or write with --output")
    suffixes = (TEXT_SUFFIX,) if format in ("text", "lines") else SUFFIXES
    if os.path.isdir(each):
        root = os.path.realpath(each)
        if output == root or output.startswith(root.rstrip(os.sep) + os.sep):
            raise ConfigError(
                f"the output folder {folder} is inside the input folder {each}, "
                "whose files would be parsed again; name a folder outside"
            )
        paths = list(files_with(suffixes, each, links))
        if format == "auto" and not paths:
            paths = list(files_with((TEXT_SUFFIX,), each, links))
        base = each
    elif glob.has_magic(each) and not os.path.lexists(each):
        paths = sorted(path for path in _matching(each, links) if os.path.isfile(path))
        base = os.path.dirname(each)
        while glob.has_magic(base):  # the folder in front of the first wildcard
            base = os.path.dirname(base)
        inside = output + os.sep
        if any(os.path.realpath(path).startswith(inside) for path in paths):
            raise ConfigError(f"the pattern {each} matches files in the output folder {folder}; name a folder outside")
    else:
        yield each, os.path.basename(each)
        return
    if not paths:
        what = f"files with the suffix {', '.join(suffixes)}" if base == each else "files"
        raise InputError(f"expected {what}, found none", path=each, remedy="check the path, or name the files")
    for path in paths:
        yield path, os.path.relpath(path, base or os.curdir)


def _matching(pattern: str, links: set[str]) -> set[str]:
    """Return the paths that match a pattern; ``**`` is a folder and all its sub-folders, those of `walk`."""
    deep = _ANY_DEPTH.search(pattern)
    if deep is None:
        return set(glob.iglob(pattern))
    head, tail = pattern[: deep.start()], pattern[deep.end() :] or "*"
    folders = [os.path.join(where, "") for top in glob.iglob(head or os.curdir) for where, _ in walk(top, links)]
    bare = [folder if head else folder.removeprefix(os.path.join(os.curdir, "")) for folder in folders]
    return {path for folder in bare for path in _matching(glob.escape(folder) + tail, links)}


def folders_of(name: str) -> Iterator[str]:
    """Yield the folders that a relative path goes through, from the last to the first."""
    while name := os.path.dirname(name):
        yield name


def _output_name(name: str, suffix: str, format: AnyFormat) -> str:
    """Return the name of an output in CoNLL-U, ``x/a.conllu.gz`` for ``x/a.txt.gz``, with another suffix if given."""
    folder, file = os.path.split(name)
    bare, own = stem(file)
    if own.lower() == TEXT_SUFFIX and format not in ("conllu", "conllx"):
        file = f"{bare}.conllu{file[len(bare) + len(own) :]}"
    return os.path.join(folder, bare + suffix if suffix else file)
