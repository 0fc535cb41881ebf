"""Names of systems: as given (``NAME=FILE``), else the shortest distinct parts of the names of their files."""

from __future__ import annotations

import os
from collections.abc import Sequence

from treevote.conll.corpora import SUFFIXES
from treevote.errors import ConfigError
from treevote.files.streams import stem


def named(systems: Sequence[str | os.PathLike[str]]) -> dict[str, str]:
    """Return files by the names of their systems, in the order given; ConfigError if two are given the same name.

    A file whose name contains ``=`` is taken as it is if it exists. A file that is given twice is two systems.

    >>> named(["ours=out/parse.conllu", "out/udpipe.test.conllu.xz", "out/yara.test.conllu"])
    {'ours': 'out/parse.conllu', 'udpipe': 'out/udpipe.test.conllu.xz', 'yara': 'out/yara.test.conllu'}
    """
    split = [_split(os.fspath(system)) for system in systems]
    given = [name for name, _ in split if name]
    twice = next((name for name in given if given.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"two systems are called {twice!r}; give them different names")
    free = iter(stems([path for name, path in split if not name]))
    found: dict[str, str] = {}
    for name, path in split:
        own = stem = name or next(free)
        number = 1
        while own in found or (not name and own in given):
            number += 1
            own = f"{stem} ({number})"
        found[own] = path
    return found


def _split(system: str) -> tuple[str, str]:
    """Return name and file; the name is empty if none is given."""
    name, sign, path = system.partition("=")
    if not sign or not name or not path or os.sep in name or "/" in name or os.path.exists(system):
        return "", system
    return name, path


def stems(paths: Sequence[str]) -> list[str]:
    """Return the shortest parts of file names that tell the files apart, without suffixes of format and compression."""
    steps = [[step for step in path.replace(os.sep, "/").split("/") if step] or [path] for path in paths]
    steps = [[*folders, _bare(file)] for *folders, file in steps]
    different = {tuple(own) for own in steps}
    depth = 1
    while len({tuple(own[-depth:]) for own in steps}) < len(different):
        depth += 1
    last = [own[-depth:] for own in steps]
    if len(different) < 2:
        return [own[-1] for own in last]
    if depth > 1:
        return ["/".join(own) for own in _without_common(last)]
    return [".".join(own) for own in _without_common([own[-1].split(".") for own in last])]


def _bare(file: str) -> str:
    """Return the name of a file without suffixes of compression and format."""
    bare, suffix = stem(file)
    return bare if suffix.lower() in SUFFIXES else bare + suffix or file


def _without_common(pieces: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return lists of pieces without those that all begin or end with, each with one piece at least."""
    back, front, most = 0, 0, min(map(len, pieces)) - 1
    while back < most and len({own[-1 - back] for own in pieces}) == 1:
        back += 1
    while front < most - back and len({own[front] for own in pieces}) == 1:
        front += 1
    return [own[front : len(own) - back] for own in pieces]


def fitted(names: Sequence[str], width: int) -> list[str]:
    """Return names of at most ``width`` characters, cut in the middle; names that would become equal stay whole."""
    cut = [
        name if len(name) <= width else f"{name[: width // 2]}…{name[len(name) - (width - 1) // 2 :]}" for name in names
    ]
    return [short if cut.count(short) == 1 else name for short, name in zip(cut, names, strict=True)]
