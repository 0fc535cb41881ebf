"""Calibration of the confidence of an ensemble.

See `treevote.evaluation.calibration`: here the confidence is fitted to one half of the sentences and measured on the
other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.ensemble.confidence import Confidence
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.calibration import table
from treevote.evaluation.counts import Convention
from treevote.store.manifest import JSON


def of(gold: Treebank, parse: Treebank, *, convention: Convention = "ud") -> dict[str, JSON]:
    """Measure the confidence of a parse: a `table` by ``"arc"`` and ``"label"``, as `cross_fitted`.

    Raises
    ------
    InputError
        If sentences differ, or a gold head is not known.
    """
    if parse.confidence is None or parse.label_confidence is None or not gold.n_tokens:
        return {}
    tokens, right = gold.is_token, right_arcs(gold, parse, convention=convention)
    return {
        "arc": table(parse.confidence[tokens], right.heads[tokens]),
        "label": table(parse.label_confidence[tokens], right.arcs[tokens]),
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
