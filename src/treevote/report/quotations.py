"""The sentences behind a number: cells that open to examples, and the examples themselves as JSON for the script."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from treevote.evaluation.results import Confusion, ConfusionCell, Evaluation, Example, SentenceTrees
from treevote.report.markup import count, plural, text
from treevote.report.series import named
from treevote.report.tables import table
from treevote.visibility import visible

MAX_VALUES = 14
"""Rows and columns of a confusion matrix: those with most errors."""

MAX_EXAMPLES = 4
"""Examples that a cell opens to."""


class Quotations:
    """The examples of all cells of a page; each sentence is kept once.

    Parameters
    ----------
    evaluation : Evaluation
        Where the sentences are.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._sentences: dict[int, SentenceTrees] = {}
        self._lists: list[tuple[int, list[tuple[int, int, int, str, int, str]]]] = []

    def button(self, n: int, examples: Sequence[Example], system: int, told: str) -> str:
        """Return a number that opens to examples, or the plain number if there are none.

        Parameters
        ----------
        n : int
            The number.
        examples : sequence of Example
            Tokens that a system has wrong.
        system : int
            Index of the system, from 0.
        told : str
            What is counted, as HTML.
        """
        if not examples:
            return count(n)
        quoted = [self._quoted(example, system) for example in examples[:MAX_EXAMPLES]]
        self._lists.append((system, quoted))
        opened = f'data-list="{len(self._lists) - 1}" aria-expanded="false" title="{told}"'
        return f'<button type="button" class="cell" {opened}>{count(n)}</button>'

    def _quoted(self, example: Example, system: int) -> tuple[int, int, int, str, int, str]:
        """Return sentence and token with head and label in the gold tree and in the system's."""
        number, token = example.sentence, example.token
        if number not in self._sentences:
            self._sentences[number] = self._evaluation.trees(number)
        gold, parse = self._sentences[number].gold, self._sentences[number].systems[system]
        at = token - 1
        return number, token, gold.heads[at], visible(gold.deprels[at]), parse.heads[at], visible(parse.deprels[at])

    def as_json(self, names: Sequence[str]) -> str:
        """Return sentences, lists of examples and names of systems, safe inside a ``script`` element."""
        sentences = {
            str(number): [visible(trees.id), [visible(form) for form in trees.forms]]
            for number, trees in sorted(self._sentences.items())
        }
        data = {"systems": [visible(name) for name in names], "sentences": sentences, "lists": self._lists}
        written = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        return written.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def confusion(found: Confusion, system: int, quotations: Quotations) -> str:
    """Return a matrix of errors, gold values in the rows; the darker a cell, the more there are."""
    errors: Counter[str] = Counter()
    for cell in found.cells:
        errors[cell.gold] += cell.errors
        errors[cell.system] += cell.errors
    values = sorted((value for value in errors if errors[value]), key=lambda value: (-errors[value], value))[
        :MAX_VALUES
    ]
    cells = {(cell.gold, cell.system): cell for cell in found.cells}
    most = max([1, *(cell.errors for cell in found.cells)])
    rows = []
    for gold in values:
        row = [f'<th scope="row">{text(gold)}</th>']
        for value in values:
            shade = f"{70 * (cells[gold, value].errors / most) ** 0.5:.0f}%" if (gold, value) in cells else ""
            row.append(_cell(cells.get((gold, value)), shade, system, quotations))
        rows.append(row)
    head = [
        '<td class="corner">gold ↓ system →</td>',
        *(f'<th scope="col"><span>{text(v)}</span></th>' for v in values),
    ]
    return table(head, rows, kind="confusion") + PANEL


def _cell(cell: ConfusionCell | None, shade: str, system: int, quotations: Quotations) -> str:
    """Return the errors, shaded; where there are none, what is right."""
    if cell is None or not cell.errors:
        return f'<td class="right">{count(cell.tokens)}</td>' if cell and cell.gold == cell.system else "<td></td>"
    pair = f"{text(cell.gold)} taken for {text(cell.system)}"
    told = f"{pair}: {plural(cell.errors, 'error')}, {plural(cell.tokens, 'token')}"
    inside = quotations.button(cell.errors, cell.examples, system, told)
    return f'<td style="--shade:{shade}" class="wrong">{inside}</td>'


def right_wrong(evaluation: Evaluation, names: Sequence[str], quotations: Quotations) -> str:
    """Return for each pair of systems the tokens on which the one of the row is right and the other wrong."""
    head = ["<td></td>", *(f'<th scope="col">{named(j, name)}</th>' for j, name in enumerate(names))]
    rows = []
    for i, name in enumerate(names):
        row = [f'<th scope="row">{named(i, name)}</th>']
        for j, other in enumerate(names):
            found = evaluation.comparison.right_wrong[i][j]
            told = f"{text(name)} right, {text(other)} wrong"
            inside = "" if i == j else quotations.button(found.tokens, found.examples, j, told)
            row.append(f"<td>{inside}</td>" if i != j else '<td class="own"></td>')
        rows.append(row)
    return table(head, rows, kind="matrix") + PANEL


PANEL = '<div class="examples" aria-live="polite" hidden></div>'
"""Where the script puts the examples of the table above."""
