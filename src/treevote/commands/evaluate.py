"""``treevote evaluate``: several systems against the gold trees, side by side."""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from treevote import visibility
from treevote.conll.guidelines import departures, unknown_labels
from treevote.conll.reader import read, read_parse
from treevote.corpus.treebank import Format, Treebank
from treevote.evaluation.counts import Convention, convention_of
from treevote.evaluation.evaluation import evaluate_systems
from treevote.evaluation.results import Evaluation, Rate, System
from treevote.terminal import table
from treevote.visibility import as_cell


def evaluate(
    gold: str | Path,
    systems: Sequence[str | Path],
    *,
    convention: Convention | None = None,
    punctuation: bool = True,
    format: Format | Literal["auto"] = "auto",
    training: str | Path | None = None,
    seed: int = 0,
    warn: Callable[[str], None] = lambda sentence: None,
) -> Evaluation:
    """Evaluate systems in full, and compare them: all figures with intervals, breakdowns, confusions and tests.

    Parameters
    ----------
    gold : path
        Sentences with trees.
    systems : sequence of path
        The same text as each system parsed it; tokens without a head count as wrong. With the convention ``"ud"``
        words and sentences may be cut differently. One system is in memory at a time.
    convention : {"ud", "conllx"}, optional
        See `treevote.evaluation.counts`; by default that of the format of the gold file.
    punctuation : bool, default=True
        Whether punctuation is scored.
    format : {"auto", "conllu", "conllx"}, default="auto"
        Format of all files.
    training : path, optional
        Training data of the systems, to tell known words and labels from unknown ones.
    seed : int, default=0
        Seed of the bootstrap and the randomization test.
    warn : callable, optional
        Called with warnings about the files, see `treevote.conll.guidelines`.

    Raises
    ------
    InputError
        If a file cannot be read or is empty, if the gold file has no trees, or a system has another text.
    """
    trees = read(gold, format=format)
    known = None if training is None else read(training, format=format, trees="optional")
    named: dict[str, Callable[[], Treebank]] = {}
    for path in systems:  # a file that is named twice is two systems
        name = str(path)
        while name in named:
            name += "'"
        named[name] = functools.partial(read_parse, path, format)
    evaluation = evaluate_systems(
        trees,
        named,
        convention=convention or convention_of(trees),
        punctuation=punctuation,
        seed=seed,
        training=known,
    )
    for warning in (*departures(trees), *(() if known is None else unknown_labels(trees, known))):
        warn(warning)
    return evaluation


def as_table(evaluation: Evaluation) -> str:
    """Return the main figures as a table, then the tests of LAS and UAS with Holm's correction, and ill-formed parses.

    Examples
    --------
    >>> gold = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])])
    >>> print(as_table(evaluate_systems(gold, {"mine": gold}, convention="conllx")))
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


def as_json(evaluation: Evaluation) -> str:
    """Return all results as JSON, see `treevote.evaluation.results.Evaluation.as_dict`."""
    return visibility.as_json(evaluation.as_dict())


def as_csv(evaluation: Evaluation) -> str:
    """Return all rates as CSV, one a line: figures, breakdowns and tests of differences.

    Text is written as `treevote.visibility.as_cell` says, so that no spreadsheet takes it for a formula.

    Examples
    --------
    >>> gold = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])])
    >>> lines = as_csv(evaluate_systems(gold, {"mine": gold})).splitlines()
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
    writer.writerows(map(as_cell, line) for line in _lines(evaluation))
    return text.getvalue().removesuffix("\n")


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
