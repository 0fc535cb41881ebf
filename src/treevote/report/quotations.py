"""The examples behind a number, and the confusion matrix whose cells open to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from treevote.evaluation.parses import SentenceTrees
from treevote.evaluation.results import Confusion, ConfusionCell, Evaluation, Example
from treevote.visibility import visible

MAX_VALUES = 14
"""Maximum number of rows and columns of a confusion matrix: those with most errors."""

MAX_EXAMPLES = 4
"""Maximum number of examples behind a number."""


class Quotations:
    """The examples of all numbers of a page; each sentence of the evaluation is kept once."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._parses = evaluation.parses
        self._sentences: dict[int, SentenceTrees] = {}
        self._lists: list[tuple[int, list[tuple[int, int, int, str, int, str]]]] = []

    def add(self, examples: Sequence[Example], system: int) -> int:
        """Add tokens that a system, counted from 0, has wrong; return the number of their list."""
        self._lists.append((system, [self._quoted(example, system) for example in examples[:MAX_EXAMPLES]]))
        return len(self._lists) - 1

    def _quoted(self, example: Example, system: int) -> tuple[int, int, int, str, int, str]:
        """Return sentence and token, with head and label in the gold tree and in that of the system."""
        number, token = example.sentence, example.token
        if number not in self._sentences:
            self._sentences[number] = self._parses.sentence(number)
        trees = self._sentences[number]
        gold, parse = (
            (int(tree.heads[token]), visible(tree.deprels[token])) for tree in (trees.gold, trees.systems[system])
        )
        return number, token, *gold, *parse

    def as_json(self, names: Sequence[str]) -> dict[str, object]:
        """Return sentences, lists of examples and names of the systems, for the script of the page."""
        sentences = {
            str(number): [visible(trees.gold.sent_id), [visible(word.form) for word in trees.gold.words[1:]]]
            for number, trees in sorted(self._sentences.items())
        }
        return {"systems": [visible(name) for name in names], "sentences": sentences, "lists": self._lists}


class ConfusionMatrix(NamedTuple):
    """The values with most errors, the cells by gold value and system value, and the largest number of errors."""

    values: list[str]
    cells: dict[tuple[str, str], ConfusionCell]
    most: int

    @staticmethod
    def of(found: Confusion) -> ConfusionMatrix:
        """Return the matrix of a confusion."""
        errors: Counter[str] = Counter()
        for cell in found.cells:
            errors[cell.gold] += cell.errors
            errors[cell.system] += cell.errors
        values = sorted((value for value in errors if errors[value]), key=lambda value: (-errors[value], value))
        most = max([1, *(cell.errors for cell in found.cells)])
        return ConfusionMatrix(values[:MAX_VALUES], {(cell.gold, cell.system): cell for cell in found.cells}, most)

    def shade(self, cell: ConfusionCell) -> str:
        """Return the darkness of a cell: the more errors, the darker."""
        return f"{50 * (cell.errors / self.most) ** 0.5:.0f}%"
