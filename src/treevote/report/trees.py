"""The sentences whose trees are drawn: where a system does worst, and where systems differ most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from treevote.corpus.sentence import ROOT, Sentence, Word
from treevote.drawing.svg import MEANING, draw, key
from treevote.evaluation.results import Evaluation, SentenceTrees, Tree
from treevote.report.markup import plural, text
from treevote.report.series import named
from treevote.visibility import visible

MAX_WORDS = 20
"""A longer sentence is no picture that one takes in."""

WORST, DIFFERING, MAX_SYSTEMS = 2, 3, 4
"""Sentences drawn for each system, sentences drawn for all of them, and for how many systems these are."""


def legend() -> str:
    """Return what the strokes mean."""
    items = "".join(f"<li>{key(kind)} {meaning}</li>" for kind, meaning in MEANING.items())
    return f'<ul class="legend">{items}</ul>'


def worst(evaluation: Evaluation, names: Sequence[str]) -> str:
    """Return the drawings of the sentences in which each system has most arcs wrong; none is drawn twice."""
    wrong: list[list[tuple[int, int]]] = [[] for _ in names]
    for trees in _drawable(evaluation):
        for i, tree in enumerate(trees.systems):
            if n := _n_differing(trees, trees.gold, tree):
                wrong[i].append((-n, trees.number))
    parts = []
    drawn: set[int] = set()
    for i, name in enumerate(names):
        chosen = [number for _, number in sorted(wrong[i]) if number not in drawn][:WORST]
        drawn.update(chosen)
        figures = [_figure(evaluation.trees(number), i, names) for number in chosen]
        parts.append(f"<h3>{named(i, name)}</h3>{''.join(figures) or '<p class=note>No wrong arc.</p>'}")
        longest = [
            f"sentence {score.sentence:,} ({score.tokens - score.arcs} of {plural(score.tokens, 'arc')})"
            for score in evaluation.systems[i].worst[:5]
            if score.arcs < score.tokens
        ]
        if longest:
            parts.append(f'<p class="note">Most wrong arcs in sentences of any length: {", ".join(longest)}.</p>')
    return "".join(parts)


def differing(evaluation: Evaluation, names: Sequence[str]) -> str:
    """Return the drawings of the sentences in which the systems' arcs differ most from each other."""
    counts = []
    for trees in _drawable(evaluation):
        first, *others = trees.systems
        if n := sum(_n_differing(trees, first, other) for other in others):
            counts.append((-n, trees.number))
    parts = []
    for _, number in sorted(counts)[:DIFFERING]:
        trees = evaluation.trees(number)
        figures = [_figure(trees, i, names, named_first=True) for i in range(min(len(names), MAX_SYSTEMS))]
        parts.append(f"<h3>{_title(trees)}</h3>{''.join(figures)}")
    return "".join(parts)


def _drawable(evaluation: Evaluation) -> Iterator[SentenceTrees]:
    """Yield the sentences that are short enough."""
    for number in range(1, evaluation.sentences + 1):
        trees = evaluation.trees(number)
        if len(trees.forms) <= MAX_WORDS:
            yield trees


def _n_differing(trees: SentenceTrees, one: Tree, other: Tree) -> int:
    """Return the number of scored tokens whose head or label differ."""
    arcs, others = zip(one.heads, one.deprels, strict=True), zip(other.heads, other.deprels, strict=True)
    return sum(scored and arc != another for scored, arc, another in zip(trees.scored, arcs, others, strict=True))


def _figure(trees: SentenceTrees, system: int, names: Sequence[str], *, named_first: bool = False) -> str:
    """Return the gold tree with a system's over it."""
    gold, parse = _sentence(trees, trees.gold), _sentence(trees, trees.systems[system])
    title = f"Sentence {trees.number}, gold tree and {names[system]}: {' '.join(trees.forms)}"
    wrong, n = _n_differing(trees, trees.gold, trees.systems[system]), sum(trees.scored)
    score = f"{wrong} of {plural(n, 'arc')} wrong"
    caption = f"{named(system, names[system])} {score}" if named_first else f"{_title(trees)} <small>{score}</small>"
    drawing = draw(gold, parse, title=visible(title)).markup
    return f'<figure><figcaption>{caption}</figcaption><div class="frame" tabindex="0">{drawing}</div></figure>'


def _title(trees: SentenceTrees) -> str:
    return f"Sentence {trees.number:,}" + (f" <small>{text(trees.id)}</small>" if trees.id else "")


def _sentence(trees: SentenceTrees, tree: Tree) -> Sentence:
    words = [Word(form, "_", pos, "_", "_") for form, pos in zip(trees.forms, trees.pos, strict=True)]
    return Sentence((ROOT, *words), np.array([-1, *tree.heads], np.int32), ("", *tree.deprels))
