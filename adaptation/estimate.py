"""Accuracy of an adapted model on its text, as a range: from labelled sentences, or from that of the model before.

Retraining on each other's parses makes parsers agree, right or wrong, so an adapted model is judged by the one before
(`treevote.ensemble.estimate`): it is as good, but for the arcs that changed.
"""

from __future__ import annotations

from collections.abc import Mapping

from treevote.ensemble.estimate import Estimate
from treevote.evaluation.intervals import moments, share
from treevote.kernels import Longs

# Lowest and highest gain in right arcs among those that an adaptation changed, as a share of them: set by hand after
# six adaptations, whose gains were 0 to 0.09.
GAINS = -0.1, 0.3


def of_labels(counts: Mapping[str, Longs]) -> Estimate | None:
    """Return LAS on labelled sentences with its 95 % interval; counts are those of one parse, by sentence."""
    rate = share(moments(counts["arcs"], counts["tokens"]))
    if rate.low is None or rate.high is None:
        return None
    return Estimate(round(rate.low, 2), round(rate.high, 2), "labels")


def after_changes(before: Estimate, changed: float) -> Estimate:
    """Return the range for an adapted model: that of the model before, and the possible gain of the changed arcs.

    ``changed`` is the percentage of tokens with another head or label than before.
    """
    low, high = (end + share * changed for end, share in zip(before[:2], GAINS, strict=True))
    return Estimate(round(max(low, 0.0), 2), round(min(high, 100.0), 2), "changes")
