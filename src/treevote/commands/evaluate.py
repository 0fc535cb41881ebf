"""``treevote evaluate``: several systems against the gold trees, side by side."""

from __future__ import annotations

import csv
import dataclasses
import functools
import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from treevote.commands.answer import answer
from treevote.conll.guidelines import departures, unknown_labels
from treevote.conll.reader import read, read_parse
from treevote.corpus.treebank import Format, Treebank
from treevote.errors import InputError, unknown
from treevote.evaluation.calibration import has_confidence, measured
from treevote.evaluation.counts import Convention, convention_of
from treevote.evaluation.evaluation import evaluate_systems
from treevote.evaluation.gates import Gate
from treevote.evaluation.names import fitted, named
from treevote.evaluation.results import Evaluation, File, Rate, System, as_plain
from treevote.evaluation.verdict import Verdict, differences, p_values, verdict
from treevote.report.scores import percentage
from treevote.store.checkpoints import checksum
from treevote.terminal import plural, table, wrapped
from treevote.visibility import as_cell

NAME, PAIR = 32, 46
"""Maximum columns of the name of a system, and of a pair of systems, in a table."""


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

    Systems are paths or ``"NAME=FILE"``: the same text as each parsed it. Tokens without a head count as wrong. With
    the convention ``"ud"`` words and sentences may be cut differently; by default it is that of the format of the gold
    file. The training data tell known words and labels from others. One system is in memory at a time.
    """
    paths = named(systems)
    trees = read(gold, format=format)
    known = None if training is None else read(training, format=format, trees="optional")
    asked, reliability = convention or convention_of(trees), dict[str, Any]()

    def parse_of(name: str, path: str) -> Treebank:
        parse = read_parse(path, format)
        if has_confidence(parse):
            with suppress(InputError):  # other words, or not a confidence for each
                reliability[name] = measured(trees, parse, convention=asked)
        return parse

    evaluation = evaluate_systems(
        trees,
        {name: functools.partial(parse_of, name, path) for name, path in paths.items()},
        convention=asked,
        punctuation=punctuation,
        seed=seed,
        training=known,
    )
    for warning in (*departures(trees), *(() if known is None else unknown_labels(trees, known))):
        warn(warning)
    given: list[tuple[Literal["gold", "system", "training"], str, str | Path]] = [("gold", "", gold)]
    given += [("system", name, path) for name, path in paths.items()]
    given += [] if training is None else [("training", "", training)]
    files = [  # standard input and other streams have no checksum
        File(role, name, os.fspath(path), checksum(path) if os.path.isfile(path) else None)
        for role, name, path in given
    ]
    known_systems = (dataclasses.replace(one, reliability=reliability.get(one.name)) for one in evaluation.systems)
    return dataclasses.replace(evaluation, systems=tuple(known_systems), files=tuple(files))


def reliability(gold: str | Path, system: str | Path) -> dict[str, Any]:
    """Compare the confidence of arcs and labels, of a file that was parsed with ``--confidence``, with gold trees.

    The result is that of `treevote.evaluation.calibration.measured`.
    """
    trees, parse = read(gold), read_parse(system, "auto")
    return measured(trees, parse, convention=convention_of(trees))


def with_baseline(systems: Sequence[str], baseline: str) -> tuple[list[str], str]:
    """Return the systems with a baseline among them, and its name.

    The baseline is the name of a system, or a further file of parses, which becomes the last one; else ConfigError.
    """
    names = named(systems)
    if baseline in names:
        return list(systems), baseline
    for name, path in names.items():
        if path == baseline:
            return list(systems), name
    *_, (name, path) = named([*systems, baseline]).items()
    if baseline != "-" and not os.path.exists(path):
        raise unknown("baseline", baseline, names)
    return [*systems, baseline], name


def as_text(evaluation: Evaluation) -> str:
    """Return the verdict, the main figures as a table, the tests of LAS and UAS, and ill-formed parses."""
    found = verdict(evaluation)
    parts = [wrapped(" ".join(found.sentences))]
    shown = [metric.name for metric in evaluation.metrics if metric.tested] + ["root", "complete"]
    names = fitted([system.name for system in evaluation.systems], NAME)
    rows = [
        [name, *(percentage(system.rates[metric].value) for metric in shown)]
        for name, system in zip(names, evaluation.systems, strict=True)
    ]
    parts.append(table([f"convention {evaluation.convention}", *shown], rows))
    parts += [_tests(evaluation, metric, found) for metric in ("LAS", "UAS") if len(evaluation.systems) > 1]
    for system in evaluation.systems:
        for finding in system.ill_formed:
            first = ", ".join(map(str, finding.first)) + (", ..." if finding.sentences > len(finding.first) else "")
            counted = plural(finding.sentences, "sentence")
            parts.append(f"{system.name}: {counted} with {finding.description} ({first})")
    return "\n\n".join(parts)


def _tests(evaluation: Evaluation, metric: str, found: Verdict) -> str:
    """Return the table of the tests of a metric."""
    short = fitted([system.name for system in evaluation.systems], (PAIR - 3) // 2)
    names = dict(zip((system.name for system in evaluation.systems), short, strict=True))
    rows = []
    for pair, test in differences(evaluation, metric, found):
        p = [("≤ " if value.bound else "") + value.number for value in p_values(test, evaluation)]
        ends = "-" if pair.low is None else f"{pair.low:+.2f} to {pair.high:+.2f}"
        rows.append([f"{names[pair.better]} − {names[pair.worse]}", f"{pair.points:+.2f}", ends, *p])
    return table([metric, "points", "95 % interval", "p bootstrap", "p randomization"], rows)


def as_json(evaluation: Evaluation, *, full: bool = False, gates: Sequence[Gate] = (), command: str = "") -> str:
    """Return the results as JSON: files, verdict, gates, figures and tests.

    With ``full`` also breakdowns, agreement, confusions with examples, and the sentences with most wrong arcs.
    """
    whole: Any = evaluation.as_dict()
    tests = []
    for plain, test in zip(whole["comparison"]["tests"], evaluation.comparison.tests, strict=True):
        bootstrap, randomization = p_values(test, evaluation)
        bounds = {"bootstrap_is_bound": bootstrap.bound, "randomization_is_bound": randomization.bound}
        named_pair = {key: evaluation.systems[plain[key]].name for key in ("first", "second")}
        tests.append(plain | {f"{key}_name": name for key, name in named_pair.items()} | bounds)
    whole["comparison"]["tests"] = tests
    if not full:
        kept = "name", "sentences", "words", "same_words", "rates", "ill_formed", "reliability"
        whole["systems"] = [{key: of[key] for key in kept if of.get(key) is not None} for of in whole["systems"]]
        whole["comparison"] = {key: whole["comparison"][key] for key in ("samples", "permutations", "tests")}
        del whole["breakdowns"]
    conclusion = {"verdict": as_plain(verdict(evaluation)), "gates": [as_plain(gate) for gate in gates]}
    files = whole.pop("files")
    return answer("evaluation", {"files": files, **conclusion, **whole}, command)


def as_csv(evaluation: Evaluation) -> str:
    """Return all rates as CSV, one a line: figures, breakdowns and tests; no text is a formula for a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(map(as_cell, line) for line in _lines(evaluation))
    return text.getvalue().removesuffix("\n")


