"""The quickstart as text: scores, an example, the files, and the commands for a treebank of the user; and as a page."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treevote.commands.quickstart import ADAPTED, ADAPTED_TOO, MODEL, PARSED, TEST, UNLABELLED, VOTE, Quickstart
from treevote.corpus.treebank import Treebank
from treevote.evaluation.counts import count_by_sentence
from treevote.evaluation.evaluation import evaluate_systems
from treevote.evaluation.paired import paired
from treevote.evaluation.verdict import signed
from treevote.report.evaluation import cascade_text
from treevote.report.example import example
from treevote.report.page import write_report
from treevote.report.scores import percentage
from treevote.terminal import duration, size, table

REPORT = "test.html"
"""Name of the page in the output folder."""

METRICS = "LAS", "UAS", "MLAS", "BLEX"
"""Figures of the parses of raw text."""


def write_page(result: Quickstart) -> None:
    """Write the page of all parses of the test set."""
    write_report(evaluate_systems(result.test, result.parses, training=result.training), result.folder / REPORT)


def as_text(result: Quickstart) -> str:
    """Return the table, and the commands for a treebank of the user."""
    return "\n".join(_lines(result))


def _gain(result: Quickstart, first: str, second: str) -> str:
    """Return the LAS that the second parse has more than the first, with its interval."""
    counts = (count_by_sentence(result.test, result.parses[name]) for name in (first, second))
    found = paired(*(np.stack([own["arcs"], own["tokens"]], axis=1) for own in counts))
    gain, low, high = (signed(value) for value in (found.points, found.low, found.high) if value is not None)
    return f"{gain} LAS (95 % interval {low} to {high})"


def _lines(result: Quickstart) -> Iterator[str]:
    yield f"trained on {_sizes(result.training)} of web text"
    yield f"tested on {_sizes(result.test)} of an encyclopedia\n"
    speeds = {name: f"{result.test.n_tokens / seconds:,.0f}" for name, seconds in result.seconds.items()}
    rows = [
        [name, f"{count.las:.2f}", f"{count.uas:.2f}", f"{result.seconds[name]:.2f}", speeds[name]]
        for name, count in result.counts.items()
    ]
    yield table(["", "LAS", "UAS", "seconds", "tokens/s"], rows) + "\n"
    members = {name: parse for name, parse in result.parses.items() if not name.endswith((VOTE, ADAPTED_TOO))}
    las = {name: count.las for name, count in result.counts.items()}
    best = max(members, key=lambda name: las[name])
    yield "LAS is the share of words with the right head and label, UAS with the right head, in percent."
    gain = _gain(result, best, VOTE)
    yield f"The vote takes the tree whose arcs have most votes: {gain} against its best member, {best}."
    if (adapted := VOTE + ADAPTED_TOO) in las:
        gain = _gain(result, VOTE, adapted)
        yield f"The adapted members also learned from text without trees, where parsers agreed: {gain}."
    if shown := example(result.test, members, result.parses[VOTE]):
        yield "\nA sentence of the test set on which members differ: the tree of the vote, and the members."
        yield from shown
    if result.from_text is not None:
        yield "\nThe same from raw text: a model with a tokenizer and a tagger, on the text of the test set alone."
        raw, stages = result.from_text
        rows = [[system.name, *(percentage(system.rates[name].value) for name in METRICS)] for system in raw.systems]
        yield f"\n{table(['', *METRICS], rows)}\n\n{cascade_text(stages)}\n"
    else:
        yield "\nThe words and tags of the test set were given. From raw text: treevote quickstart --from-text\n"
    if not result.reasons:
        yield f"adapted to {UNLABELLED} in {duration(result.adapting_seconds)}"
    yield from (f"the adapted model was not kept: {reason}" for reason in result.reasons)
    yield f"model   {result.folder / MODEL} ({size(result.n_bytes)})"
    if not result.reasons:
        yield f"adapted {result.folder / ADAPTED}"
    yield f"parses  {result.folder / PARSED}"
    yield f"gold    {result.folder / TEST}"
    yield f"report  {result.folder / REPORT}, for a browser\n"
    yield "The parts of the treebank are in that folder, too, to try other commands on. With your own, or with these:"
    yield f"  cd {result.folder}"
    yield "  treevote train train.conllu --dev dev.conllu -o my-model -j 2"
    yield "  treevote parse my-model test.conllu -o parsed.conllu"
    yield "  treevote evaluate test.conllu parsed.conllu"
    yield "  treevote adapt my-model new-domain.conllu --train train.conllu --dev dev.conllu -o my-adapted -j 2"


def _sizes(treebank: Treebank) -> str:
    return f"{treebank.n_sentences:,} sentences ({treebank.n_tokens:,} tokens)"
