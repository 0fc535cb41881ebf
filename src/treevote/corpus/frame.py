"""Columns of a table of tokens, checked; pandas is not imported."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from treevote.errors import InputError

if TYPE_CHECKING:
    import pandas  # pyright: ignore[reportMissingImports]


def columns_of(frame: pandas.DataFrame, texts: Sequence[str], numbers: Sequence[str]) -> dict[str, list[Any]]:
    """Return ``texts``, ``head``, and ``numbers`` if they are there, as lists; ``new`` tells where a sentence begins.

    The columns ``sentence`` and ``form`` are needed. A missing column of texts is ``_``, that of heads unknown (-1); a
    missing number is ``nan``. InputError if a needed column is missing, one has something else than its kind, or
    ``id``, if it is there, does not count the words of each sentence from 1: heads are positions.
    """
    if not hasattr(frame, "columns"):
        problem = f"expected a table of pandas, found {type(frame).__name__}"
        raise InputError(problem, remedy="make one with pandas.DataFrame")
    names = list(frame.columns)
    for name in ("sentence", "form"):
        if name not in names:
            found = ", ".join(map(repr, names)) or "none"
            raise InputError(f"expected a column {name!r}, found {found}", remedy="rename or add it")
    for name in ("sentence", "id", "head", *texts, *numbers):
        if (count := names.count(name)) > 1:
            raise InputError(f"expected one column {name!r}, found {count}", remedy="rename or drop the others")
    sentences = _column(frame, "sentence", None, "numbers or names of sentences", _is_name)
    columns: dict[str, list[Any]] = {"new": [i == 0 or new != sentences[i - 1] for i, new in enumerate(sentences)]}
    if "id" in frame.columns:
        number = 0
        ids = _column(frame, "id", None, "whole numbers", lambda value: value == int(value))
        for row, (is_new, found) in enumerate(zip(columns["new"], ids, strict=True)):
            columns["new"][row] = is_new or found == 1
            number = 1 if columns["new"][row] else number + 1
            if found != number:
                problem = f"expected the id {number} in row {row}, found {found!r}: a sentence lacks some of its words"
                remedy = "keep whole sentences; or correct the heads, which are positions, and drop the column id"
                raise InputError(problem, remedy=remedy)
    for name in texts:
        columns[name] = _column(frame, name, "_", "strings", lambda value: isinstance(value, str))
    heads = _column(frame, "head", -1, "whole numbers from -1 on", lambda value: value == int(value) and value >= -1)
    columns["head"] = list(map(int, heads))
    for name in numbers:
        if name in frame.columns:
            known = frame[[name]].astype(object).where(frame[[name]].notna(), math.nan)  # None and pandas.NA, too
            columns[name] = _column(known, name, None, "numbers from 0 to 1", _is_mark)
    return columns


def _is_name(value: Any) -> bool:
    return value is not None and bool(value == value)


def _is_mark(value: Any) -> bool:
    return math.isnan(float(value)) or 0 <= float(value) <= 1


def _column(frame: pandas.DataFrame, name: str, default: Any, kind: str, is_kind: Callable[[Any], bool]) -> list[Any]:
    values = frame[name].tolist() if name in frame.columns else [default] * len(frame)
    for row, value in enumerate(values):
        try:
            fits = is_kind(value)
        except (TypeError, ValueError, OverflowError):
            fits = False
        if not fits:
            raise InputError(f"expected {kind} in column {name!r}, found {value!r} in row {row}", remedy="correct it")
    return values
