"""Tables of pandas, which is imported only when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from treevote.errors import InputError
from treevote.extras import extra

if TYPE_CHECKING:
    import pandas  # pyright: ignore[reportMissingImports]


def frame_of(columns: Mapping[str, Any]) -> pandas.DataFrame:
    """Return a table.

    Raises
    ------
    ConfigError
        If pandas is not installed.
    """
    with extra("pandas", "tables need pandas"):
        import pandas  # pyright: ignore[reportMissingImports]
    return pandas.DataFrame(columns)


def columns_of(
    frame: pandas.DataFrame, texts: Sequence[str], heads: Sequence[str], numbers: Sequence[str]
) -> dict[str, list[Any]]:
    """Return columns of a table of tokens as lists, those that are missing with ``_`` or with unknown heads.

    Parameters
    ----------
    frame : pandas.DataFrame
        With the columns ``sentence`` and ``form``.
    texts, heads, numbers : sequence of str
        Names of columns of strings, of heads, and of numbers; the last are left out if they are missing.

    Returns
    -------
    dict of str to list
        With ``new``: whether a sentence begins.

    Raises
    ------
    InputError
        If ``sentence`` or ``form`` is missing, or a column has something else.
    """
    for name in ("sentence", "form"):
        if name not in frame.columns:
            raise InputError(
                f"expected a column {name!r}, found {', '.join(map(repr, frame.columns))}", remedy="rename or add it"
            )
    sentences = frame["sentence"].tolist()
    found: dict[str, list[Any]] = {"new": [i == 0 or sentences[i] != sentences[i - 1] for i in range(len(sentences))]}
    for name in texts:
        values = frame[name].tolist() if name in frame.columns else ["_"] * len(sentences)
        _require(name, values, "strings", lambda value: isinstance(value, str))
        found[name] = values
    for name in heads:
        values = frame[name].tolist() if name in frame.columns else [-1] * len(sentences)
        _require(name, values, "whole numbers from -1 on", lambda value: value == int(value) and value >= -1)
        found[name] = list(map(int, values))
    for name in numbers:
        if name in frame.columns:
            found[name] = frame[name].tolist()
            _require(name, found[name], "numbers from 0 to 1", lambda value: 0 <= float(value) <= 1)
    return found


def _require(name: str, values: Sequence[Any], kind: str, is_kind: Any) -> None:
    for row, value in enumerate(values):
        try:
            fits = is_kind(value)
        except (TypeError, ValueError, OverflowError):
            fits = False
        if not fits:
            raise InputError(f"expected {kind} in column {name!r}, found {value!r} in row {row}", remedy="correct it")
