"""Support and confidence of a treebank, read back from MISC."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from treevote.corpus.treebank import MARKS, Treebank


def with_marks(treebank: Treebank) -> Treebank:
    """Return a treebank with the numbers that `treevote.conll.writer` wrote into MISC; InputError for one not in 0..1.

    A field of ``MARKS`` is filled if every token with a head has its number. Without a source, or of CoNLL-X, the
    treebank stays as it is.
    """
    source = treebank.source
    if source is None or source.format == "conllx":
        return treebank
    fields = {mark.partition("=")[0]: field for field, mark in MARKS.items()}
    columns = {field: np.zeros(len(treebank.tokens), np.float32) for field in MARKS}
    slots = np.flatnonzero(treebank.heads >= 0)
    seen = dict.fromkeys(MARKS, 0)
    for slot, line in zip(slots.tolist(), source.line_of[slots].tolist(), strict=True):
        for item in source.lines[line].rstrip("\r").rpartition("\t")[2].split("|"):
            key, _, text = item.partition("=")
            if (field := fields.get(key)) is None:
                continue
            try:
                number = float(text)
            except ValueError:
                number = math.nan
            if not 0 <= number <= 1:
                raise treebank.fault(slot, f"expected {key}=NUMBER from 0 to 1 in MISC, found {item}", "correct it")
            columns[field][slot] = number
            seen[field] += 1
    found: dict[str, Any] = {field: columns[field] for field in MARKS if seen[field] == len(slots) > 0}
    return dataclasses.replace(treebank, **found)
