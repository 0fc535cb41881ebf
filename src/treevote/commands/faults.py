"""``--all-faults``: every fault of the files of a command, before its work."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from treevote.conll.chunks import chunks
from treevote.conll.corpora import files_of
from treevote.conll.reader import chunk_faults
from treevote.conll.validation import Trees
from treevote.corpus.treebank import Format
from treevote.errors import ConfigError, InputError
from treevote.files.encodings import UTF8
from treevote.terminal import plural


def require_no_faults(
    files: Mapping[Trees, Sequence[str | os.PathLike[str]]],
    tell: Callable[[InputError], None],
    *,
    format: Format | Literal["auto"],
    encoding: str = UTF8,
) -> None:
    """Report all faults of files, or of those of folders, by the treatment of their trees; memory does not grow.

    InputError with their number after the last one; ConfigError for standard input or a pipe, which cannot be read
    twice.
    """
    for path in itertools.chain.from_iterable(files.values()):
        if path != "-" and (not os.path.exists(path) or os.path.isfile(path) or os.path.isdir(path)):
            continue
        name = "standard input" if path == "-" else os.fspath(path)
        raise ConfigError(f"--all-faults reads a file twice, and {name} can be read once; give a file")
    counts: dict[str, int] = {}
    for trees, paths in files.items():
        for path in itertools.chain.from_iterable(files_of(path) if os.path.isdir(path) else [path] for path in paths):
            for fault in _faults_of(path, trees, format, encoding):
                tell(fault)
                counts[os.fspath(path)] = counts.get(os.fspath(path), 0) + 1
    if n_faults := sum(counts.values()):
        raise InputError(
            f"found {plural(n_faults, 'fault')}", path=", ".join(counts), remedy="nothing was done; correct them"
        )


def _faults_of(
    path: str | os.PathLike[str], trees: Trees, format: Format | Literal["auto"], encoding: str
) -> Iterator[InputError]:
    try:
        for chunk in chunks(path, format=format, encoding=encoding):
            yield from chunk_faults(chunk, trees=trees)
    except InputError as fault:  # of the whole file
        yield fault
