"""A small model, and everything in a record as one value that ``==`` compares."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from treevote.store.record import Record

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def content(model: Record) -> object:
    """Everything in a record, to be compared with ``==``; arrays as type, shape and bytes."""
    return (
        model.kind,
        model.facts,
        {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in model.arrays.items()},
        {name: list(text) for name, text in model.texts.items()},
        model.blobs,
        [(name, content(part)) for name, part in model.parts.items()],
    )


def toy() -> Record:
    member = Record(
        "parser",
        {"beam": 8, "scores": [0.5, None], "name": "é"},
        {"weights": np.arange(6, dtype=np.int16).reshape(2, 3), "bias": np.float64(0.1) * np.ones(2)},
        {"labels": ["det", "ρίζα"]},
        {"dump": b"\x00\x01zip"},
    )
    return Record("ensemble", {"n": 1}, parts={"forward": member, "backward": Record("parser")})
