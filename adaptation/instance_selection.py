"""Selection of the parsed sentences of the new domain that join the training data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from treevote.kernels import Bools, Doubles, Longs
from treevote.settings import Count, Interval, Settings

LENGTHS = (5, 10, 15, 20, 25, 30, 40, 60)
"""Upper ends of the bins of sentence length that are balanced; one more bin above."""


@dataclass(frozen=True)
class InstanceSelection(Settings):
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

    min_agreement: Annotated[float, Interval(0, 1)] = 1.0
    min_confidence: Annotated[float, Interval(0, 1)] = 0.0
    max_length: Count = 200
    balanced: bool = False

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
