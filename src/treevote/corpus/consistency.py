"""The columns of a treebank against each other, and numbers of sentences: types, lengths, indices in their ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treevote.errors import InputError
from treevote.kernels import Bools, Ints, Longs, leaf

_MARK, _NUMBER = np.dtype(np.float32), np.dtype(np.int32)
_TYPES = {"offsets": np.dtype(np.int64), "tokens": _NUMBER, "heads": _NUMBER, "deprels": _NUMBER}  # others: marks


def inconsistency(columns: Mapping[str, Any], n_words: int, n_labels: int) -> tuple[str, int | None] | None:
    """Return the first fault of the columns of a `Treebank` and its slot (None: a whole column); None if sound.

    ``columns`` has ``tokens``, ``heads``, ``deprels``, ``offsets`` and the marks; ``n_words`` and ``n_labels`` are the
    numbers of distinct words and labels.
    """
    tokens, heads, deprels, offsets = (columns[name] for name in ("tokens", "heads", "deprels", "offsets"))
    n_slots = len(tokens)
    for name, column in columns.items():
        expected = _TYPES.get(name, _MARK)
        kind = column.dtype if isinstance(column, np.ndarray) else type(column).__name__
        if kind != expected or column.ndim != 1 or (name != "offsets" and len(column) != n_slots):
            length = "" if name == "offsets" else f" of length {n_slots}"
            return f"{name}: expected {expected}{length}, found {kind} of shape {np.shape(column)}", None
    if all(column.flags.carray for column in (offsets, tokens, heads, deprels)) and are_sound(
        offsets, tokens, heads, deprels, n_words, n_labels
    ):  # a short text has many treebanks on its way, and the calls of numpy below take ten times as long
        return None
    roots, widths = offsets[:-1], offsets[1:] - offsets[:-1]
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != n_slots or np.minimum.reduce(widths, initial=1) <= 0:
        return f"offsets: expected ascending slots from 0 to {n_slots}, found others", None
    rooted = np.flatnonzero(heads[roots] >= 0)
    if len(rooted):
        number = int(rooted[0])
        return f"sentence {number + 1}: expected the head -1 for ROOT, found {heads[roots[number]]}", None
    checks = ("token", tokens, 0, n_words), ("head", heads, -1, widths), ("deprel", deprels, -1, n_labels)
    for name, column, least, size in checks:
        limits = np.repeat(np.broadcast_to(size, widths.shape), widths)
        wrong = np.flatnonzero((column < least) | (column >= limits))
        if len(wrong):
            slot = int(wrong[0])
            problem = f"expected a {name} in {least}..{limits[slot] - 1}, found {column[slot]}"
            number = int(np.searchsorted(roots, slot))
            is_root = number < len(roots) and roots[number] == slot
            return (f"sentence {number + 1}, ROOT: {problem}", None) if is_root else (problem, slot)
    return None


@leaf
def are_sound(offsets: Longs, tokens: Ints, heads: Ints, deprels: Ints, n_words: int, n_labels: int) -> bool:
    """Tell whether offsets ascend over all slots, and all indices are in their ranges."""
    last = len(offsets) - 1
    if last < 0 or offsets[0] != 0 or offsets[last] != len(tokens):
        return False
    for i in range(last):
        root, end = offsets[i], offsets[i + 1]
        if root >= end or end > len(tokens) or heads[root] >= 0:
            return False
        for slot in range(root, end):
            if not (0 <= tokens[slot] < n_words and -1 <= heads[slot] < end - root and -1 <= deprels[slot] < n_labels):
                return False
    return True


def numbers_of(sentences: Sequence[int] | NDArray[np.integer[Any]] | Bools, n_sentences: int, title: str) -> Longs:
    """Return the chosen sentences by number, from numbers or a mask; InputError if there is no such sentence."""
    try:
        asked = np.asarray(sentences)
    except ValueError:  # lists of different lengths have no shape
        asked = np.asarray(sentences, dtype=object)
    if asked.dtype == np.bool_ and asked.shape == (n_sentences,):
        asked = np.flatnonzero(asked)
    fits = asked.dtype.kind in "iu" and asked.min(initial=0) >= 0 and asked.max(initial=0) < n_sentences
    if asked.ndim != 1 or asked.dtype == np.bool_ or (asked.size and not fits):
        expected = f"numbers of sentences in 0..{n_sentences - 1}, or a mask of length {n_sentences}"
        raise InputError(f"expected {expected}, found {asked.dtype} {short(asked.tolist())}", path=title)
    return asked.astype(np.int64)
