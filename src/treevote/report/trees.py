"""The sentences whose trees are drawn: typical errors of each system, and where systems differ most."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from treevote.corpus.trees import per_sentence
from treevote.drawing.svg import Picture, draw
from treevote.evaluation.agreement import arcs_of, disagreement
from treevote.evaluation.parses import SentenceTrees
from treevote.evaluation.results import ConfusionCell, Evaluation
from treevote.visibility import visible

MAX_WORDS = 20
"""Maximum number of words of a drawn sentence."""

LABELS, HEADS = 3, 2
"""Confusions of labels, and of heads by their part of speech, of which an example is drawn for each system."""

DIFFERING, MAX_SYSTEMS = 3, 4
"""Sentences drawn for several systems, and the number of these systems."""

WIDTHS = (334, 640, 940, 1300)
"""Widths of a drawing in CSS pixels: the style sheet shows the one that there is room for."""


def typical(evaluation: Evaluation, system: int) -> list[tuple[str, ConfusionCell, int, SentenceTrees]]:
    """Return one example of each of the most frequent confusions of a system, each in another, short sentence.

    It is the confusion and its cell, the token in the sentence, and the trees of the sentence.
    """
    lengths, drawn = evaluation.parses.gold.lengths, set[int]()
    found = []
    for confusion, most in zip(evaluation.systems[system].confusions, (LABELS, HEADS), strict=False):
        n = 0
        for cell in confusion.cells:
            if n == most or not cell.errors:
                break
            short = [example for example in cell.examples if lengths[example.sentence - 1] <= MAX_WORDS]
            if fitting := [example for example in short if example.sentence not in drawn]:
                example = min(fitting, key=lambda one: (abs(int(lengths[one.sentence - 1]) - 10), one.sentence))
                drawn.add(example.sentence)
                found.append((confusion.name, cell, example.token, evaluation.parses.sentence(example.sentence)))
                n += 1
    return found


def differing(evaluation: Evaluation) -> list[SentenceTrees]:
    """Return the short sentences in which the arcs of the first system differ most from those of the others."""
    parses = evaluation.parses
    first, *others = arcs_of(parses.systems)
    wrong = [per_sentence(parses.scored & disagreement(first, other), parses.gold.offsets) for other in others]
    counts = np.where(parses.gold.lengths <= MAX_WORDS, np.sum(wrong, axis=0), 0)
    order = np.argsort(-counts, kind="stable")
    return [parses.sentence(number) for number in (order[counts[order] > 0] + 1).tolist()[:DIFFERING]]


def n_wrong(trees: SentenceTrees, system: int) -> int:
    """Return the number of scored words to which a system, counted from 0, gives a wrong head or label."""
    gold, parse = (zip(tree.heads, tree.deprels, strict=True) for tree in (trees.gold, trees.systems[system]))
    return sum(scored and arc != other for scored, arc, other in zip(trees.scored, gold, parse, strict=True))


def drawing(trees: SentenceTrees, system: int, name: str) -> str:
    """Return the gold tree with that of a system over it, as SVG: a drawing for each range of `WIDTHS`."""
    words = tuple(word._replace(upos=word.xpos) if word.upos == "_" else word for word in trees.gold.words)
    gold, parse = (tree._replace(words=words) for tree in (trees.gold, trees.systems[system]))
    forms = " ".join(word.form for word in words[1:])
    title = visible(f"Sentence {trees.number}, gold tree and {name}: {forms}")
    return for_all_widths(partial(draw, gold, parse, title=title))


def for_all_widths(draw: Callable[..., Picture]) -> str:
    """Return pictures, given a ``width``, for all ranges of `WIDTHS`, each marked with these; equal ones only once."""
    pictures: dict[str, list[int]] = {}
    last: Picture | None = None
    for i, width in reversed(list(enumerate(WIDTHS))):
        if last is not None and last.width <= width:
            pictures[next(reversed(pictures))].append(i)
            continue
        last = draw(width=width)
        pictures.setdefault(last.markup, []).append(i)
    return "".join(
        f'<div class="{" ".join(f"room{i}" for i in sorted(rooms))}">{markup}</div>'
        for markup, rooms in reversed(pictures.items())
    )
