"""Near-duplicates: sentences that have many pairs of neighbouring forms in common, whatever their tags.

A sentence of a pairs and a near-duplicate of b pairs have at least c in common. So one of the a - c + 1 rarest pairs of
the sentence is among them, and only the sentences that have one of these are compared with it (the prefix filter;
Bayardo, Ma & Srikant 2007, "Scaling up all pairs similarity search"). Pairs that nearly all sentences have, such as a
word before the full stop, are hardly ever looked up.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.evaluation.counts import form_numbers

SIMILAR = 0.5  # share of common pairs of neighbouring words, of all pairs of both, that makes a near-duplicate


class DistinctSentences:
    """Sentences of a treebank, no two of which are near-duplicates."""

    def __init__(self, treebank: Treebank) -> None:
        forms = form_numbers(treebank, str, {}).astype(np.int64) + 1  # 0 is ROOT
        ending_here = np.roll(forms, 1) * (len(treebank.words) + 1) + forms  # the first word stands beside ROOT
        _, numbers, counts = np.unique(ending_here, return_inverse=True, return_counts=True)
        self._pairs = np.argsort(np.argsort(counts, kind="stable"))[numbers]  # numbered from the rarest
        self._offsets = treebank.offsets
        self._with_pair: dict[int, defaultdict[int, list[frozenset[int]]]] = {}  # by the number of their pairs

    def add(self, i: int) -> bool:
        """Add a sentence unless it is a near-duplicate of one of these; tell whether it was added."""
        own = frozenset(self._rarest_first(i))
        if any(len(own & other) >= least for other, least in self.compared(i)):
            return False
        with_pair = self._with_pair.setdefault(len(own), defaultdict(list))
        for pair in own:
            with_pair[pair].append(own)
        return True

    def compared(self, i: int) -> Iterator[tuple[frozenset[int], int]]:
        """Yield the sentences that one is compared with, and how many pairs it has in common with a near-duplicate."""
        own = self._rarest_first(i)
        for n, with_pair in self._with_pair.items():
            least = math.ceil(SIMILAR * (len(own) + n) / (1 + SIMILAR))
            if least <= min(len(own), n):
                rare = own[: len(own) - least + 1]
                yield from ((other, least) for other in {other for pair in rare for other in with_pair.get(pair, ())})

    def _rarest_first(self, i: int) -> list[int]:
        numbers: list[int] = np.unique(self._pairs[self._offsets[i] + 1 : self._offsets[i + 1]]).tolist()
        return numbers
