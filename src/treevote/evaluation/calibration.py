"""Calibration of the confidence of a parse: nine in ten of the arcs with confidence near 0.9 should be right.

A table of reliability compares confidence and accuracy, and the expected calibration error is their mean difference
(Naeini, Cooper & Hauskrecht 2015, "Obtaining well calibrated probabilities using Bayesian binning").
"""

from __future__ import annotations

from collections.abc import Sequence
from reprlib import repr as short
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.counts import Convention
from treevote.evaluation.scores import scored_words
from treevote.kernels import Bools, Doubles, Floats
from treevote.store.manifest import JSON

LEAST = 0.001  # minimum distance of a confidence from 0 and 1
SURE = 0.95  # least confidence of the arcs whose precision is told

COLUMNS = {"arc": "Confidence", "label": "LabelConfidence"}
"""Names in MISC of the confidence in an arc, and in an arc with its label."""


class Bin(NamedTuple):
    """The arcs of a range of confidence: their number, mean confidence and accuracy."""

    arcs: int
    confidence: float
    accuracy: float


def reliability(confidence: Floats | Doubles, right: Bools) -> list[Bin]:
    """Return the arcs by tenths of confidence; those without an arc are left out."""
    tenths = np.minimum((confidence * 10).astype(np.int64), 9)
    return [
        Bin(int(mask.sum()), float(confidence[mask].mean(dtype=np.float64)), float(right[mask].mean()))
        for tenth in range(10)
        if (mask := tenths == tenth).any()
    ]


def calibration_error(bins: Sequence[Bin]) -> float:
    """Return the expected calibration error: the mean distance of confidence and accuracy over all arcs.

    >>> calibration_error([Bin(1, 0.25, 0.5), Bin(3, 1.0, 1.0)])
    0.0625
    """
    return sum(b.arcs * abs(b.confidence - b.accuracy) for b in bins) / max(1, sum(b.arcs for b in bins))


def table(confidence: Floats | Doubles, right: Bools) -> dict[str, JSON]:
    """Return bins, calibration error, and precision and coverage (percent) of the arcs with a confidence of `SURE`.

    >>> whole = table(np.array([0.96, 0.99, 0.2, 0.3], np.float32), np.array([True, True, False, True]))
    >>> whole["precision"], whole["coverage"]
    (100.0, 50.0)
    """
    bins = reliability(confidence, right)
    mask = confidence >= SURE
    return {
        "bins": [[b.arcs, round(b.confidence, 6), round(b.accuracy, 6)] for b in bins],
        "error": round(calibration_error(bins), 4) if bins else None,
        "precision": round(100 * float(right[mask].mean()), 2) if mask.any() else None,
        "coverage": round(100 * float(mask.mean()), 2) if len(mask) else None,
    }


def measured(
    gold: Treebank, parse: Treebank, *, convention: Convention, punctuation: bool = True
) -> dict[str, dict[str, JSON]]:
    """Compare the confidence that a parse carries with gold trees: a `table` of arcs, and one of arcs with labels."""
    rights, tokens = right_arcs(gold, parse, convention=convention), scored_words(gold, punctuation=punctuation)
    return {
        key: table(confidence_of(parse, name)[tokens], right[tokens])
        for (key, name), right in zip(COLUMNS.items(), rights, strict=True)
    }


def has_confidence(parse: Treebank) -> bool:
    """Tell whether the first token of a parse carries a confidence."""
    source, slots = parse.source, np.flatnonzero(parse.is_token)
    return source is not None and len(slots) > 0 and "Confidence=" in source.lines[int(source.line_of[slots[0]])]


def confidence_of(parse: Treebank, name: str) -> Doubles:
    """Return a number of each token in MISC, shape (n_slots,), 0 for ROOT; InputError if it is not one from 0 to 1."""
    source = parse.source
    assert source is not None, "read from a file"
    column = np.zeros(len(parse.tokens))  # as written: in single precision 0.7 is less than 0.7
    slots = np.flatnonzero(parse.is_token)
    for slot, misc in zip(slots.tolist(), source.misc(slots), strict=True):
        items = (item.partition("=") for item in misc.split("|"))
        text = next((value for key, sign, value in items if key == name and sign), None)
        try:
            number = np.nan if text is None else float(text)
        except ValueError:
            number = np.nan
        if not 0 <= number <= 1:
            found = "none" if text is None else short(f"{name}={text}")
            problem = f"expected {name}=NUMBER in MISC, a number from 0 to 1, found {found}"
            remedy = "parse or vote with --confidence" if text is None else "correct it, or parse again"
            raise parse.fault(slot, problem, remedy)
        column[slot] = number
    return column
