"""An evaluation as text, JSON and CSV, and the cascade of a model as text and JSON."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from treevote import latex
from treevote.evaluation.gates import Gate
from treevote.evaluation.names import fitted
from treevote.evaluation.results import Evaluation, Rate, System, as_plain
from treevote.evaluation.verdict import Verdict, differences, p_values, ranked, signed, verdict
from treevote.report.answer import answer
from treevote.report.scores import percentage
from treevote.terminal import plural, table, wrapped
from treevote.visibility import as_cell

NAME, PAIR = 32, 46
"""Maximum columns of the name of a system, and of a pair of systems, in a table."""

FIGURES = {
    "Tokens": "surface tokens",
    "Sents": "sentences",
    "Words": "syntactic words",
    "UPOS": "universal parts of speech",
    "UFeats": "universal features",
    "AllTags": "UPOS, XPOS and UFeats",
    "Lemmas": "lemmas",
    "UAS": "heads",
    "LAS": "heads with labels",
    "MLAS": "content words with tags and function words",
    "BLEX": "content words with lemmas",
}
"""Columns of the table, F1 of gold and system words, and what must be right."""

_METRIC = {"Sents": "Sentences"}


def as_text(evaluation: Evaluation) -> str:
    """Return the verdict, the main figures as a table, the tests of LAS and UAS, and ill-formed parses."""
    found = verdict(evaluation)
    parts = [wrapped(" ".join(found.sentences))]
    shown = [metric.name for metric in evaluation.metrics if metric.tested] + ["root", "complete"]
    systems = ranked(evaluation, found)
    names = fitted([system.name for system in systems], NAME)
    rows = [
        [name, *(percentage(system.rates[metric].value) for metric in shown)]
        for name, system in zip(names, systems, strict=True)
    ]
    parts.append(table([f"convention {evaluation.convention}", *shown], rows))
    parts += [_tests(evaluation, metric, found) for metric in ("LAS", "UAS") if len(evaluation.systems) > 1]
    for system in evaluation.systems:
        for finding in system.ill_formed:
            first = ", ".join(map(str, finding.first)) + (", ..." if finding.sentences > len(finding.first) else "")
            counted = plural(finding.sentences, "sentence")
            parts.append(f"{system.name}: {counted} with {finding.description} ({first})")
    return "\n\n".join(parts)


def as_latex(evaluation: Evaluation) -> str:
    """Return the main figures as a table in LaTeX: the best in bold, with a star what is significantly worse."""
    found = verdict(evaluation)
    systems, note = ranked(evaluation, found), ""
    columns = {"System": [latex.escaped(system.name) for system in systems]}
    for metric in (metric.name for metric in evaluation.metrics if metric.tested):
        values = {system.name: system.rates[metric].value for system in systems}
        best, worse = max((value for value in values.values() if value is not None), default=None), set[str]()
        for pair, _ in differences(evaluation, metric, found.ranking):  # which is that of another metric
            higher, lower = (pair.better, pair.worse) if pair.points > 0 else (pair.worse, pair.better)
            if values[higher] == best and pair.p.significant:
                worse.add(lower)
                note = "* significantly worse than the best, p < 0.05, corrected by Holm's method for all pairs"
        columns[metric] = []
        for name, value in values.items():
            is_best = len(systems) > 1 and value is not None and value == best
            figure = latex.bold(percentage(value)) if is_best else percentage(value)
            columns[metric].append(figure + ("$^{*}$" if name in worse else ""))
    return latex.table([*columns], [*zip(*columns.values(), strict=True)], note)


def _tests(evaluation: Evaluation, metric: str, found: Verdict) -> str:
    short = fitted([system.name for system in evaluation.systems], (PAIR - 3) // 2)
    names = dict(zip((system.name for system in evaluation.systems), short, strict=True))
    rows = []
    for pair, test in differences(evaluation, metric, found.ranking):
        p = [value.entry for value in p_values(test, evaluation)]
        ends = "-" if pair.low is None or pair.high is None else f"{signed(pair.low)} to {signed(pair.high)}"
        rows.append([f"{names[pair.better]} − {names[pair.worse]}", signed(pair.points), ends, *p])
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


def cascade_text(evaluation: Evaluation) -> str:
    """Return the figures of a cascade as a table, with a legend."""
    names = [name for name in FIGURES if _METRIC.get(name, name) in evaluation.systems[0].rates]
    rows = [
        [system.name, *(percentage(system.rates[_METRIC.get(name, name)].value) for name in names)]
        for system in evaluation.systems
    ]
    legend = "; ".join(f"{name}: {FIGURES[name]}" for name in names)
    given = (
        "The model gets the tokens, lemmas and tags of the treebank (gold tags), its tokens alone (gold tokens), or "
        "its text alone (raw text)."
    )
    return f"{table(['', *names], rows)}\n\n{wrapped(given)}\n{wrapped(f'F1 in percent of {legend}')}"


def cascade_json(evaluation: Evaluation, model: str | Path, command: str = "") -> str:
    """Return the figures of a cascade as JSON."""
    stages = {
        system.name: {name: None if rate.value is None else round(rate.value, 2) for name, rate in system.rates.items()}
        for system in evaluation.systems
    }
    return answer("cascade", {"model": os.fspath(model), "stages": stages}, command)
