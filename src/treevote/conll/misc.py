"""Items of MISC, the last column of CoNLL-U: written into the text of a treebank, of which nothing else changes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from treevote.conll.writer import dumps, lines_of
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError


def require_misc(treebank: Treebank) -> None:
    """Raise the error for a treebank in CoNLL-X, which has no MISC."""
    if treebank.source is not None and treebank.source.format == "conllx":
        problem, remedy = "expected CoNLL-U, found CoNLL-X, which has no MISC", "give the sentences as CoNLL-U"
        raise InputError(problem, path=treebank.source.path, remedy=remedy)


def with_items(treebank: Treebank, key: str, values: Mapping[int, str], *, trees: bool = False) -> bytes:
    r"""Return the text of a treebank with a value for the key in MISC of some slots, and in no others.

    An item with this key that was there is taken out. Other items, and other columns, stay byte for byte; with
    ``trees``, HEAD and DEPREL are those of the treebank. A ``|`` in a value is written ``\p`` (as in Udapi), a
    backslash ``\\``.
    """
    require_misc(treebank)
    lines, line_of = lines_of(treebank)
    if trees or treebank.source is None:
        lines = dumps(treebank.only()).split("\n")
    front = f"{key}="
    for slot in np.flatnonzero(treebank.is_token).tolist():
        line = lines[line_of[slot]]
        if slot not in values and front not in line:
            continue
        before, _, misc = line.rpartition("\t")
        items = misc.rstrip("\r")
        kept = [item for item in items.split("|") if not item.startswith(front)]
        if slot in values:
            value = values[slot].replace("\\", "\\\\").replace("|", "\\p")
            kept = [*(kept if kept != ["_"] else []), f"{front}{value}"]
        lines[line_of[slot]] = f"{before}\t{'|'.join(kept) or '_'}{misc[len(items) :]}"
    return "\n".join(lines).encode("utf-8", "surrogateescape")
