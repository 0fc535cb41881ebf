"""``treevote evaluate``: several systems against the gold trees, side by side."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from treevote.conll import read
from treevote.errors import InputError
from treevote.formats import Format, format_of
from treevote.metrics import Convention, Counts
from treevote.metrics import evaluate as compare
from treevote.terminal import table
from treevote.treebank import Treebank

RATES = {
    "LAS": "las",
    "UAS": "uas",
    "CLAS": "clas",
    "LA": "label_accuracy",
    "root": "root_accuracy",
    "complete": "complete",
}
"""Column of the table and property of `treevote.metrics.Counts`."""


def evaluate(
    gold: str | Path,
    systems: Sequence[str | Path],
    *,
    convention: Convention | None = None,
    punctuation: bool = True,
    format: Format | Literal["auto"] = "auto",
) -> tuple[Convention, dict[str, Counts]]:
    """Compare the trees of systems with gold trees.

    Parameters
    ----------
    gold : path
        Sentences with trees.
    systems : sequence of path
        The same sentences as each system parsed them; tokens without a head count as wrong.
    convention : {"ud", "conllx"}, optional
        See `treevote.metrics`; by default that which goes with the format of the gold file.
    punctuation : bool, default=True
        Whether punctuation is scored.
    format : {"auto", "conllu", "conllx"}, default="auto"
        Format of all files.

    Returns
    -------
    convention : {"ud", "conllx"}
    counts : dict of str to Counts
        By the path of the system.

    Raises
    ------
    InputError
        If a file cannot be read, or its sentences are not those of the gold file.
    """
    trees = read(gold, format=format)
    convention = convention or convention_of(trees)
    return convention, {
        str(path): compare(trees, read_parse(path, format), convention=convention, punctuation=punctuation)
        for path in systems
    }


def read_parse(path: str | Path, format: Format | Literal["auto"]) -> Treebank:
    """Read what a system parsed; it may have left some sentences unparsed, but not all.

    Raises
    ------
    InputError
        If the file cannot be read, or has no trees.
    """
    parse = read(path, format=format, trees="optional")
    if not (parse.heads >= 0).any():
        raise InputError("expected parses, found no heads at all", path=str(path), remedy="parse the file first")
    return parse


def convention_of(treebank: Treebank) -> Convention:
    """Return the convention that goes with the format of a treebank that was read from a file."""
    if treebank.source is None:
        return "ud"
    text = "\n".join(treebank.source.lines).encode("utf-8", "surrogateescape")
    return "ud" if format_of(treebank.source.path, text) == "conllu" else "conllx"


def as_table(counts: Mapping[str, Counts], convention: Convention) -> str:
    """Return a table with a line for each system; CLAS is of Universal Dependencies alone."""
    rates = {name: rate for name, rate in RATES.items() if name != "CLAS" or convention == "ud"}
    rows = [[name, *(f"{getattr(count, rate):.2f}" for rate in rates.values())] for name, count in counts.items()]
    return table([f"convention {convention}", *rates], rows)


def as_json(counts: Mapping[str, Counts], convention: Convention) -> str:
    """Return the same as JSON, with a rate of nothing as null."""
    rates = {
        name: {
            "tokens": count.tokens,
            "sentences": count.sentences,
            **{key: _number(getattr(count, rate)) for key, rate in RATES.items()},
        }
        for name, count in counts.items()
    }
    return json.dumps({"convention": convention, "systems": rates}, indent=2, ensure_ascii=False)


def _number(rate: float) -> float | None:
    return None if math.isnan(rate) else rate
