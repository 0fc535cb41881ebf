"""Accuracy on a text without labels, as a range, from the agreement of the members.

Confidence is calibrated on the source, and too high elsewhere; so is the accuracy that agreement alone would give. But
over domains accuracy falls as agreement does (Baek et al. 2022, "Agreement-on-the-line"; Garg et al. 2022, "Leveraging
unlabeled data to predict out-of-distribution performance"): the log-odds of LAS fall by `SLOPE` times the fall of the
log-odds of agreement. In long sentences members have more to choose from and agree less at the same accuracy, so the
log-odds of LAS rise by `LENGTH` times the logarithm of the length. How far they are from that differs from one domain
to the next; `SHIFTS` are the ends of what was seen.
The lead of LAS over agreement is uncertain where few tokens were measured: it shrinks to a usual one, by two standard
errors at most, as members may be unusually alike or unlike; members that hardly ever differ tell nothing.
The standard error of the LAS of a text of so many tokens widens the range on both sides.
Agreement is the share of tokens to which all members give the same head and label.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.ensemble.parser import EnsembleParser
from treevote.kernels import Bools

# What an estimate is made of: agreement of members, mean confidence, labelled sentences, or an earlier estimate.
Basis = Literal["agreement", "confidence", "labels", "changes"]

# Lowest and highest shift of the log-odds of LAS over pairs of model and domain, but for 5 % (see the recipe of
# adaptation). *Agreement*: from the source to the text, beyond what the agreement tells; *confidence*: from the mean
# confidence of a model, with one member or with members that hardly ever differ, to its LAS.
SHIFTS: dict[Basis, tuple[float, float]] = {"agreement": (-0.30, 0.14), "confidence": (-1.0, 0.0)}

SLOPE = 1.2
"""Change of the log-odds of LAS from the source to a text, over that of the log-odds of agreement."""

LENGTH = 0.13
"""Change of the log-odds of LAS at the same agreement, over that of the logarithm of the mean length of sentences."""

_LONGER = 3.0  # by this factor at most sentences count as longer or shorter: beyond, a text is not split into sentences

# The usual lead of LAS over agreement on the source, as log-odds, for each member but the first; and the number of
# development tokens that weigh as much as it; it moves the measured lead by PULL standard errors of the LAS at most.
LEAD, FEW, PULL = 0.13, 3000, 2.0

_ALIKE = 99.0  # percent of agreement on the source, from which that on a text tells nothing

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
    agreement: float | None  # of several members
    tokens: int = 0
    members: int = 2
    length: float | None = None  # mean number of tokens in a sentence

    @property
    def lead(self) -> float:
        """The lead of LAS over agreement as log-odds, the nearer to a usual one the fewer the tokens."""
        assert self.agreement is not None
        measured, usual = log_odds(self.las) - log_odds(self.agreement), LEAD * (self.members - 1)
        most = PULL * standard_error(self.las / 100, self.tokens) if self.tokens else math.inf
        pull = (usual - measured) * FEW / (self.tokens + FEW)
        return measured + min(max(pull, -most), most)

    @staticmethod
    def of(parser: EnsembleParser) -> SourceScores | None:
        """Return the scores of a model on its development data; None without any, or if its facts are forged."""
        facts: Any = parser.facts
        agreement, tokens, sentences = (parser.familiarity.get(name) for name in ("agreement", "tokens", "sentences"))
        if not isinstance(agreement, float | None) or not isinstance(tokens, int) or tokens < 1:
            return None
        try:
            las = float(facts["scores"]["vote"]["las"])
        except (LookupError, TypeError, ValueError):
            return None
        n, length = len(parser.members), tokens / sentences if isinstance(sentences, int) and sentences > 0 else None
        is_telling = n > 1 and agreement is not None and agreement < _ALIKE
        return SourceScores(las, agreement if is_telling else None, tokens, n, length)


def all_agree(parse: Treebank) -> Bools | None:
    """Return a mask of the tokens of a vote on whose head and label all members agree; None for one parser alone."""
    if parse.support is None or parse.label_support is None:
        return None
    return np.asarray((parse.support == 1) & (parse.label_support == 1))


def estimate(
    source: SourceScores | None, agreed: float | None, confidence: float | None, tokens: int, sentences: int = 0
) -> Estimate | None:
    """Return the range of LAS on a text of so many tokens and sentences; 0 sentences: their length is not known.

    It needs the agreement of the members (preferred), or the mean confidence, in percent.
    """
    if source is None:
        return None
    if source.agreement is not None and agreed is not None:
        change = SLOPE * (log_odds(agreed) - log_odds(source.agreement))
        if sentences and tokens and source.length:
            longer = tokens / sentences / source.length
            change += LENGTH * math.log(min(max(longer, 1 / _LONGER), _LONGER))
        return _shifted(source.lead + log_odds(source.agreement) + change, "agreement", tokens)
    if confidence is not None:  # on the source it is the LAS
        return _shifted(log_odds(confidence), "confidence", tokens)
    return None


def log_odds(percent: float) -> float:
    """Return the log-odds of a percentage."""
    p = min(max(percent, _LEAST), 100 - _LEAST)
    return math.log(p / (100 - p))


def standard_error(share: float, tokens: float) -> float:
    """Return the standard error of the log-odds of a share of so many independent tokens."""
    return 1 / math.sqrt(tokens * max(share * (1 - share), 0.01))


def _shifted(log_odds: float, basis: Basis, tokens: int) -> Estimate:
    error = standard_error(1 / (1 + math.exp(-log_odds)), tokens)
    down, up = SHIFTS[basis]
    low, high = (100 / (1 + math.exp(-(log_odds + shift))) for shift in (down - error, up + error))
    return Estimate(round(low, 2), round(high, 2), basis)
