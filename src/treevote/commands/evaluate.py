"""``treevote evaluate``: several systems against the gold trees, side by side."""

from __future__ import annotations

import csv
import functools
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from treevote.conll import read
from treevote.errors import InputError
from treevote.evaluation.evaluation import evaluate_systems
from treevote.evaluation.results import Evaluation, Rate, System
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


def evaluate_files(
    gold: str | Path,
    systems: Sequence[str | Path],
    *,
    convention: Convention | None = None,
    punctuation: bool = True,
    format: Format | Literal["auto"] = "auto",
    training: str | Path | None = None,
    seed: int = 0,
) -> Evaluation:
    """Evaluate systems in full, and compare them: all figures with intervals, breakdowns, confusions and tests.

    Parameters
    ----------
    gold, systems, convention, punctuation, format
        As for `evaluate`; but with the convention ``"ud"``, words and sentences may be cut differently. One system is
        in memory at a time.
    training : path, optional
        What the systems were trained on, to tell known words from unknown ones.
    seed : int, default=0
        Of the bootstrap and the randomization test.

    Raises
    ------
    InputError
        If a file cannot be read or is empty, if the gold file has no trees, or a system has another text.
    """
    trees = read(gold, format=format)
    return evaluate_systems(
        trees,
        {str(path): functools.partial(read_parse, path, format) for path in systems},
        convention=convention or convention_of(trees),
        punctuation=punctuation,
        seed=seed,
        training=None if training is None else read(training, format=format, trees="ignored"),
    )


def summary(evaluation: Evaluation) -> str:
    """Return the main figures as a table, then the tests of LAS and UAS with Holm's correction, and what is no tree.

    Examples
    --------
    >>> gold = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])])
    >>> print(summary(evaluate_systems(gold, {"mine": gold}, convention="conllx")))
    convention conllx     LAS     UAS      LA    root  complete
    mine               100.00  100.00  100.00  100.00    100.00
    """
    shown = [metric.name for metric in evaluation.metrics if metric.tested] + ["root", "complete"]
    rows = [[system.name, *(_two(system.rates[name].value) for name in shown)] for system in evaluation.systems]
    parts = [table([f"convention {evaluation.convention}", *shown], rows)]
    if tests := [test for test in evaluation.comparison.tests if test.metric in ("LAS", "UAS")]:
        rows = [
            [
                f"{test.metric} of system {test.first + 1} minus {test.second + 1}",
                _two(test.difference),
                f"{_two(test.low)} to {_two(test.high)}",
                f"{test.bootstrap_holm:.4f}",
                f"{test.randomization_holm:.4f}",
            ]
            for test in tests
        ]
        parts.append(table(["", "points", "95 % interval", "p bootstrap", "p randomization"], rows))
    for system in evaluation.systems:
        for finding in system.ill_formed:
            first = ", ".join(map(str, finding.first)) + (", ..." if finding.sentences > len(finding.first) else "")
            counted = f"{finding.sentences:,} sentence{'s' if finding.sentences > 1 else ''}"
            parts.append(f"{system.name}: {counted} with {finding.description} ({first})")
    return "\n\n".join(parts)


def full_json(evaluation: Evaluation) -> str:
    """Return all that was found as JSON, see `treevote.evaluation.results.Evaluation.as_dict`."""
    return json.dumps(evaluation.as_dict(), indent=2, ensure_ascii=False)


def full_csv(evaluation: Evaluation) -> str:
    """Return all rates as CSV, one a line: figures, breakdowns and tests of differences.

    Examples
    --------
    >>> gold = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])])
    >>> lines = full_csv(evaluate_systems(gold, {"mine": gold})).splitlines()
    >>> lines[0]
    'table,group,system,metric,value,low,high,correct,of gold,of system,p'
    >>> next(line for line in lines if line.startswith("deprel,det"))[:27]
    'deprel,det,mine,UAS,100.0,2'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ["table", "group", "system", "metric", "value", "low", "high", "correct", "of gold", "of system", "p"]
    )
    writer.writerows(_lines(evaluation))
    return text.getvalue()


def _lines(evaluation: Evaluation) -> Iterator[list[object]]:
    systems: tuple[System, ...] = evaluation.systems
    for system in systems:
        for name, rate in system.rates.items():
            yield _line("figures", "", system.name, name, rate)
    for breakdown in evaluation.breakdowns:
        for group in breakdown.groups:
            for system, cell in zip(systems, group.cells, strict=True):
                yield _line(breakdown.name, group.value, system.name, "UAS", cell.uas)
                yield _line(breakdown.name, group.value, system.name, "LAS", cell.las)
                if cell.precision is not None:
                    yield _line(breakdown.name, group.value, system.name, "LAS precision", cell.precision)
    for test in evaluation.comparison.tests:
        pair = f"{systems[test.first].name} - {systems[test.second].name}"
        for name, p in ("bootstrap", test.bootstrap_holm), ("randomization", test.randomization_holm):
            yield [f"difference, {name}", "", pair, test.metric, test.difference, test.low, test.high, "", "", "", p]


def _line(of: str, group: str, system: str, metric: str, rate: Rate) -> list[object]:
    return [of, group, system, metric, rate.value, rate.low, rate.high, rate.correct, rate.gold, rate.system, ""]


def _two(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
