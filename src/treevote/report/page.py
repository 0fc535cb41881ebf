"""The page: its content and order. Its look, script and sentences are in the folder ``templates``.

Text of a file is escaped, and made visible, wherever a template writes it.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import os
from functools import cache

from jinja2 import Environment, PackageLoader

from treevote.drawing import svg
from treevote.evaluation.results import Evaluation, Test
from treevote.files.streams import writing
from treevote.report import markup, plots, quotations, trees
from treevote.report.series import SERIES
from treevote.terminal import plural
from treevote.version import __version__
from treevote.visibility import visible

CONVENTIONS = {
    "ud": "CoNLL 2018 (universal part of the deprel)",
    "conllx": "CoNLL-X (whole deprel)",
}
"""How `treevote.evaluation.counts` counts, for a reader."""

LEVEL = 0.05
"""Differences with p-values below it, after Holm's correction, are marked."""

MAX_ROWS = 80
"""Maximum number of rows of a breakdown: a file may have thousands of documents."""


def write_report(evaluation: Evaluation, path: str | os.PathLike[str], *, command: str = "") -> None:
    """Write the report to a file, as `treevote.files.streams.writing`; the same evaluation gives the same bytes.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    page = render(evaluation).encode()
    with writing(path) as stream:
        stream.write(page)


def render(evaluation: Evaluation) -> str:
    """Return the report as HTML; see `write_report`."""
    systems, metrics = evaluation.systems, evaluation.metrics
    names = [system.name for system in systems]
    rates = [system.rates[metrics[0].name] for system in systems]
    tested = [metric.name for metric in metrics if metric.tested]
    lines = plots.plots(evaluation)
    shown = {
        "summary": ("Summary", True),
        "differences": ("Differences", evaluation.comparison.tests and tested),
        "agreement": ("Agreement", len(systems) > 1),
        "plots": ("Where it is hard", lines),
        "breakdowns": ("Breakdowns", evaluation.breakdowns),
        "confusions": ("Confusions", any(c.errors for s in systems for found in s.confusions for c in found.cells)),
        "trees": ("Trees", True),
    }
    script = source_of("script.js")
    return (
        environment()
        .get_template("page.html")
        .render(
            evaluation=evaluation,
            names=names,
            sections={id: title for id, (title, is_shown) in shown.items() if is_shown},
            convention=CONVENTIONS[evaluation.convention],
            scale=plots.Scale.of(bound for rate in rates for bound in (rate.value, rate.low, rate.high)),
            perfect=[
                metric.name
                for metric in metrics
                if not metric.tested and all(system.rates[metric.name].value == 100 for system in systems)
            ],
            tested=tested,
            differences=_differences(evaluation),
            plots=lines,
            quotations=quotations.Quotations(evaluation),
            worst=trees.worst(evaluation),
            differing=trees.differing(evaluation),
            script=script,
            policy=policy(script),
            style=svg.STYLE + source_of("style.css"),
        )
    )


@cache
def environment() -> Environment:
    """Return the templates with their filters; text of a file is escaped, and made visible."""
    made = Environment(
        loader=PackageLoader("treevote.report"),
        autoescape=True,
        finalize=lambda value: visible(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    made.filters |= {
        "integer": "{:,}".format,
        "number": "{:g}".format,
        "p_value": markup.p_value,
        "plural": plural,
        "points": markup.points,
        "rate": markup.rate,
        "span": markup.span,
    }
    made.globals |= {
        "colours": svg.COLOURS,
        "confusion_matrix": quotations.ConfusionMatrix.of,
        "drawing": trees.drawing,
        "key": svg.key,
        "level": LEVEL,
        "max_rows": MAX_ROWS,
        "max_systems": trees.MAX_SYSTEMS,
        "max_values": quotations.MAX_VALUES,
        "max_words": trees.MAX_WORDS,
        "meaning": svg.MEANING,
        "min_tokens": plots.MIN_TOKENS,
        "n_wrong": trees.n_wrong,
        "series": SERIES,
        "version": __version__,
    }
    return made


def source_of(name: str) -> str:
    """Return the text of a template as it is."""
    loader = environment().loader
    assert loader is not None
    return loader.get_source(environment(), name)[0]


def policy(script: str = "") -> str:
    """Return the rule for the browser: nothing is fetched, and no script runs but the one given."""
    rule = "default-src 'none'; style-src 'unsafe-inline'"
    if not script:
        return rule
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"{rule}; script-src 'sha256-{digest}'"


def _differences(evaluation: Evaluation) -> dict[tuple[str, int, int], Test]:
    """Return the tests by metric, row and column: the difference is row minus column."""
    found = {}
    for test in evaluation.comparison.tests:
        found[test.metric, test.first, test.second] = test
        difference, low, high = (None if value is None else -value for value in (test.difference, test.high, test.low))
        turned = dataclasses.replace(
            test, first=test.second, second=test.first, difference=difference, low=low, high=high
        )
        found[test.metric, turned.first, turned.second] = turned
    return found
