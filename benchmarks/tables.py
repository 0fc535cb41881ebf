"""The results of the measurements as data: a file of each experiment, and Markdown of its tables."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from treevote.files.streams import writing
from treevote.visibility import as_json

STORE = Path(__file__).parent / "figures"
"""Folder of the results."""

Table = Mapping[str, Any]
"""``columns``, the decimals of each by its name, and ``rows``; or ``lines``, the output of a command."""


def versions() -> dict[str, str]:
    """Return the versions of the programs; PackageNotFoundError if one is not installed."""
    names = "treevote", "numba", "ufal.udpipe"
    return {"Python": platform.python_version()} | {name: version(name) for name in names}


def store(file: Path, treebanks: Sequence[str], programs: Mapping[str, str], tables: Mapping[str, Table]) -> None:
    """Write the tables of an experiment, with the names of its treebanks and the versions of the programs."""
    content = {"treebanks": treebanks, "versions": programs, "tables": tables}
    file.parent.mkdir(parents=True, exist_ok=True)
    with writing(file) as stream:
        stream.write(f"{as_json(content, width=120)}\n".encode())


def stored(folder: Path = STORE) -> dict[str, Table]:
    """Return all tables by their names."""
    files = sorted(folder.glob("*.json"))
    return {name: table for file in files for name, table in json.loads(file.read_text("utf-8"))["tables"].items()}


def as_markdown(table: Table) -> str:
    """Return a table in which all columns but the first are aligned to the right, or a block of lines.

    Examples
    --------
    >>> print(as_markdown({"columns": {"": 0, "LAS": 2, "tokens": 0}, "rows": [["vote", 89.128, 12345]]}))
    |  | LAS | tokens |
    |---|---:|---:|
    | vote | 89.13 | 12,345 |
    """
    if "lines" in table:
        return "\n".join(["```text", *table["lines"], "```"])
    columns = table["columns"]
    rows = [[_cell(*pair) for pair in zip(row, columns.values(), strict=True)] for row in table["rows"]]
    lines = ["| " + " | ".join(row) + " |" for row in [columns, *rows]]
    return "\n".join([lines[0], "|---" + "|---:" * (len(columns) - 1) + "|", *lines[1:]])


def _cell(value: str | float, decimals: int) -> str:
    return value if isinstance(value, str) else f"{value:,.{decimals}f}"
