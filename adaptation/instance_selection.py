"""Selection of the parsed sentences of the new domain that join the training data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treevote.errors import ConfigError
from treevote.kernels import Bools, Doubles, Longs

LENGTHS = (5, 10, 15, 20, 25, 30, 40, 60)
"""Upper ends of the bins of sentence length that are balanced; one more bin above."""


@dataclass(frozen=True, slots=True)
class InstanceSelection:
    """Criteria for the selection of sentences.

    Attributes
    ----------
    min_agreement : float
        Least share of tokens on which the committee agrees, 0..1: 1 for identical parses, 0 for all sentences.
    min_confidence : float
        Least mean confidence of the arcs of a sentence, 0..1.
    max_length : int
        Maximum number of tokens of a sentence.
    balanced : bool
        Selection of the same proportion in each range of lengths: the sentences with the highest agreement, in the
        proportion that ``min_agreement`` gives for the whole text. Parsers agree on short sentences more often, and a
        treebank of short sentences teaches little about long ones.
    """

    min_agreement: float = 1.0
    min_confidence: float = 0.0
    max_length: int = 200
    balanced: bool = False

    def __post_init__(self) -> None:
        for name, value in (("min_agreement", self.min_agreement), ("min_confidence", self.min_confidence)):
            if not 0 <= value <= 1:
                raise ConfigError(f"{name} should be in 0..1, found {value}")
        if self.max_length < 1:
            raise ConfigError(f"max_length should be at least 1, found {self.max_length}")

    def of(self, lengths: Longs, agreed: Doubles, confidence: Doubles) -> Bools:
        """Return a mask of the selected sentences.

        The arguments are those of `treevote.adaptation.judging.Annotation`; all shapes are (n_sentences,).

        Examples
        --------
        >>> lengths, agreed = np.array([3, 4, 30, 40]), np.array([1.0, 0.5, 0.9, 0.8])
        >>> InstanceSelection().of(lengths, agreed, np.ones(4)).tolist()
        [True, False, False, False]
        >>> InstanceSelection(0.85).of(lengths, agreed, np.ones(4)).tolist()
        [True, False, True, False]
        """
        usable = (lengths > 0) & (lengths <= self.max_length) & (confidence >= self.min_confidence)
        kept = usable & (agreed >= self.min_agreement)
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
