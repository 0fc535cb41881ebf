"""The pages with figures: a table stands between ``<!-- figures: NAME -->`` and ``<!-- end -->``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from benchmarks.tables import Table, as_markdown

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts)]
"""README and docs."""

MARKED = re.compile(r"^<!-- figures: (\S+) -->\n(.*?)^<!-- end -->$", re.DOTALL | re.MULTILINE)
"""A table of a page: its name, and what stands there."""


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
