"""Accuracy on a text without labels, as a range: from the agreement of the members, or from labelled sentences.

Confidence is calibrated on the source, and too high elsewhere; so is the accuracy that agreement alone would give, and
retraining on each other's parses makes parsers agree, right or wrong. But over domains accuracy falls as agreement does
(Baek et al. 2022, "Agreement-on-the-line"; Garg et al. 2022, "Leveraging unlabeled data to predict out-of-distribution
performance"): the log-odds of LAS fall by the fall of the log-odds of agreement, and somewhat more. How much more
differs from one domain to the next; `SHIFTS` are the ends of what was seen. An adapted model is judged by the one
before: it is as good, but for the arcs that changed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.ensemble.parser import EnsembleParser
from treevote.evaluation.agreement import agreement, arcs_of
from treevote.evaluation.intervals import moments, share
from treevote.kernels import Longs

# What an estimate is made of: agreement of members, mean confidence, labelled sentences, or an earlier estimate.
Basis = Literal["agreement", "confidence", "labels", "changes"]

# Lowest and highest shift of the log-odds of LAS over pairs of model and domain, but for 5 % (see the recipe of
# adaptation). *Agreement*: from the source to the text, beyond the shift of the agreement; *confidence*: from the mean
# confidence of a model with one member to its LAS.
SHIFTS: dict[Basis, tuple[float, float]] = {"agreement": (-0.40, 0.15), "confidence": (-1.0, 0.0)}

# Lowest and highest gain in right arcs among those that an adaptation changed, as a share of them: set by hand after
# six adaptations, whose gains were 0 to 0.09.
GAINS = -0.1, 0.3

_LEAST = 0.1  # percent: nearer to 0 and 100 nothing has log-odds


class Estimate(NamedTuple):
    """A range of LAS in percent, and what it is made of."""

    low: float
    high: float
    basis: Basis

    @property
    def las(self) -> float:
        """The middle of the range."""
        return round((self.low + self.high) / 2, 2)


class SourceScores(NamedTuple):
    """Scores of a model on the source in percent."""

    las: float
    agreement: float | None  # mean over the pairs of several members

    @staticmethod
    def of(parser: EnsembleParser) -> SourceScores | None:
        """Return the scores of a model on its development data; None if it was trained without any."""
        facts: Any = parser.facts
        if "scores" not in facts or "diversity" not in facts:
            return None
        names, table = facts["diversity"]["names"], facts["diversity"]["disagreement"]
        pairs = itertools.combinations([names.index(name) for name in parser.members if name in names], 2)
        different = [table[i][j] for i, j in pairs]
        return SourceScores(facts["scores"]["vote"]["las"], 100 - float(np.mean(different)) if different else None)


def pairwise(parses: Sequence[Treebank]) -> float | None:
    """Return the percentage of tokens with the same head and label, mean over the pairs of parses; None without any."""
    tokens = parses[0].is_token
    arcs = arcs_of(parses)
    shares = [agreement(one, other).arcs[tokens].mean() for one, other in itertools.combinations(arcs, 2)]
    return 100 * float(np.mean(shares)) if shares and tokens.any() else None


def estimate(source: SourceScores | None, agreed: float | None, confidence: float | None) -> Estimate | None:
    """Return the range of LAS on a text, given agreement of the members (preferred), or mean confidence, in percent."""
    if source is None:
        return None
    if source.agreement is not None and agreed is not None:
        return _shifted(_log_odds(source.las) - _log_odds(source.agreement) + _log_odds(agreed), "agreement")
    if confidence is not None:  # on the source it is the LAS
        return _shifted(_log_odds(confidence), "confidence")
    return None


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


def _log_odds(percent: float) -> float:
    p = min(max(percent, _LEAST), 100 - _LEAST)
    return math.log(p / (100 - p))


def _shifted(log_odds: float, basis: Basis) -> Estimate:
    low, high = (100 / (1 + math.exp(-(log_odds + shift))) for shift in SHIFTS[basis])
    return Estimate(round(low, 2), round(high, 2), basis)
