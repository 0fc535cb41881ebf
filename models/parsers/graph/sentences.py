"""Sentences as arrays for the kernels of a graph-based parser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from treevote.corpus.folds import runs_of
from treevote.kernels import Ints, Longs
from treevote.models.learning.features.lexicon import WordColumns

BATCH_CELLS = 1 << 19  # maximum sum of the squared lengths of a batch: cells of masks, 2 bytes each


class Sentences(NamedTuple):
    """Sentences to learn from or to parse: ``heads`` are the gold ones, or given ones and receive those that are found.

    ``projective`` and ``single_root`` restrict the trees.
    """

    words: WordColumns
    tokens: Ints  # shape (n_slots,)
    heads: Ints
    offsets: Longs  # shape (n_sentences + 1,)
    projective: bool
    single_root: bool

    def select(self, sentences: Longs) -> Sentences:
        """Return some of the sentences."""
        lengths = np.diff(self.offsets)[sentences]
        offsets = np.append(0, np.cumsum(lengths, dtype=np.int64))
        slots = np.repeat(self.offsets[:-1][sentences] - offsets[:-1], lengths) + np.arange(int(offsets[-1]))
        return self._replace(tokens=self.tokens[slots], heads=self.heads[slots], offsets=offsets)

    def batches(self) -> Iterator[Sentences]:
        """Yield consecutive sentences; unless it is one, the masks of their arcs take `BATCH_CELLS` at most."""
        cells = np.append(0, np.cumsum(np.diff(self.offsets) ** 2))
        for begin, end in runs_of(cells, BATCH_CELLS):
            first, last = self.offsets[begin], self.offsets[end]
            offsets = self.offsets[begin : end + 1] - first
            yield self._replace(tokens=self.tokens[first:last], heads=self.heads[first:last], offsets=offsets)