def _lines(evaluation: Evaluation) -> Iterator[list[object]]:
    systems: tuple[System, ...] = evaluation.systems
    yield ["table", "group", "system", "metric", "value", "low", "high", "correct", "of gold", "of system", "p"]
    for system in systems:
        for name, rate in system.rates.items():
            yield _line("figures", "", system.name, name, rate)
    for breakdown in evaluation.breakdowns:
        for group in breakdown.groups:
            for system, cell in zip(systems, group.cells, strict=True):
                rates = {"UAS": cell.uas, "LAS": cell.las}
                rates |= {} if cell.precision is None else {"LAS precision": cell.precision}
                for metric, rate in rates.items():
                    yield _line(breakdown.name, group.value, system.name, metric, rate)
    for test in evaluation.comparison.tests:
        pair = f"{systems[test.first].name} - {systems[test.second].name}"
        for name, p in ("bootstrap", test.bootstrap_holm), ("randomization", test.randomization_holm):
            yield [f"difference, {name}", "", pair, test.metric, test.difference, test.low, test.high, "", "", "", p]


def _line(of: str, group: str, system: str, metric: str, rate: Rate) -> list[object]:
    return [of, group, system, metric, rate.value, rate.low, rate.high, rate.correct, rate.gold, rate.system, ""]
