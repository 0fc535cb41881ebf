"""``treevote next``: the sentences of a pool to annotate next, parsed."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from treevote.annotation.selection import Selection, doubts, selected
from treevote.batch.parsing import parse_sentences, require_tags
from treevote.commands.treebanks import with_texts
from treevote.conll.corpora import document_ids
from treevote.conll.reader import read
from treevote.conll.text_chunks import AnyFormat, text_chunks, text_format, utf8_checked
from treevote.corpus.repeated_sentences import sentence_forms
from treevote.corpus.treebank import Treebank
from treevote.ensemble.familiarity import doubt as strangeness
from treevote.ensemble.parser import EnsembleParser, load
from treevote.errors import ConfigError, InputError, warn
from treevote.parallel import ONE_JOB, Jobs

SENTENCES = 50
"""Number of sentences by default."""


def next_sentences(
    model: str | Path | EnsembleParser,
    pool: Sequence[str | Path | Treebank],
    *,
    sentences: int | None = None,
    tokens: int | None = None,
    annotated: Sequence[str | Path | Treebank] = (),
    format: AnyFormat = "auto",
    jobs: Jobs = ONE_JOB,
) -> Selection:
    """Choose sentences of a pool: so many, by default ``SENTENCES``, or sentences of so many tokens together.

    Trees in the pool are not read. Sentences with the words of one in the ``annotated`` files are left out.
    A warning tells why the pool may be unfit for the model.
    """
    parser = model if isinstance(model, EnsembleParser) else load(model)
    if not parser.has_confidence and len(parser.members) == 1:
        raise ConfigError(
            "a parser without confidence has no doubt; train it with --folds 3 or --dev, or train several members"
        )
    names = ["" if isinstance(file, Treebank) else file for file in pool]
    parts = [_read(parser, file, format, name) for file, name in zip(pool, document_ids(names), strict=True)]
    whole = with_texts(list(itertools.chain.from_iterable(parts)))
    old = (part for file in annotated for part in _read(parser, file, format))
    known = {(), *itertools.chain.from_iterable(map(sentence_forms, old))}
    new = np.array([i for i, forms in enumerate(sentence_forms(whole)) if forms not in known], np.int64)
    if not len(new):
        raise InputError("expected new sentences, found none", path=whole.title, remedy="give a larger pool")
    _require_new(parser, whole)
    given = parser.annotator.tagged(whole if len(new) == len(whole) else whole.select(new, source=True))
    require_tags(parser, given, "tag the pool first")
    if reason := strangeness(parser, given):
        warn(f"{whole.title}: {reason}")
    parse, _ = parse_sentences(parser, given, jobs=jobs)
    doubt = doubts(parse)
    most = SENTENCES if tokens is None and sentences is None else sentences
    numbers = np.array(selected(parse, doubt, sentences=most, tokens=tokens), np.int64)
    if not len(numbers):
        shortest = int(parse.lengths.min())
        raise ConfigError(f"the shortest sentence of the pool has {shortest:,} tokens; give more --tokens")
    if sentences is not None and len(numbers) < sentences:
        left_out = "annotated ones, and those that are nearly the same as a chosen one, are left out"
        warn(f"{whole.title}: expected {sentences:,} sentences to choose, found {len(numbers):,}; {left_out}")
    slots = np.concatenate([np.arange(*parse.offsets[i : i + 2]) for i in numbers.tolist()])
    chosen = parse.select(numbers, source=True)
    return Selection(chosen, doubt[slots], new[numbers], len(given), given.n_tokens, float(doubt.sum()))


def _read(parser: EnsembleParser, file: str | Path | Treebank, format: AnyFormat, id: str = "") -> list[Treebank]:
    """Return the sentences of a file; those of a running text as the model cuts it."""
    if isinstance(file, Treebank):
        return [file]
    text = text_format(os.fspath(file), format)
    if text is not None:
        chunks = text_chunks(os.fspath(file), format=text, document=id)
        return [parser.annotator.tokenized(chunk) for chunk in utf8_checked(chunks, warn)]
    return [read(file, format=cast("Any", format), trees="ignored")]


def _require_new(parser: EnsembleParser, pool: Treebank) -> None:
    """Refuse the sentences that a model was trained on: it has learned to be sure of them."""
    known = parser.facts.get("training")
    sizes = {"sentences": len(pool), "tokens": pool.n_tokens}
    if isinstance(known, dict) and all(known.get(key) == size for key, size in sizes.items()):
        problem = f"expected new sentences, found as many sentences and tokens as in the training data {known['name']}"
        raise InputError(problem, path=pool.title, remedy="give sentences that are not annotated yet")
