"""``--all-faults``: every fault of the files of a command, before its work."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from treevote.conll.chunks import chunks
from treevote.conll.reader import chunk_faults
from treevote.conll.validation import Trees
from treevote.corpus.treebank import Format
from treevote.errors import ConfigError, InputError


def require_no_faults(
    files: Mapping[Trees, Sequence[str | os.PathLike[str]]],
    tell: Callable[[InputError], None],
    *,
    format: Format | Literal["auto"] = "auto",
) -> None:
    """Report all faults of files, by the treatment of their trees; memory does not grow with length or number.

    Raises
    ------
    InputError
        After the last fault, with their number, if there is one.
    ConfigError
        If a file is standard input, which cannot be read a second time by the command.
    """
    if any("-" in paths for paths in files.values()):
        raise ConfigError("--all-faults reads a file twice, and standard input can be read once; give a file")
    counts = [
        (os.fspath(path), _tell_faults(path, trees, tell, format)) for trees, paths in files.items() for path in paths
    ]
    if n_faults := sum(count for _, count in counts):
        faulty = ", ".join(dict.fromkeys(path for path, count in counts if count))
        found = f"found {n_faults:,} {'fault' if n_faults == 1 else 'faults'}"
        raise InputError(found, path=faulty, remedy="nothing was done; correct them")


def _tell_faults(
    path: str | os.PathLike[str], trees: Trees, tell: Callable[[InputError], None], format: Format | Literal["auto"]
) -> int:
    """Report the faults of a file; return their number."""
    n_faults = 0
    try:
        for chunk in chunks(path, format=format):
            for fault in chunk_faults(chunk, trees=trees):
                tell(fault)
                n_faults += 1
    except InputError as fault:  # of the whole file
        tell(fault)
        n_faults += 1
    return n_faults
