"""Treebanks to learn from and to measure on, from files."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from treevote.conll.guidelines import departures, unknown_labels
from treevote.conll.reader import read
from treevote.corpus.treebank import Format, Treebank
from treevote.corpus.trees import are_bare
from treevote.evaluation.counts import Convention, convention_of

Warn = Callable[[str], None]


def read_training(
    paths: Sequence[str | Path], *, format: Format | Literal["auto"] = "auto", warn: Warn = lambda sentence: None
) -> tuple[Treebank, Convention]:
    """Read treebanks to learn from as one, without their text, and the convention of their scores.

    Parameters
    ----------
    paths : sequence of path
    format : {"auto", "conllu", "conllx"}, default="auto"
    warn : callable, optional
        Called with each departure from the guidelines, and with the number of sentences left out.

    Raises
    ------
    InputError
        If a file cannot be read.
    """
    treebanks = [read(path, format=format, trees="some") for path in paths]
    convention = convention_of(treebanks[0])
    for treebank in treebanks:
        for warning in departures(treebank):
            warn(warning)
    parts = [dataclasses.replace(with_trees(treebank, warn), source=None) for treebank in treebanks]
    treebanks.clear()  # the text takes memory
    if len(parts) == 1:
        return parts[0], convention
    return Treebank.concatenate(parts, " + ".join(part.name for part in parts)), convention


def read_development(
    path: str | Path, training: Treebank, *, format: Format | Literal["auto"] = "auto", warn: Warn
) -> Treebank:
    """Read a treebank to measure on; parameters and errors as for `read_training`.

    Labels that the training data do not have are warned of, too.
    """
    development = with_trees(read(path, format=format, trees="some"), warn)
    for warning in unknown_labels(development, training):
        warn(warning)
    return development


def with_trees(treebank: Treebank, warn: Warn) -> Treebank:
    """Leave out the sentences in which no token has a head, with a warning of their number.

    Examples
    --------
    >>> with_trees(Treebank.of([(["a"], [0], ["root"]), (["b"], [-1], [""])], name="toy"), print).n_sentences
    toy: 1 of 2 sentences has no tree and is left out
    1
    """
    bare = are_bare(treebank)
    count = int(bare.sum())
    if not count:
        return treebank
    said = "has no tree and is" if count == 1 else "have no tree and are"
    warn(f"{treebank.title}: {count:,} of {treebank.n_sentences:,} sentences {said} left out")
    return treebank.select(np.flatnonzero(~bare)).compact()
