"""Parsing of sentences in memory: the one body for files, texts, the Python interface and spaCy."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

import numpy as np

from treevote.conll.validation import Trees
from treevote.corpus.given import Given, Keep
from treevote.corpus.treebank import Treebank
from treevote.ensemble.familiarity import expects_tags
from treevote.ensemble.parser import EnsembleParser, parse_counted
from treevote.ensemble.stored import StoredParser
from treevote.errors import InputError, ModelError, require_known
from treevote.models.text.text_annotator import without_tags
from treevote.parallel import ONE_JOB, Jobs
from treevote.protocols import Parser

SENTENCES = 2000  # number of sentences that are parsed at a time; no result depends on it


def stored_parser(model: StoredParser | str | os.PathLike[str], member: str | None) -> StoredParser:
    """Return the reference to a model, or to a member of it if one is named; a model named by its path is loaded."""
    if isinstance(model, StoredParser):
        return model if member is None else dataclasses.replace(model, member=member)
    while True:
        stored = StoredParser.of(model, member)
        try:
            stored()
        except ModelError:
            if StoredParser.of(model, member) == stored:  # else it was replaced meanwhile
                raise
        else:
            return stored


def member_of(ensemble: EnsembleParser, name: str | None) -> Parser:
    """Return a member of an ensemble, or itself without a name; ConfigError if there is no such member."""
    if name is None:
        return ensemble
    require_known("member", name, ensemble.members)
    return ensemble.members[name]


def require_tags(ensemble: EnsembleParser, treebank: Treebank, remedy: str) -> None:
    """Raise an InputError if the model was trained with tags, and no sentence has any."""
    if treebank.n_tokens and without_tags(treebank).all() and expects_tags(ensemble):
        problem = "expected a part of speech for each token, found none"
        if ensemble.annotator.tagger is not None:
            remedy = "the model was trained with tags: let its tagger find them, without tags='keep'"
        else:
            remedy = f"the model was trained with tags and has no tagger: {remedy}"
        raise InputError(problem, path=treebank.title, remedy=remedy)


def trees_of(parser: Parser, keep: Keep | None) -> Trees:
    """Return how the trees of the input are read if some of their heads or labels are kept."""
    partial: Trees = "partial-rooted" if parser.single_root else "partial"
    return "ignored" if keep is None else "labels" if keep == "labels" else partial


def parse_sentences(
    parser: Parser, treebank: Treebank, *, keep: Keep | None = None, n: int = SENTENCES, jobs: Jobs = ONE_JOB
) -> tuple[Treebank, int]:
    """Return the sentences with trees and marks, and the number of searches that were cut short.

    Trees of the input are ignored, but for the heads or labels to ``keep``; InputError if no tree has them. ``n``
    sentences are parsed at a time; the progress of the jobs is called after each part of several.
    """
    size = len(treebank)
    given = Given.of(treebank, keep, single_root=parser.single_root)
    if size <= n:
        return parse_counted(parser, treebank, given)
    parts, fallbacks = [], 0
    for start in range(0, size, n):
        end = min(start + n, size)
        held = None if given is None else given.within(*treebank.offsets[[start, end]].tolist())
        part, own = parse_counted(parser, treebank.select(range(start, end)), held)
        parts.append(part)
        fallbacks += own
        jobs.tell("parsing", end, size)
    joined = Treebank.concatenate(parts)
    marks: Any = {field: np.concatenate([part.marks[field] for part in parts]) for field in parts[0].marks}
    trees = treebank.with_trees(joined.heads, joined.deprels, joined.labels)
    return dataclasses.replace(trees, **marks), fallbacks
