"""The results of the measurements as data: a file of each experiment, and Markdown of its tables in the pages.

In a page a table stands between ``<!-- figures: NAME -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from treevote.files.streams import writing
from treevote.visibility import as_json

ROOT = Path(__file__).parent.parent

STORE = ROOT / "benchmarks" / "figures"  # folder of the results

PAGES = [ROOT / "README.md", *sorted(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts)]
"""README and docs."""

MARKED = re.compile(r"^<!-- figures: (\S+) -->\n(.*?)^<!-- end -->$", re.DOTALL | re.MULTILINE)
"""A table of a page: its name, and what stands there."""

Table = Mapping[str, Any]  # columns, the decimals of each by its name, and rows; or lines, the output of a command


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


def rendered(page: str, tables: Mapping[str, Table]) -> str:
    r"""Return a page with its tables.

    Raises
    ------
    KeyError
        If it names a table that is not stored.

    Examples
    --------
    >>> page = "<!-- figures: a -->\n<!-- end -->\n"
    >>> rendered(page, {"a": {"columns": {"": 0, "LAS": 2}, "rows": [["vote", 90.5]]}}).splitlines()[4:6]
    ['| vote | 90.50 |', '']
    """
    return MARKED.sub(lambda at: f"<!-- figures: {at[1]} -->\n\n{as_markdown(tables[at[1]])}\n\n<!-- end -->", page)
