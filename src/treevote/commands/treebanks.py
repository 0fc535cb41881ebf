"""Treebanks to learn from and to measure on, from files."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from treevote.conll.guidelines import departures, missing_columns, unknown_labels
from treevote.conll.reader import read
from treevote.corpus.given import FREE_LABEL
from treevote.corpus.source import Source
from treevote.corpus.treebank import Format, Treebank
from treevote.corpus.trees import are_partial, per_sentence
from treevote.errors import InputError, warn
from treevote.evaluation.counts import Convention, convention_of
from treevote.evaluation.development import learned_sentences
from treevote.files.streams import uncompressed


def read_training(
    files: Sequence[str | Path | Treebank],
    format: Format | Literal["auto"],
    *,
    on_text: Callable[[Treebank], object] | None = None,
) -> tuple[Treebank, Convention]:
    """Read treebanks to learn from as one, without their text, and the convention of their scores.

    Warnings tell each departure from the guidelines, and the numbers of sentences left out and of words without a head
    in others. ``on_text`` is called with all sentences and their text, which takes memory.
    """
    if not files:
        raise InputError("expected treebanks to train on, found none", remedy="name one or more files")
    treebanks = [read_some(file, format, partial=True) for file in files]
    convention = convention_of(treebanks[0])
    for treebank in treebanks:
        for warning in departures(treebank):
            warn(warning)
    if on_text is not None:
        on_text(with_texts(treebanks))
    parts = [dataclasses.replace(with_trees(treebank), source=None) for treebank in treebanks]
    treebanks.clear()  # the text takes memory
    return with_texts(parts), convention


def read_some(file: str | Path | Treebank, format: Format | Literal["auto"], *, partial: bool = False) -> Treebank:
    """Return a treebank, read if it is a file; sentences may be without trees, or else with ``partial`` ones."""
    if isinstance(file, Treebank):
        return file
    treebank = read(file, format=format, trees="partial" if partial else "some")
    if not (treebank.heads >= 0).any():
        problem = "expected trees, found a file without: every HEAD is '_'"
        raise InputError(problem, path=treebank.title, remedy="give a labelled treebank")
    return treebank


def read_development(file: str | Path | Treebank, training: Treebank, format: Format | Literal["auto"]) -> Treebank:
    """Read a treebank to measure on; warn where it does not go with the training data, and of sentences that both have.

    It may have labels that they do not have, or columns.
    """
    development = with_trees(read_some(file, format))
    departing = *unknown_labels(development, training), *missing_columns(development, training)
    for warning in (*departing, *learned_sentences(development, training)):
        warn(warning)
    return development


def part_of(folder: str | Path, part: str) -> Path:
    """Return the file of a part of a treebank by its name: ``train.conllu``, ``xx-ud-train.conllu``, or compressed.

    InputError if there is none in the folder, or more than one.
    """
    named = re.compile(rf"(.*[-_.])?{re.escape(part)}\.conll[ux]?", re.IGNORECASE)
    found = sorted(path for path in Path(folder).glob("*") if named.fullmatch(uncompressed(path.name)))
    if len(found) == 1:
        return found[0]
    problem = f"expected one file {part}.conllu, or with a name that ends in this, found {len(found) or 'none'}"
    raise InputError(problem, path=str(folder), remedy="give a folder with train, dev and test files")


def with_texts(treebanks: Sequence[Treebank]) -> Treebank:
    """Join treebanks, with their texts unless one has none, or, with a warning, the formats of these differ."""
    if len(treebanks) == 1:
        return treebanks[0]
    joined = Treebank.concatenate(treebanks, " + ".join(treebank.name for treebank in treebanks))
    source = Source.concatenate([treebank.source for treebank in treebanks])
    if source is None and all(treebank.source is not None for treebank in treebanks):
        warn(f"{joined.name}: files of different formats; comments, ranges, DEPS and MISC are left out")
    return dataclasses.replace(joined, source=source)


def with_trees(treebank: Treebank) -> Treebank:
    """Leave out the sentences in which no token has a head; warn of their number, and of other words without one.

    Words with a head and no label, beside words with labels, are told: nothing says that their label is open.
    """
    place = f"{treebank.title}: " if treebank.title else ""
    bare = per_sentence(treebank.heads >= 0, treebank.offsets) == 0
    if count := int(bare.sum()):
        said = "has no tree and is" if count == 1 else "have no tree and are"
        warn(f"{place}{count:,} of {treebank.n_sentences:,} sentences {said} left out")
        treebank = treebank.select(np.flatnonzero(~bare)).compact()
    if count := int((treebank.is_token & (treebank.heads < 0)).sum()):
        said = "word has no head" if count == 1 else "words have no head"
        n_partial = int(are_partial(treebank).sum())
        warn(
            f"{place}{count:,} {said}, in {n_partial:,} of {treebank.n_sentences:,} sentences; "
            "members that have learned from the whole ones complete these trees"
        )
    named = np.array([*(label != FREE_LABEL for label in treebank.labels), True])[treebank.deprels]
    count = int((~named & (treebank.heads >= 0)).sum())
    if 0 < count < int((treebank.heads >= 0).sum()):
        said = "word has" if count == 1 else "words have"
        warn(
            f"{place}{count:,} {said} a head and the label _, which counts as any other label; "
            "write the right labels, or _ as HEAD as well"
        )
    return treebank
