"""``treevote cascade``: what a model loses on the way from gold tokens and tags to raw text."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from treevote.batch.joint import tagged
from treevote.commands.answer import answer
from treevote.conll.plain_text import text_of
from treevote.conll.reader import read
from treevote.corpus.treebank import Format
from treevote.ensemble.parser import load
from treevote.ensemble.reader import no_tagger
from treevote.evaluation.counts import convention_of
from treevote.evaluation.evaluation import evaluate_systems
from treevote.evaluation.results import Evaluation
from treevote.report.scores import percentage
from treevote.terminal import table, wrapped

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


def cascade(model: str | Path, gold: str | Path, *, format: Format | Literal["auto"] = "auto") -> Evaluation:
    """Parse a treebank with its tags, with predicted tags, and from its text alone, and evaluate the three.

    The text is that of `treevote text`; a model without a tokenizer has no parse of it, and one without a tagger is an
    error.
    """
    parser, trees = load(model), read(gold, format=format)
    if parser.reader is None or parser.reader.tagger is None:
        raise no_tagger()
    given = {"gold tags": trees, "gold tokens": tagged(parser, trees, "predict")}
    if parser.reader.tokenizer is not None:
        given["raw text"] = parser.reader.read(b"".join(text_of(os.fspath(gold))))
    stages = {name: parser.trees_alone.parse(treebank).only() for name, treebank in given.items()}
    return evaluate_systems(trees, stages, convention=convention_of(trees))


def as_text(evaluation: Evaluation) -> str:
    """Return the figures as a table, with a legend."""
    names = [name for name in FIGURES if _METRIC.get(name, name) in evaluation.systems[0].rates]
    rows = [
        [system.name, *(percentage(system.rates[_METRIC.get(name, name)].value) for name in names)]
        for system in evaluation.systems
    ]
    legend = "; ".join(f"{name}: {FIGURES[name]}" for name in names)
    given = "gold tags: tokens, lemmas and tags of the treebank are given; gold tokens: tokens alone; raw text: nothing"
    return f"{table(['', *names], rows)}\n\n{wrapped(given)}\n{wrapped(f'F1 in percent of {legend}')}"


def as_json(evaluation: Evaluation, model: str | Path, command: str = "") -> str:
    """Return the figures as JSON."""
    stages = {
        system.name: {name: None if rate.value is None else round(rate.value, 2) for name, rate in system.rates.items()}
        for system in evaluation.systems
    }
    return answer("cascade", {"model": os.fspath(model), "stages": stages}, command)
