"""Traffic lights: arcs that need no look, a look, or a decision, with a stated precision.

Three parsers and a majority tell an annotator which arcs need no check ("Exploring ensemble dependency parsing to
reduce manual annotation workload", LNCS 10713); here the confidence in arc and label does. The limits are chosen on
development data: of the arcs at or above ``green`` a share of `GREEN` is right at least, they are as many as that
allows, and `FEWEST` or more; of those below ``red`` a share of `RED` at most.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.counts import Convention
from treevote.kernels import Bools, Floats
from treevote.store.manifest import JSON

GREEN, RED = 0.98, 0.6  # least precision of green arcs, largest one of red arcs, both with their labels
FEWEST = 50  # green arcs on the development data: among fewer a single error is already too many

NAMES = ("green", "yellow", "red")


class Lights(NamedTuple):
    """Least confidence of green arcs, and of those that are not red; no arc is green above 1, or red below 0."""

    green: float
    red: float

    @classmethod
    def chosen(cls, confidence: Floats, right: Bools) -> Lights:
        """Choose the limits for arcs whose right ones are known; ties of confidence fall on the same side.

        >>> confidence, right = np.array([0.9, 0.8, 0.3], np.float32), np.array([True, True, False])
        >>> Lights.chosen(confidence, right)
        Lights(green=2.0, red=0.9)
        >>> Lights.chosen(np.repeat(confidence, 25), np.repeat(right, 25))
        Lights(green=0.8, red=0.8)
        """
        order = np.argsort(-confidence, kind="stable")
        sure, hits = confidence[order].astype(np.float64).round(3), np.cumsum(right[order])
        n = np.arange(1, len(sure) + 1)
        last = np.append(sure[1:] < sure[:-1], True)  # of the arcs with its confidence
        above = np.flatnonzero(last & (hits >= GREEN * n) & (n >= FEWEST))
        green = float(sure[above[-1]]) if len(above) else 2.0
        below = np.flatnonzero(last[:-1] & (hits[-1] - hits[:-1] <= RED * (len(sure) - n[:-1])))
        red = float(sure[below[0]]) if len(below) else 0.0
        return cls(green, min(red, green))

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Lights | None:
        """Return the limits of a model; None if it has none, as one without development data."""
        limits = facts.get("lights")
        if not isinstance(limits, Mapping) or not all(isinstance(limits.get(name), float) for name in cls._fields):
            return None
        return cls(limits["green"], limits["red"])

    def of(self, confidence: float) -> str:
        """Return the light of an arc; what is given, and so has confidence 1, is green."""
        sure = round(confidence, 3)  # as it is written
        return "green" if sure >= min(self.green, 1.0) else "red" if sure < self.red else "yellow"


def measured(gold: Treebank, parse: Treebank, *, convention: Convention = "ud") -> dict[str, JSON]:
    """Choose the limits on a parse with confidence; return them, and share and precision of each light, in percent."""
    if parse.label_confidence is None or not gold.n_tokens:
        return {}
    tokens = gold.is_token
    confidence, right = parse.label_confidence[tokens], right_arcs(gold, parse, convention=convention).arcs[tokens]
    limits = Lights.chosen(confidence, right)
    shown = np.array([limits.of(sure) for sure in confidence.tolist()])
    facts: dict[str, JSON] = dict(limits._asdict())
    for name in NAMES:
        mask = shown == name
        precision = round(100 * float(right[mask].mean()), 2) if mask.any() else None
        facts[f"{name}_arcs"] = {"share": round(100 * float(mask.mean()), 2), "precision": precision}
    return facts
