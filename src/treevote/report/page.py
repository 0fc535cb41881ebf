"""The page: its content and order. Its look, script and sentences are in the folder ``templates``.

Text of a file is escaped, and made visible, wherever a template writes it.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from treevote.drawing import svg
from treevote.errors import extra
from treevote.evaluation.results import CONVENTIONS, Evaluation
from treevote.evaluation.verdict import LEVEL, differences, p_values, ranked, signed, verdict
from treevote.files.streams import writing
from treevote.report import plots, quotations, trees
from treevote.terminal import plural
from treevote.version import __version__
from treevote.visibility import visible

if TYPE_CHECKING:
    from jinja2 import Environment

MAIN = ("LAS", "UAS", "CLAS", "MLAS", "BLEX", "LA", "root", "complete")
"""Columns of the main table; on a narrow screen the first two."""

MAX_ROWS = 80
"""Maximum number of rows of a breakdown: a file may have thousands of documents."""

NOTHING = "–"
"""Stands for a number that is not there."""


def write_report(
    evaluation: Evaluation, path: str | os.PathLike[str], *, data: str = "", command: str = "", date: str = ""
) -> None:
    """Write the report to a file; the same arguments give the same bytes.

    The page offers ``data``, the evaluation in JSON, to download, and has the command line and the day at its foot.
    """
    page = render(evaluation, data=data, command=command, date=date).encode()
    with writing(path) as stream:
        stream.write(page)


def write_page(template: str, path: str | os.PathLike[str], **content: object) -> None:
    """Write a page of a template; the same content gives the same bytes."""
    page = environment().get_template(template).render(content)
    with writing(path) as stream:
        stream.write(page.encode("utf-8", "replace"))


def render(evaluation: Evaluation, *, data: str = "", command: str = "", date: str = "") -> str:
    """Return the report as HTML; see `write_report`."""
    systems, metrics = evaluation.systems, evaluation.metrics
    names = [system.name for system in systems]
    rates = [system.rates[metrics[0].name] for system in systems]
    tested = [metric.name for metric in metrics if metric.tested]
    lines, curve, outcome = plots.plots(evaluation), plots.calibration(evaluation), verdict(evaluation)
    typical = [trees.typical(evaluation, i) for i in range(len(systems))]
    differing = trees.differing(evaluation) if len(systems) > 1 else []
    sections: dict[str, tuple[str, object]] = {  # title, and whether there is something to show
        "summary": ("Summary", True),
        "differences": ("Differences", evaluation.comparison.tests and tested),
        "agreement": ("Agreement", len(systems) > 1),
        "plots": ("Where it is hard", lines),
        "confidence": ("Confidence", curve),
        "breakdowns": ("Breakdowns", evaluation.breakdowns),
        "confusions": ("Confusions", any(c.errors for s in systems for matrix in s.confusions for c in matrix.cells)),
        "trees": ("Typical errors", any(typical) or differing),
    }
    perfect = [
        metric.name
        for metric in metrics
        if not metric.tested and all(system.rates[metric.name].value == 100 for system in systems)
    ]
    template = environment().get_template("page.html")
    return template.render(
        evaluation=evaluation,
        names=names,
        verdict=outcome,
        sections={id: title for id, (title, content) in sections.items() if content},
        convention=CONVENTIONS[evaluation.convention],
        scale=plots.Scale.of(bound for rate in rates for bound in (rate.value, rate.low, rate.high)),
        main=[name for name in MAIN if name in systems[0].rates],
        perfect=perfect,
        differences={
            name: [(pair, p_values(test, evaluation)) for pair, test in differences(evaluation, name, outcome.ranking)]
            for name in tested
        },
        plots=lines,
        curve=curve,
        quotations=quotations.Quotations(evaluation),
        typical=typical,
        differing=differing,
        data=base64.b64encode(data.encode()).decode(),
        command=command,
        date=date,
        script=source_of("script.js"),
        ranking=[names.index(system.name) for system in ranked(evaluation, outcome)],
    )


@cache
def environment() -> Environment:
    """Return the templates with their filters; text of a file is escaped, and made visible."""
    with extra("report", "a report needs Jinja2"):
        from jinja2 import Environment, PackageLoader
    made = Environment(
        loader=PackageLoader("treevote.report"),
        autoescape=True,
        finalize=lambda value: visible(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    made.filters |= {"integer": "{:,}".format, "number": "{:g}".format, "plural": plural, "unbroken": unbroken}
    made.filters |= {"points": points, "rate": rate, "span": span}
    made.globals |= {"policy": _policy, "style": svg.STYLE + source_of("style.css"), "version": __version__}
    made.globals |= {"colours": svg.COLOURS, "key": svg.key, "meaning": svg.MEANING}
    made.globals |= {"level": LEVEL, "max_rows": MAX_ROWS, "min_tokens": plots.MIN_TOKENS, "series": plots.SERIES}
    made.globals |= {"confusion_matrix": quotations.ConfusionMatrix.of, "max_values": quotations.MAX_VALUES}
    made.globals |= {"drawing": trees.drawing, "n_wrong": trees.n_wrong}
    made.globals |= {"max_systems": trees.MAX_SYSTEMS, "max_words": trees.MAX_WORDS}
    return made


def source_of(name: str) -> str:
    """Return the text of a template as it is."""
    return resources.files("treevote.report").joinpath("templates", name).read_text("utf-8")


def _policy(script: str | None) -> str:
    """Return the rule for the browser: nothing is fetched, and no script runs but the one given."""
    rule = "default-src 'none'; style-src 'unsafe-inline'"
    if not script:
        return rule
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"{rule}; script-src 'sha256-{digest}'"


def rate(value: float | None) -> str:
    """Return a percentage."""
    return NOTHING if value is None else f"{value:.2f}"


def points(value: float | None) -> str:
    """Return a difference of percentages, with its sign."""
    return NOTHING if value is None else signed(value)


def span(low: float | None, high: float | None) -> str:
    """Return an interval."""
    return NOTHING if low is None or high is None else f"{low:.2f}–{high:.2f}"


def unbroken(sentence: str) -> str:
    """Return a sentence whose lines do not break within ``p = 0.02``, ``p ≤ 0.01`` or ``95 %``."""
    return re.sub(r"(?<=\bp) (?=[=≤])|(?<=[=≤]) (?=[0-9])|(?<=[0-9]) (?=%)", "\N{NO-BREAK SPACE}", sentence)
