"""The sentences whose trees are drawn: where a system does worst, and where systems differ most."""

from __future__ import annotations

import numpy as np

from treevote.corpus.sentence import ROOT, Sentence, Word
from treevote.drawing.svg import draw
from treevote.evaluation.parses import SentenceTrees
from treevote.evaluation.results import Evaluation
from treevote.kernels import Longs
from treevote.visibility import visible

MAX_WORDS = 20
"""Maximum number of words of a drawn sentence."""

WORST, DIFFERING, MAX_SYSTEMS = 2, 3, 4
"""Sentences drawn for each system, sentences drawn for several of them, and the number of these systems."""


def worst(evaluation: Evaluation) -> list[list[SentenceTrees]]:
    """Return for each system the sentences with most wrong arcs; no sentence is drawn twice."""
    drawn: set[int] = set()
    chosen = []
    for i in range(len(evaluation.systems)):
        numbers = [
            number for number in _ranked(evaluation, evaluation.parses.n_differing(None, i)) if number not in drawn
        ]
        drawn.update(numbers[:WORST])
        chosen.append([evaluation.trees(number) for number in numbers[:WORST]])
    return chosen


def differing(evaluation: Evaluation) -> list[SentenceTrees]:
    """Return the sentences in which the arcs of the first system differ most from those of the others."""
    counts = np.zeros_like(evaluation.parses.lengths)
    for i in range(1, len(evaluation.systems)):
        counts += evaluation.parses.n_differing(0, i)
    return [evaluation.trees(number) for number in _ranked(evaluation, counts)[:DIFFERING]]


def _ranked(evaluation: Evaluation, counts: Longs) -> list[int]:
    """Return the numbers of the sentences that are short enough and have a count, the largest first."""
    counts = np.where(evaluation.parses.lengths <= MAX_WORDS, counts, 0)
    order = np.argsort(-counts, kind="stable")
    numbers: list[int] = (order[counts[order] > 0] + 1).tolist()
    return numbers


def n_wrong(trees: SentenceTrees, system: int) -> int:
    """Return the number of scored words to which a system, counted from 0, gives a wrong head or label."""
    gold, parse = (zip(tree.heads, tree.deprels, strict=True) for tree in (trees.gold, trees.systems[system]))
    return sum(scored and arc != other for scored, arc, other in zip(trees.scored, gold, parse, strict=True))


def drawing(trees: SentenceTrees, system: int, name: str) -> str:
    """Return the gold tree with that of a system over it, as SVG."""
    words = (ROOT, *(Word(form, "_", pos, "_", "_") for form, pos in zip(trees.forms, trees.pos, strict=True)))
    gold, parse = (
        Sentence(words, np.array([-1, *tree.heads], np.int32), ("", *tree.deprels))
        for tree in (trees.gold, trees.systems[system])
    )
    title = f"Sentence {trees.number}, gold tree and {name}: {' '.join(trees.forms)}"
    return draw(gold, parse, title=visible(title)).markup
