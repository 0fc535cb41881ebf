"""A selection of sentences to annotate as text, JSON and CoNLL-U."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from treevote.annotation.selection import Selection
from treevote.conll.writer import with_items
from treevote.corpus.sentence import sent_id
from treevote.files.streams import writing
from treevote.kernels import Bools
from treevote.report.answer import answer
from treevote.terminal import plural, table, wrapped

KEY = "Doubt"
"""Key in MISC."""


def as_text(selection: Selection) -> str:
    """Return the sizes of the selection and of its pool, and the doubts about both."""
    chosen, doubt = selection.sentences, float(selection.doubt.sum())
    rows = [
        _row("chosen", len(chosen), chosen.n_tokens, doubt),
        _row("pool", selection.pool_sentences, selection.pool_tokens, selection.pool_wrong),
    ]
    legend = "wrong: arcs and labels that are expected to be wrong, by the model's own confidence"
    if chosen.label_confidence is None:
        legend = "wrong: the sum of the shares of votes against arcs and labels; the model has no confidence"
    return f"{table(['', 'sentences', 'tokens', 'wrong', '% of tokens'], rows)}\n\n{wrapped(legend)}"


def _row(name: str, sentences: int, tokens: int, wrong: float) -> list[str]:
    return [name, f"{sentences:,}", f"{tokens:,}", f"{wrong:,.1f}", f"{100 * wrong / max(1, tokens):.1f}"]


def sentence(selection: Selection, least: float) -> str:
    """Return the size of the selection, and the number of its doubtful arcs, in words."""
    marked = int(_doubtful(selection, least).sum())
    sizes = f"{plural(len(selection.sentences), 'sentence')}, {plural(selection.sentences.n_tokens, 'token')}"
    return f"chosen: {sizes}; {plural(marked, 'doubtful arc')}"


def _doubtful(selection: Selection, least: float) -> Bools:
    """Return the slots of the tokens whose doubt is at least a number."""
    return selection.sentences.is_token & (selection.doubt >= least)


def as_json(selection: Selection, output: str, least: float, command: str = "") -> str:
    """Return the selection as JSON."""
    chosen = selection.sentences
    doubts, marked = (np.split(of, chosen.offsets[1:-1]) for of in (selection.doubt, _doubtful(selection, least)))
    facts: dict[str, Any] = {
        "output": output,
        "pool": {
            "sentences": selection.pool_sentences,
            "tokens": selection.pool_tokens,
            "expected_wrong": round(selection.pool_wrong, 1),
        },
        "tokens": chosen.n_tokens,
        "expected_wrong": round(float(selection.doubt.sum()), 1),
        "sentences": [
            {
                "number": int(selection.numbers[i]) + 1,
                "sent_id": sent_id(chosen.comments(i)),
                "tokens": int(chosen.lengths[i]),
                "expected_wrong": round(float(doubt.sum()), 2),
                "doubtful": np.flatnonzero(own).tolist(),
            }
            for i, (doubt, own) in enumerate(zip(doubts, marked, strict=True))
        ],
    }
    return answer("selection", facts, command)


def write_selection(selection: Selection, path: str | os.PathLike[str], least: float) -> None:
    """Write the sentences with their parses; an arc whose doubt is at least a number has it in MISC."""
    slots = np.flatnonzero(_doubtful(selection, least))
    values = {slot: f"{selection.doubt[slot]:.2f}" for slot in slots.tolist()}
    text = with_items(selection.sentences, KEY, values, trees=True)
    with writing(path) as stream:
        stream.write(text)
