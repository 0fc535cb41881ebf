"""Which parsed sentences of the new domain join the training data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from treevote.errors import ConfigError, unknown
from treevote.kernels import Bools, Doubles, Longs

Keep = Literal["identical", "share", "all"]

LENGTHS = (5, 10, 15, 20, 25, 30, 40, 60)
"""Upper ends of the bins of sentence length that are balanced; one more bin above."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What is kept of what was parsed.

    Attributes
    ----------
    keep : {"identical", "share", "all"}
        Sentences on which the judges agree wholly; those on which they agree on a share of the tokens; or all.
    share : float
        For ``"share"``: the least share of tokens, 0..1.
    confidence : float
        The least mean confidence of the arcs of a sentence, 0..1.
    longest : int
        Sentences with more tokens are not kept.
    balanced : bool
        Whether as large a part is kept of long sentences as of short ones: of each range of lengths the sentences
        with most agreement, as many in proportion as ``keep`` would keep of all. Parsers agree on short sentences more
        often, and a treebank of short sentences teaches little about long ones.
    """

    keep: Keep = "identical"
    share: float = 0.8
    confidence: float = 0.0
    longest: int = 200
    balanced: bool = False

    def __post_init__(self) -> None:
        if self.keep not in get_args(Keep):
            raise unknown("keep", self.keep, get_args(Keep))
        for name, value in (("share", self.share), ("confidence", self.confidence)):
            if not 0 <= value <= 1:
                raise ConfigError(f"{name} should be in 0..1, found {value}")
        if self.longest < 1:
            raise ConfigError(f"longest should be at least 1, found {self.longest}")

    def of(self, lengths: Longs, agreed: Doubles, confidence: Doubles) -> Bools:
        """Return which sentences are kept.

        Parameters
        ----------
        lengths : ndarray of int64, shape (n_sentences,)
            Tokens.
        agreed : ndarray of float64, shape (n_sentences,)
            Share of the tokens on which the judges agree.
        confidence : ndarray of float64, shape (n_sentences,)
            Mean confidence of the arcs.

        Returns
        -------
        ndarray of bool, shape (n_sentences,)

        Examples
        --------
        >>> lengths, agreed = np.array([3, 4, 30, 40]), np.array([1.0, 0.5, 0.9, 0.8])
        >>> Choice().of(lengths, agreed, np.ones(4)).tolist()
        [True, False, False, False]
        >>> Choice("share", 0.85).of(lengths, agreed, np.ones(4)).tolist()
        [True, False, True, False]
        """
        least = {"identical": 1.0, "share": self.share, "all": 0.0}[self.keep]
        usable = (lengths > 0) & (lengths <= self.longest) & (confidence >= self.confidence)
        kept = usable & (agreed >= least)
        if not self.balanced or not usable.any():
            return kept
        part = kept.sum() / usable.sum()
        bins = np.searchsorted(LENGTHS, lengths)
        balanced = np.zeros(len(lengths), np.bool_)
        for b in range(len(LENGTHS) + 1):
            own = np.flatnonzero(usable & (bins == b))
            best = own[np.lexsort((own, -confidence[own], -agreed[own]))]
            balanced[best[: round(part * len(own))]] = True
        return balanced
