"""The tables of the report, as HTML: all figures, the tests, the matrices, the breakdowns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treevote.evaluation.results import Breakdown, Evaluation, Matrix, Rate, Test
from treevote.report.markup import NOTHING, count, p_value, plural, points, rate, span, text
from treevote.report.series import named

MAX_ROWS = 80
"""A breakdown shows its first groups, for a file of thousands of documents is no table to read."""

LEVEL = 0.05
"""Differences with p-values below it, after Holm's correction, are marked."""

SURE, UNSURE = '<i class="sure"><span>significant</span></i>', '<i class="unsure"><span>not significant</span></i>'
"""The marks: a full and an empty circle, and words for those who cannot see them."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, kind: str = "", caption: str = "") -> str:
    """Return a table in a frame that scrolls sideways.

    Parameters
    ----------
    head : sequence of str
        ``th`` elements.
    rows : sequence of sequence of str
        ``th`` and ``td`` elements.
    kind : str, optional
        Class of the table; ``sortable`` makes the script turn its head into buttons.
    caption : str, optional
        What it is, as HTML.

    Examples
    --------
    >>> "<tr><td>1</td></tr>" in table(["<th>a</th>"], [["<td>1</td>"]])
    True
    """
    told = f"<caption>{caption}</caption>" if caption else ""
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    inside = f"{told}<thead><tr>{''.join(head)}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="frame" tabindex="0"><table class="{kind}">{inside}</table></div>'


def figures(evaluation: Evaluation, names: Sequence[str]) -> str:
    """Return all rates of all systems, with their intervals; what is perfect for all is told in a sentence."""
    head = ['<th scope="col">Metric</th>', *(f'<th scope="col">{named(i, name)}</th>' for i, name in enumerate(names))]
    rows, perfect = list[list[str]](), list[str]()
    for metric in evaluation.metrics:
        rates = [system.rates[metric.name] for system in evaluation.systems]
        if all(r.value == 100 for r in rates) and not metric.tested:
            perfect.append(text(metric.name))
            continue
        best = max((r.value for r in rates if r.value is not None), default=None)
        name = f"{text(metric.name)}<small>{text(metric.description)}</small>"
        rows.append([f'<th scope="row">{name}</th>', *(_rate(r, r.value == best and len(rates) > 1) for r in rates)])
    note = f'<p class="note">100.00 for every system: {", ".join(perfect)}.</p>' if perfect else ""
    return table(head, rows, kind="figures") + note


def _rate(r: Rate, best: bool) -> str:
    value = f"<b>{rate(r.value)}</b>" if best else rate(r.value)
    return f"<td>{value}<small>{span(r.low, r.high)}</small></td>"


def ill_formed(evaluation: Evaluation, names: Sequence[str]) -> str:
    """Return what is no tree in the systems' files, or nothing."""
    items = [
        f"<li><b>{text(name)}</b>: {plural(finding.sentences, 'sentence')} with {text(finding.name)}"
        f" <small>{text(finding.description)} First: {', '.join(map(count, finding.first))}</small></li>"
        for name, system in zip(names, evaluation.systems, strict=True)
        for finding in system.ill_formed
    ]
    items += [
        f"<li><b>{text(name)}</b>: other words than the gold file, aligned with it"
        f" <small>{plural(system.words, 'word')} in {plural(system.sentences, 'sentence')}</small></li>"
        for name, system in zip(names, evaluation.systems, strict=True)
        if not system.same_words
    ]
    return f'<h3>To be noted</h3><ul class="findings">{"".join(items)}</ul>' if items else ""


def significance(evaluation: Evaluation, names: Sequence[str], metric: str) -> str:
    """Return the differences between all systems in a metric: row minus column."""
    tests = {(test.first, test.second): test for test in evaluation.comparison.tests if test.metric == metric}

    def cell(i: int, j: int) -> str:
        if (i, j) in tests:
            return _difference(tests[i, j], 1)
        return _difference(tests[j, i], -1) if (j, i) in tests else '<td class="own"></td>'

    return _matrix(names, cell)


def _difference(test: Test, sign: int) -> str:
    p = max(test.bootstrap_holm, test.randomization_holm)
    low, high = test.low, test.high
    if sign < 0:
        low, high = (None if test.high is None else -test.high), (None if test.low is None else -test.low)
    difference = points(None if test.difference is None else sign * test.difference)
    mark = SURE if p < LEVEL else UNSURE
    told = f"bootstrap {p_value(test.bootstrap_holm)}, randomization {p_value(test.randomization_holm)}"
    return (
        f'<td title="{told}">{mark} {difference}<small>{span(low, high, "+")}</small><small>{p_value(p)}</small></td>'
    )


def shares(names: Sequence[str], heads: Matrix, arcs: Matrix) -> str:
    """Return a matrix of shares: with labels, and below them without."""
    return _matrix(names, lambda i, j: f"<td>{rate(arcs[i][j])}<small>{rate(heads[i][j])}</small></td>")


def _matrix(names: Sequence[str], cell: Callable[[int, int], str]) -> str:
    """Return a table with a row and a column for each system."""
    head = ["<td></td>", *(f'<th scope="col">{named(j, name)}</th>' for j, name in enumerate(names))]
    rows = [
        [f'<th scope="row">{named(i, name)}</th>', *(cell(i, j) for j in range(len(names)))]
        for i, name in enumerate(names)
    ]
    return table(head, rows, kind="matrix")


def breakdown(parts: Breakdown, names: Sequence[str]) -> str:
    """Return a breakdown as a table that can be sorted: tokens, and LAS of each system, and F1 where it differs."""
    with_f1 = any(cell.f1 is not None or cell.precision is not None for group in parts.groups for cell in group.cells)
    head = [_key(text(parts.name), "text"), _key("tokens", "number")]
    for i, name in enumerate(names):
        head.append(_key(f"{named(i, name)} <span>LAS</span>", "number"))
        head += [_key(f"{named(i, name)} <span>F1</span>", "number")] if with_f1 else []
    rows = []
    for k, group in enumerate(parts.groups[:MAX_ROWS]):
        order = f' data-value="{k}"' if parts.ordered else ""
        row = [f'<th scope="row"{order}>{text(group.value) or NOTHING}</th>', f"<td>{count(group.tokens)}</td>"]
        best = max((cell.las.value for cell in group.cells if cell.las.value is not None), default=None)
        for cell in group.cells:
            value = rate(cell.las.value)
            value = f"<b>{value}</b>" if cell.las.value == best and len(names) > 1 and best is not None else value
            told = f"UAS {rate(cell.uas.value)}, LAS interval {span(cell.las.low, cell.las.high)}"
            row.append(f'<td title="{told}">{value}</td>')
            row += [f'<td class="second">{rate(cell.f1)}</td>'] if with_f1 else []
        rows.append(row)
    more = len(parts.groups) - MAX_ROWS
    note = f'<p class="note">{plural(more, "group")} more in the JSON of the same evaluation.</p>' if more > 0 else ""
    return table(head, rows, kind="sortable") + note


def _key(name: str, kind: str) -> str:
    return f'<th scope="col" data-kind="{kind}">{name}</th>'
