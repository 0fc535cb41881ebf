"""The page: what stands on it and in which order. Style and script are in the files beside this one."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping, Sequence
from importlib.resources import files

from treevote.drawing import svg
from treevote.evaluation.results import Evaluation
from treevote.files.streams import writing
from treevote.report import plots, quotations, series, tables, trees
from treevote.report.markup import plural, rate, short_names, text

CONVENTIONS = {
    "ud": "CoNLL 2018 (universal part of the deprel)",
    "conllx": "CoNLL-X (whole deprel)",
}
"""How `treevote.evaluation.counts` counts, for a reader."""

MAX_BESIDE = 3
"""Matrices of more systems do not stand beside each other."""


def write_report(
    evaluation: Evaluation,
    path: str | os.PathLike[str],
    *,
    curve: Mapping[str, Sequence[tuple[int, float]]] | None = None,
) -> None:
    """Write the report to a file, whole or not at all; the same evaluation gives the same bytes.

    Parameters
    ----------
    evaluation : Evaluation
        See `treevote.evaluation.results`.
    path : path or "-"
        See `treevote.files.streams.writing`.
    curve : mapping of str to sequence of (int, float), optional
        Learning curves, see `treevote.report.plots.learning_curve`.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    page = render(evaluation, curve=curve).encode()
    with writing(path) as stream:
        stream.write(page)


def render(evaluation: Evaluation, *, curve: Mapping[str, Sequence[tuple[int, float]]] | None = None) -> str:
    """Return the report as HTML; see `write_report`."""
    names = short_names([system.name for system in evaluation.systems])
    quoted = quotations.Quotations(evaluation)
    sections = [
        ("summary", "Summary", _summary(evaluation, names)),
        ("differences", "Differences", _differences(evaluation, names)),
        ("agreement", "Agreement", _agreement(evaluation, names, quoted)),
        ("plots", "Where it is hard", _plots(evaluation, names, curve)),
        ("breakdowns", "Breakdowns", _breakdowns(evaluation, names)),
        ("confusions", "Confusions", _confusions(evaluation, names, quoted)),
        ("trees", "Trees", _trees(evaluation, names)),
    ]
    shown = [(id, title, body) for id, title, body in sections if body]
    contents = "".join(f'<li><a href="#{id}">{title}</a></li>' for id, title, _ in shown)
    body = "".join(f'<section id="{id}"><h2>{title}</h2>{inside}</section>' for id, title, inside in shown)
    script = _file("script.js")
    title = f"{text(_gold_name(evaluation))}: {', '.join(map(text, names))}"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(script)}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{title}</title><style>{style()}</style></head>\n'
        f"<body>{_header(evaluation, contents)}<main>{body}</main>"
        f"{_footer(evaluation, names)}"
        f'<script type="application/json" id="quotations">{quoted.as_json(names)}</script>'
        f"<script>{script}</script></body></html>\n"
    )


def style() -> str:
    """Return the style sheet: the colours for light, dark and print, and the rest."""
    light = f":root{{{svg.COLOURS['light']};{series.colours(series.LIGHT)}}}"
    dark = f":root{{{svg.COLOURS['dark']};{series.colours(series.DARK)}}}"
    return f"{light}@media screen and (prefers-color-scheme:dark){{{dark}}}{svg.STYLE}{_file('style.css')}"


def _file(name: str) -> str:
    return files("treevote.report").joinpath(name).read_text("utf-8")


