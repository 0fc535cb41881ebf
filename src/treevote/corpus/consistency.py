"""The columns of a treebank against each other: types, lengths, and indices in their ranges."""

from __future__ import annotations

from typing import Any

import numpy as np

from treevote.errors import InputError

_FLOAT32 = np.dtype(np.float32)
_EXPECTED = {"offsets": np.dtype(np.int64), **dict.fromkeys(("tokens", "heads", "deprels"), np.dtype(np.int32))}
"""Types of the columns that are no marks."""


def require_consistent(treebank: Any) -> None:
    """Raise InputError if a `Treebank` has a column of another type or length, or else an index out of range."""
    tokens, heads, deprels, offsets = treebank.tokens, treebank.heads, treebank.deprels, treebank.offsets
    n_slots = len(tokens)
    columns: dict[str, Any] = {"tokens": tokens, "heads": heads, "deprels": deprels, **treebank.marks}
    for name, column in {"offsets": offsets, **columns}.items():
        expected = _EXPECTED.get(name, _FLOAT32)
        kind, shape = getattr(column, "dtype", type(column).__name__), np.shape(column)
        if kind != expected or len(shape) != 1 or (name != "offsets" and len(column) != n_slots):
            length = "" if name == "offsets" else f" of length {n_slots}"
            problem = f"{name}: expected {expected}{length}, found {kind} of shape {shape}"
            raise InputError(problem, path=treebank.title, remedy="correct the column")
    roots, ends = offsets[:-1], offsets[1:]
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != n_slots or (ends <= roots).any():
        problem = f"offsets: expected ascending slots from 0 to {n_slots}, found others"
        raise InputError(problem, path=treebank.title, remedy="correct the column")
    if n_slots == 0:
        return
    widths = ends - roots
    if heads[roots].max() >= 0:
        number = int(np.argmax(heads[roots] >= 0))
        problem = f"expected the head -1 for ROOT, found {heads[roots[number]]}"
        raise InputError(problem, path=treebank.title, sentence=str(number + 1), remedy="correct the column")
    for name, column, least, size in (
        ("token", tokens, 0, len(treebank.words)),
        ("head", heads, -1, widths),
        ("deprel", deprels, -1, len(treebank.labels)),
    ):
        most = np.maximum.reduce(column) if isinstance(size, int) else np.maximum.reduceat(column, roots)
        if np.minimum.reduce(column) < least or np.any(most >= size):
            limits = np.repeat(np.broadcast_to(size, widths.shape), widths)
            slot = int(np.argmax((column < least) | (column >= limits)))
            problem = f"expected a {name} in {least}..{limits[slot] - 1}, found {column[slot]}"
            raise treebank.fault(slot, problem, "correct the column")
