"""The report of a study: tables with the figures of the paper, and whether its claims hold here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, TypeAlias

from treevote import latex
from treevote.evaluation.verdict import LEVEL
from treevote.store.manifest import JSON

Value: TypeAlias = str | int | float | Decimal | None
"""Entry of a table. Decimals, such as figures of papers, are shown with their printed digits."""

SCORES = {
    "LAS": "labelled attachment score, percent of the tokens with the right head and label",
    "UAS": "unlabelled attachment score, percent of the tokens with the right head",
}

LEGENDS = {
    **SCORES,
    "sentences": "number of sentences",
    "tokens": "number of tokens",
    "rules": "number of rules of the decision list",
}
"""Columns that several tables have, and what they hold."""


@dataclass(frozen=True)
class Table:
    """A table; the first column has the names of the rows, and ``source`` is that of the figures of the paper.

    ``legends`` explain columns and rows that ``LEGENDS`` does not.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    source: str = ""
    note: str = ""
    legends: Mapping[str, str] = field(default_factory=dict)

    @property
    def legend(self) -> dict[str, str]:
        """A line of explanation for each column, then for rows, then one for all figures of a paper."""
        known = {**LEGENDS, **self.legends}
        found = {**{name: known[name] for name in self.columns if name in known}, **self.legends}
        if any(name.startswith("paper: ") for name in (*self.columns, *(str(row[0]) for row in self.rows))):
            found["paper"] = "figures that the paper prints, of its own data"
        return found


Outcome: TypeAlias = Literal["holds", "not significant", "does not hold"]
"""Whether a claim holds: significantly; in its direction, but not significantly; not even in its direction."""

OUTCOMES: dict[Outcome, str] = {
    "holds": "Holds here",
    "not significant": "Same direction here, not significant",
    "does not hold": "Does not hold here",
}
"""The outcomes for a reader."""


def outcome(direction: bool, p: float | None = None) -> Outcome:
    """Return the outcome of a claim: whether the figures lie in its direction, and p of their difference.

    Without p there is nothing that chance could explain, such as a count of actions.
    """
    if not direction:
        return "does not hold"
    return "holds" if p is None or p < LEVEL else "not significant"


@dataclass(frozen=True)
class Finding:
    """A claim of a paper, its outcome here, and the figures."""

    claim: str
    outcome: Outcome
    evidence: str


@dataclass(frozen=True)
class Report:
    """Tables and findings of a study."""

    tables: tuple[Table, ...]
    findings: tuple[Finding, ...] = ()


def printed(figures: str) -> tuple[Decimal, ...]:
    """Return figures with the digits that a paper prints."""
    return tuple(map(Decimal, figures.split()))


def printed_by_name(rows: str) -> dict[str, tuple[Decimal, ...]]:
    """Return the figures of rows by name, given rows such as ``"Czech 74.83 81.27, mean 79.90 85.29"``."""
    names = {row.rstrip("0123456789. ").strip(): row for row in rows.split(",")}
    return {name: printed(row.replace(name, "")) for name, row in names.items()}


def percent(part: float, whole: float) -> float | None:
    """Return a share in percent, to two decimals, None of nothing."""
    return round(float(100 * part / whole), 2) if whole else None


def rate(value: float) -> float | None:
    """Return a rate to two decimals, never -0; None for ``nan``."""
    return None if value != value else round(value, 2) + 0.0


def as_markdown(name: str, summary: str, facts: Mapping[str, JSON], report: Report) -> str:
    """Return a report as Markdown; ``facts`` are treebanks and settings.

    A column is explained under the first table that has it.
    """
    blocks = [f"# {name}", summary]
    blocks.append("\n".join(f"- {key}: {_fact(value)}".replace(": \n", ":\n") for key, value in facts.items()))
    explained: list[tuple[str, str]] = []
    for table in report.tables:
        rows = [table.columns, (":--", *("--:" for _ in table.columns[1:])), *table.rows]
        blocks += [f"## {table.title}", "\n".join(map(_markdown_row, rows))]
        new = [item for item in table.legend.items() if item not in explained]
        explained += new
        blocks.append("\n".join(f"- {name}: {line}" for name, line in new))
        blocks += [table.source and f"Figures of the paper: {table.source}.", table.note]
    if report.findings:
        lines = [f"- {found.claim} **{OUTCOMES[found.outcome]}**: {found.evidence}." for found in report.findings]
        blocks += ["## Findings", "\n".join(lines)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def as_latex(report: Report) -> str:
    """Return the tables in LaTeX, the highest figure of each column of scores in bold, and the findings as comments."""
    parts = []
    for table in report.tables:
        rows = [list(map(latex.escaped, map(_shown, row))) for row in table.rows]
        for column, name in enumerate(table.columns):
            figures = [figure for row in table.rows if isinstance(figure := row[column], float)]
            if name.split()[:1] in (["LAS"], ["UAS"]) and len(figures) > 1:
                for cells, row in zip(rows, table.rows, strict=True):
                    if isinstance(row[column], float) and row[column] == max(figures):
                        cells[column] = latex.bold(cells[column])
        parts.append(f"% {table.title}\n{latex.table(list(map(latex.escaped, table.columns)), rows)}")
    parts += [f"% {found.claim} {OUTCOMES[found.outcome]}: {found.evidence}." for found in report.findings]
    return "\n\n".join(parts) + "\n"


def as_json(name: str, summary: str, facts: Mapping[str, JSON], report: Report) -> str:
    """Return a report as JSON; rows are objects by column, and the first column is called ``"row"``."""
    tables = []
    for table in report.tables:
        columns = ["row", *table.columns[1:]]
        rows = [dict(zip(columns, row, strict=True)) for row in table.rows]
        texts = {"title": table.title, "source": table.source, "note": table.note, "legend": table.legend}
        tables.append({**texts, "columns": columns, "rows": rows})
    head = {"schema": "treevote/study", "schema_version": 1, "study": name, "summary": summary}
    content = {**head, **facts, "tables": tables, "findings": [vars(finding) for finding in report.findings]}
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False, default=float) + "\n"  # float of Decimal


def _shown(value: Value) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _markdown_row(row: Iterable[Value]) -> str:
    cells = (_shown(value).replace("|", "\\|") for value in row)
    return f"| {' | '.join(cells)} |"


def _fact(value: JSON) -> str:
    if isinstance(value, Mapping):
        if all(isinstance(item, str) for item in value.values()):
            return "".join(f"\n  - {key}: {item}" for key, item in value.items())
        return ", ".join(f"{item:,} {key}" if isinstance(item, int) else str(item) for key, item in value.items())
    return str(value)
