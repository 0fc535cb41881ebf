"""The measurements as a Markdown table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.systems import REFERENCE

HEADER = ("system", "LAS", "UAS", "speed", "tokens/s", "parse MiB", "train CPU s", "train MiB", "model MB")


def as_markdown(result: Mapping[str, Any]) -> str:
    """Return the tables of a result, see `benchmarks.__main__.run`."""
    rows = [
        (
            name,
            f"{found['las']:.2f}",
            f"{found['uas']:.2f}",
            "" if found["ratio"] is None else f"{found['ratio']:.2f}",
            f"{found['tokens_per_second']:,.0f}",
            f"{found['parse']['peak']:.0f}",
            f"{found['train']['cpu']:.0f}" if found["train"] else "",
            f"{found['train']['peak']:.0f}" if found["train"] else "",
            f"{found['model_mb']:.1f}",
        )
        for name, found in result["systems"].items()
    ]
    growth = [(f"{size} x", f"{found['cpu']:.2f}", f"{found['peak']:.0f}") for size, found in result["growth"].items()]
    jobs = [(str(n), f"{found['wall']:.2f}", f"{found['cpu']:.2f}") for n, found in result["jobs"].items()]
    start = [(name, f"{found['cpu']:.2f}", f"{found['peak']:.0f}") for name, found in result["start"].items()]
    parts = [
        f"Test file {result['repeat']} times ({result['tokens']:,} tokens), one core; speed as ratio to {REFERENCE}, "
        f"whole commands, least of {result['rounds']} rounds.",
        _table(HEADER, rows),
        "Growth of the default vote:",
        _table(("input", "CPU s", "MiB"), growth),
        "Jobs of the default vote:",
        _table(("jobs", "s", "CPU s"), jobs),
        "Start-up of the default vote:",
        _table(("command", "CPU s", "MiB"), start),
    ]
    return "\n\n".join(parts) + "\n"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in which all columns but the first are aligned to the right.

    Examples
    --------
    >>> print(_table(("a", "n"), [("one", "1")]))
    | a | n |
    |---|---:|
    | one | 1 |
    """
    lines = [header, *rows]
    text = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([text[0], "|---" + "|---:" * (len(header) - 1) + "|", *text[1:]])
