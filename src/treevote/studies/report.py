"""The report of a study: tables with the figures of the paper, and whether its claims hold here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from treevote.store.manifest import JSON
from treevote.studies.legends import legend_of

Value: TypeAlias = str | int | float | Decimal | None
"""Entry of a table. Decimals, such as figures of papers, are shown with their printed digits."""


@dataclass(frozen=True)
class Table:
    """A table; the first column has the names of the rows, and ``source`` is that of the figures of the paper.

    ``legends`` explain columns and rows that `treevote.studies.legends` does not.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    source: str = ""
    note: str = ""
    legends: Mapping[str, str] = field(default_factory=dict)

    @property
    def legend(self) -> dict[str, str]:
        """A line of explanation for each column."""
        return legend_of(self.columns, [str(row[0]) for row in self.rows], self.legends)


Outcome: TypeAlias = Literal["holds", "not significant", "does not hold"]
"""Whether a claim holds: significantly; in its direction, but not significantly; not even in its direction."""

OUTCOMES: dict[Outcome, str] = {
    "holds": "Holds here",
    "not significant": "Same direction here, not significant",
    "does not hold": "Does not hold here",
}
"""The outcomes for a reader."""

LEVEL = 0.05
"""The level of significance."""


def outcome(direction: bool, p: float | None = None) -> Outcome:
    """Return the outcome of a claim: whether the figures lie in its direction, and p of their difference.

    Without p there is nothing that chance could explain, such as a count of actions.

    Examples
    --------
    >>> outcome(True, 0.01), outcome(True, 0.93), outcome(False, 0.01), outcome(True)
    ('holds', 'not significant', 'does not hold', 'holds')
    """
    if not direction:
        return "does not hold"
    return "holds" if p is None or p < LEVEL else "not significant"


@dataclass(frozen=True)
class Finding:
    """A claim of a paper, its outcome here, and the figures; p is the p-value of a difference."""

    claim: str
    outcome: Outcome
    evidence: str


@dataclass(frozen=True)
class Report:
    """Tables and findings of a study."""

    tables: tuple[Table, ...]
    findings: tuple[Finding, ...] = ()


def printed(figures: str) -> tuple[Decimal, ...]:
    """Return figures with the digits that a paper prints.

    Examples
    --------
    >>> printed("72.3 75.0")
    (Decimal('72.3'), Decimal('75.0'))
    """
    return tuple(map(Decimal, figures.split()))


def printed_by_name(rows: str) -> dict[str, tuple[Decimal, ...]]:
    """Return the figures of rows, separated by commas, with the digits that a paper prints.

    Examples
    --------
    >>> printed_by_name("Czech 74.83 81.27, mean 79.90 85.29")["mean"]
    (Decimal('79.90'), Decimal('85.29'))
    """
    found = {}
    for row in rows.split(","):
        name = row.rstrip("0123456789. ").strip()
        found[name] = printed(row.replace(name, ""))
    return found


def percent(part: float, whole: float) -> float | None:
    """Return a share in percent, to two decimals, None of nothing.

    Examples
    --------
    >>> percent(1, 3), percent(0, 0)
    (33.33, None)
    """
    return round(float(100 * part / whole), 2) if whole else None


def rate(value: float) -> float | None:
    """Return a rate to two decimals; None of nothing.

    Examples
    --------
    >>> rate(200 / 3), rate(float("nan"))
    (66.67, None)
    """
    return None if value != value else round(value, 2)


def as_markdown(name: str, summary: str, facts: Mapping[str, JSON], report: Report) -> str:
    """Return a report as Markdown; ``facts`` are treebanks and settings.

    A column is explained under the first table that has it.

    Examples
    --------
    >>> table = Table("Turkish", ("", "LAS", "paper"), (("backward", 71.5, Decimal("75.0")), ("vote", None, None)))
    >>> print(as_markdown("members", "Members.", {"seed": 0}, Report((table,))), end="")
    # members
    <BLANKLINE>
    Members.
    <BLANKLINE>
    - seed: 0
    <BLANKLINE>
    ## Turkish
    <BLANKLINE>
    |  | LAS | paper |
    | :-- | --: | --: |
    | backward | 71.50 | 75.0 |
    | vote |  |  |
    <BLANKLINE>
    - LAS: labelled attachment score, percent of the tokens with the right head and label
    """
    blocks = [f"# {name}", summary]
    blocks.append("\n".join(f"- {key}: {_fact(value)}".replace(": \n", ":\n") for key, value in facts.items()))
    explained: list[tuple[str, str]] = []
    for table in report.tables:
        rows = [table.columns, (":--", *("--:" for _ in table.columns[1:])), *table.rows]
        lines = ["| " + " | ".join(map(_shown, row)) + " |" for row in rows]
        blocks += [f"## {table.title}", "\n".join(lines)]
        new = [item for item in table.legend.items() if item not in explained]
        explained += new
        blocks += ["\n".join(f"- {name}: {line}" for name, line in new)] if new else []
        blocks += [f"Figures of the paper: {table.source}."] if table.source else []
        blocks += [table.note] if table.note else []
    if report.findings:
        lines = [
            f"- {finding.claim} **{OUTCOMES[finding.outcome]}**: {finding.evidence}." for finding in report.findings
        ]
        blocks += ["## Findings", "\n".join(lines)]
    return "\n\n".join(blocks) + "\n"


def as_json(name: str, summary: str, facts: Mapping[str, JSON], report: Report) -> str:
    """Return a report as JSON; rows are objects by column, and the first column is called ``"row"``.

    Examples
    --------
    >>> table = Table("Turkish", ("", "paper"), (("backward", Decimal("75.0")),))
    >>> json.loads(as_json("members", "Members.", {}, Report((table,))))["tables"][0]["rows"]
    [{'row': 'backward', 'paper': 75.0}]
    """
    tables = [
        {
            "title": table.title,
            "source": table.source,
            "note": table.note,
            "legend": table.legend,
            "columns": ["row", *table.columns[1:]],
            "rows": [dict(zip(("row", *table.columns[1:]), map(_plain, row), strict=True)) for row in table.rows],
        }
        for table in report.tables
    ]
    findings = [vars(finding) for finding in report.findings]
    head = {"schema": "treevote/study", "schema_version": 1, "study": name, "summary": summary}
    content: dict[str, Any] = {**head, **facts, "tables": tables, "findings": findings}
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Value) -> str | int | float | None:
    return float(value) if isinstance(value, Decimal) else value


def _shown(value: Value) -> str:
    if value is None:
        return ""
    text = f"{value:.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
    return text.replace("|", "\\|")


def _fact(value: JSON) -> str:
    if isinstance(value, Mapping):
        if all(isinstance(item, str) for item in value.values()):
            return "".join(f"\n  - {key}: {item}" for key, item in value.items())
        return ", ".join(f"{item:,} {key}" if isinstance(item, int) else str(item) for key, item in value.items())
    return str(value)
