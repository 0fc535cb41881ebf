"""Sentences as the kernels of a graph-based parser see them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Ints, Longs
from treevote.models.features.lexicon import WordColumns


class Sentences(NamedTuple):
    """Sentences to learn from, or to parse.

    Attributes
    ----------
    tokens : ndarray of int32, shape (n_slots,)
    heads : ndarray of int32, shape (n_slots,)
        Those of the gold trees, or room for those to be found.
    offsets : ndarray of int64, shape (n_sentences + 1,)
    projective, single_root : bool
        The kind of the trees.
    """

    words: WordColumns
    tokens: Ints
    heads: Ints
    offsets: Longs
    projective: bool
    single_root: bool

    def select(self, sentences: Longs) -> Sentences:
        """Return some of the sentences."""
        lengths = np.diff(self.offsets)[sentences]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
        slots = np.repeat(self.offsets[:-1][sentences] - offsets[:-1], lengths) + np.arange(int(offsets[-1]))
        return self._replace(tokens=self.tokens[slots], heads=self.heads[slots], offsets=offsets)