def _policy(script: str) -> str:
    """Return the rule for the browser: nothing is fetched, and no script runs but this one."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _header(evaluation: Evaluation, contents: str) -> str:
    facts = [
        plural(len(evaluation.systems), "system"),
        plural(evaluation.sentences, "sentence"),
        plural(evaluation.tokens, "token"),
        CONVENTIONS[evaluation.convention],
        "punctuation scored"
        if evaluation.punctuation
        else f"{plural(evaluation.scored, 'token')} scored, no punctuation",
    ]
    told = "".join(f"<li>{fact}</li>" for fact in facts)
    return (
        f'<header><p class="kind">Parser evaluation</p><h1>{text(_gold_name(evaluation))}</h1>'
        f'<ul class="facts">{told}</ul><nav aria-label="Contents"><ul>{contents}</ul></nav></header>'
    )


def _gold_name(evaluation: Evaluation) -> str:
    """Return the name of the gold file with its folder, which often says more: ``test.conllu`` is a common name."""
    return "/".join(evaluation.gold.split("/")[-2:])


def _summary(evaluation: Evaluation, names: Sequence[str]) -> str:
    first = evaluation.metrics[0].name
    return (
        f"<figure><figcaption>{text(first)} with its 95 % interval</figcaption>"
        f"{plots.forest(evaluation, first, names)}</figure>"
        + tables.figures(evaluation, names)
        + tables.ill_formed(evaluation, names)
    )


def _footer(evaluation: Evaluation, names: Sequence[str]) -> str:
    """Return the files as they were named, and what the chance in the figures depends on."""
    files = [
        f"<li>Gold: {text(evaluation.gold)}</li>",
        *(
            f"<li>{series.named(i, name)}: {text(system.name)}</li>"
            for i, (name, system) in enumerate(zip(names, evaluation.systems, strict=True))
        ),
    ]
    return f"<footer><ul>{''.join(files)}</ul><p>Made by treevote. Seed {evaluation.seed}.</p></footer>"


def _differences(evaluation: Evaluation, names: Sequence[str]) -> str:
    comparison = evaluation.comparison
    tested = [metric.name for metric in evaluation.metrics if metric.tested]
    if not comparison.tests or not tested:
        return ""
    main, *others = [(name, tables.significance(evaluation, names, name)) for name in tested]
    lead = (
        f"Row minus column, in points, with the 95 % interval of the paired bootstrap over sentences "
        f"({comparison.samples:,} samples) and the larger of two p-values after Holm’s correction: bootstrap, and "
        f"randomization ({comparison.permutations:,} permutations). {tables.SURE} p &lt; {tables.LEVEL}."
    )
    return f'<p class="lead">{lead}</p><h3>{text(main[0])}</h3>{main[1]}' + "".join(
        _fold(text(n), t) for n, t in others
    )


def _agreement(evaluation: Evaluation, names: Sequence[str], quoted: quotations.Quotations) -> str:
    if len(names) < 2:
        return ""
    comparison = evaluation.comparison
    oracle = (
        f"Tokens on which one of the two is right, the most that choosing between them can reach; on the diagonal each "
        f"alone. All together: {rate(comparison.all_arcs)} with the label, {rate(comparison.all_heads)} without."
    )
    return (
        '<p class="lead">Shares of the scored tokens: head and label, and below, smaller, the head alone.</p>'
        f'<div class="{"beside" if len(names) <= MAX_BESIDE else ""}">'
        '<div><h3>Same arc</h3><p class="note">Right or wrong.</p>'
        f"{tables.shares(names, comparison.agreement_heads, comparison.agreement_arcs)}</div>"
        f'<div><h3>Oracle</h3><p class="note">{oracle}</p>'
        f"{tables.shares(names, comparison.oracle_heads, comparison.oracle_arcs)}</div></div>"
        '<h3>Right where another is wrong</h3><p class="note">Tokens on which the system of the row is right and that '
        f"of the column wrong. A number opens to examples.</p>{quotations.right_wrong(evaluation, names, quoted)}"
    )


def _plots(
    evaluation: Evaluation, names: Sequence[str], curve: Mapping[str, Sequence[tuple[int, float]]] | None
) -> str:
    drawn = plots.breakdown_plots(evaluation)
    if curve:
        drawn.append(("Learning curve", plots.learning_curve(curve, names)))
    if not drawn:
        return ""
    legend = "".join(f"<li>{series.named(i, name)}</li>" for i, name in enumerate(names))
    figures = "".join(f"<figure><figcaption>{title}</figcaption>{plot}</figure>" for title, plot in drawn)
    lead = (
        "LAS with its 95 % interval; F1 where a system’s tree decides what is counted. The bars are shares of the "
        f"tokens; groups of fewer than {plots.MIN_TOKENS} tokens are left out."
    )
    return f'<p class="lead">{lead}</p><ul class="legend">{legend}</ul><div class="plots">{figures}</div>'


def _breakdowns(evaluation: Evaluation, names: Sequence[str]) -> str:
    folds = [
        _fold(
            f"{text(parts.name[:1].upper() + parts.name[1:])} <small>{plural(len(parts.groups), 'group')}</small>",
            f'<p class="note">{text(parts.description)}</p>{tables.breakdown(parts, names)}',
            opened=i == 0,
        )
        for i, parts in enumerate(evaluation.breakdowns)
    ]
    return f'<p class="lead">A click on the head of a column sorts by it.</p>{"".join(folds)}' if folds else ""


def _confusions(evaluation: Evaluation, names: Sequence[str], quoted: quotations.Quotations) -> str:
    folds = [
        _fold(
            f"{series.named(i, name)} <small>{text(found.name)}</small>",
            f'<p class="note">{text(found.description)}</p>{quotations.confusion(found, i, quoted)}',
            opened=i == 0 and found is system.confusions[0],
        )
        for i, (name, system) in enumerate(zip(names, evaluation.systems, strict=True))
        for found in system.confusions
        if any(cell.errors for cell in found.cells)
    ]
    lead = (
        f"Numbers of errors between the {quotations.MAX_VALUES} values with most of them; in grey what is right. A "
        "number opens to examples."
    )
    return f'<p class="lead">{lead}</p>{"".join(folds)}' if folds else ""


def _trees(evaluation: Evaluation, names: Sequence[str]) -> str:
    differing = trees.differing(evaluation, names) if len(names) > 1 else ""
    lead = f"Sentences of at most {trees.MAX_WORDS} words: for each system those with most wrong arcs"
    lead += ", and those in which the systems differ most." if differing else "."
    return f'<p class="lead">{lead}</p>{trees.legend()}{trees.worst(evaluation, names)}' + (
        f'<h3 class="part">Where the systems differ most</h3>{differing}' if differing else ""
    )


def _fold(summary: str, inside: str, *, opened: bool = False) -> str:
    return f"<details{' open' if opened else ''}><summary>{summary}</summary>{inside}</details>"
