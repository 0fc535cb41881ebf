"""Calibration of the confidence of an ensemble.

Nine in ten of the arcs with confidence near 0.9 should be right. A table of reliability compares confidence and
accuracy, and the expected calibration error is their mean difference (Naeini, Cooper & Hauskrecht 2015, "Obtaining well
calibrated probabilities using Bayesian binning").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.ensemble.confidence import Confidence
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.counts import Convention
from treevote.kernels import Bools, Floats
from treevote.store.manifest import JSON


class Bin(NamedTuple):
    """The arcs of a range of confidence: their number, mean confidence and accuracy."""

    arcs: int
    confidence: float
    accuracy: float


def reliability(confidence: Floats, right: Bools, n_bins: int = 10) -> list[Bin]:
    """Return the arcs by ranges of confidence of equal width; empty ranges are left out.

    Parameters
    ----------
    confidence : ndarray of float32, shape (n,)
    right : ndarray of bool, shape (n,)
    n_bins : int, default=10

    Examples
    --------
    >>> bins = reliability(np.array([0.95, 0.99, 0.2], np.float32), np.array([True, True, False]))
    >>> [(b.arcs, round(b.confidence, 2), b.accuracy) for b in bins]
    [(1, 0.2, 0.0), (2, 0.97, 1.0)]
    """
    place = np.minimum((confidence * n_bins).astype(np.int64), n_bins - 1)
    return [
        Bin(int(mask.sum()), float(confidence[mask].mean(dtype=np.float64)), float(right[mask].mean()))
        for b in range(n_bins)
        if (mask := place == b).any()
    ]


def calibration_error(bins: Sequence[Bin]) -> float:
    """Return the expected calibration error: the mean distance of confidence and accuracy over all arcs.

    Examples
    --------
    >>> calibration_error([Bin(1, 0.25, 0.5), Bin(3, 1.0, 1.0)])
    0.0625
    """
    return sum(b.arcs * abs(b.confidence - b.accuracy) for b in bins) / max(1, sum(b.arcs for b in bins))


def table(confidence: Floats, right: Bools, least: float = 0.95) -> dict[str, JSON]:
    """Return bins, calibration error, and precision and coverage (percent) of the arcs with a least confidence.

    Examples
    --------
    >>> whole = table(np.array([0.96, 0.99, 0.2, 0.3], np.float32), np.array([True, True, False, True]))
    >>> whole["precision"], whole["coverage"]
    (100.0, 50.0)
    """
    bins = reliability(confidence, right)
    mask = confidence >= least
    return {
        "bins": [[b.arcs, round(b.confidence, 4), round(b.accuracy, 4)] for b in bins],
        "error": round(calibration_error(bins), 4),
        "precision": round(100 * float(right[mask].mean()), 2) if mask.any() else None,
        "coverage": round(100 * float(mask.mean()), 2) if len(mask) else None,
    }


def cross_fitted(
    gold: Treebank, systems: Sequence[Treebank], voted: Treebank, *, convention: Convention = "ud"
) -> dict[str, JSON]:
    """Measure confidence by cross-validation on two halves: every other sentence, and the rest.

    Parameters are those of `Confidence.fit`. Return a `table` by ``"arc"`` and ``"label"`` (arc and label together), or
    nothing if a half has no token.
    """
    even = np.arange(gold.n_sentences) % 2 == 0
    halves = [np.flatnonzero(even), np.flatnonzero(~even)]
    if not all(gold.select(half).n_tokens for half in halves):
        return {}
    columns = []
    for fit, held_out in (halves, halves[::-1]):
        fitted = Confidence.fit(
            gold.select(fit), [s.select(fit) for s in systems], voted.select(fit), convention=convention
        )
        trees = voted.select(held_out)
        confidences = fitted.of([s.select(held_out) for s in systems], trees)
        rights = right_arcs(gold.select(held_out), trees, convention=convention)
        columns.append([column[trees.is_token] for column in (*confidences, *rights)])
    arc, label, arc_right, label_right = (np.concatenate(pair) for pair in zip(*columns, strict=True))
    return {"arc": table(arc, arc_right), "label": table(label, label_right)}
