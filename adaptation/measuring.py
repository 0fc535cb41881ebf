"""Scores of a model before and after an adaptation: measured on labelled sentences, else estimated."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from treevote.adaptation.guard import Measured
from treevote.corpus.treebank import Treebank
from treevote.ensemble.parser import EnsembleParser
from treevote.evaluation.counts import Convention, evaluate
from treevote.kernels import Bools, Longs

HELD_OUT = 20
"""Every 20th sentence of the text is held out from training, for the estimates."""

MOST_HELD_OUT = 2_000
"""Maximum number of held-out sentences; they stay in memory."""


def held_out(numbers: Longs) -> Bools:
    """Return a mask of the held-out sentences of a text, by their numbers from 0.

    Examples
    --------
    >>> np.flatnonzero(held_out(np.arange(50))).tolist()
    [19, 39]
    """
    mask: Bools = (numbers % HELD_OUT == HELD_OUT - 1) & (numbers < HELD_OUT * MOST_HELD_OUT)
    return mask


def sample_of(parts: Iterable[Treebank]) -> Treebank:
    """Return the held-out sentences of a text, given part by part."""
    held, first = [], 0
    for part in parts:
        chosen = np.flatnonzero(held_out(first + np.arange(part.n_sentences)))
        held.append(dataclasses.replace(part.select(chosen), source=None))
        first += part.n_sentences
    return Treebank.concatenate(held)


def measure(
    parser: EnsembleParser, source: Treebank | None, target: Treebank | None, sample: Treebank, convention: Convention
) -> Measured:
    """Measure a model on the labelled sentences of both domains, and estimate its score on a sample of the target.

    The estimate is the mean confidence of the model on the unlabelled sample.
    """

    def las(gold: Treebank | None) -> float | None:
        return None if gold is None else round(evaluate(gold, parser.parse(gold), convention=convention).las, 2)

    estimate = None
    if parser.confidence is not None and sample.n_tokens:
        parse = parser.parse(sample)
        assert parse.label_confidence is not None
        estimate = round(100 * float(parse.label_confidence[parse.is_token].mean(dtype=np.float64)), 2)
    return Measured(las(source), las(target), estimate)
