"""Calibration of the confidence of an ensemble.

See `treevote.evaluation.calibration`. A model of candidates is measured on other sentences than it was learned from:
`treevote.ensemble.candidate_model.Examples.crossed`.
"""

from __future__ import annotations

from treevote.corpus.treebank import Treebank
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.calibration import table
from treevote.evaluation.counts import Convention
from treevote.store.manifest import JSON


def of(gold: Treebank, parse: Treebank, *, convention: Convention = "ud") -> dict[str, JSON]:
    """Measure the confidence of a parse: a `table` by ``"arc"`` and ``"label"`` (both right); nothing without any.

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
