"""Long sentences are parsed in pieces, where time and memory are not linear.

Sentences of more than ``LONGEST`` tokens are cut into pieces of so many, each parsed as a sentence of its own. The
roots of the first piece stay roots. Those of the others stay roots if there may be several; if not, their head is the
root of the first piece.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Ints, Longs

LONGEST = 500
"""The most tokens of a sentence that is parsed at once, or learned from: the second order takes 40 ms and 20 MB."""


class Pieces(NamedTuple):
    """Sentences and pieces of long sentences, as tokens and offsets with a ROOT slot for each."""

    tokens: Ints
    offsets: Longs
    sentence: Longs  # shape (n_pieces,): the sentence of each piece
    before: Longs  # shape (n_pieces,): the tokens of the sentence before the piece
    n_cut: int  # number of sentences that were cut


def cut(tokens: Ints, offsets: Longs, longest: int = LONGEST) -> Pieces:
    """Cut sentences of more than ``longest`` tokens; word 0 is ROOT.

    >>> pieces = cut(np.array([0, 7, 8, 9, 0, 7], np.int32), np.array([0, 4, 6]), longest=2)
    >>> pieces.tokens.tolist(), pieces.offsets.tolist(), pieces.n_cut
    ([0, 7, 8, 0, 9, 0, 7], [0, 3, 5, 7], 1)
    """
    lengths = np.diff(offsets) - 1
    n_pieces = np.maximum(1, -(-lengths // longest))
    sentence = np.repeat(np.arange(len(lengths)), n_pieces)
    before = longest * (np.arange(len(sentence)) - (np.cumsum(n_pieces) - n_pieces)[sentence])
    own = np.minimum(longest, lengths[sentence] - before)
    rooted = np.insert(np.delete(tokens, offsets[:-1]), np.cumsum(own) - own, 0)
    return Pieces(rooted, np.append(0, np.cumsum(own + 1)), sentence, before, int((n_pieces > 1).sum()))


def cut_heads(pieces: Pieces, heads: Ints, offsets: Longs) -> Ints:
    """Return a copy of given heads, -1 where they are free, for the pieces; heads in other pieces are free."""
    own = np.diff(pieces.offsets) - 1
    before, end = np.repeat(pieces.before, own), np.repeat(pieces.before + own, own)
    given = np.delete(heads, offsets[:-1])
    within = ((given > before) & (given <= end)) | ((given == 0) & (before == 0))
    return np.insert(np.where(within, given - before, -1).astype(np.int32), np.cumsum(own) - own, -1)


def join(pieces: Pieces, heads: Ints, offsets: Longs, single_root: bool) -> Ints:
    """Return the heads of sentences by those of their pieces, each of which has one root if ``single_root``.

    >>> pieces = cut(np.array([0, 7, 8, 9, 0, 7], np.int32), np.array([0, 4, 6]), longest=2)
    >>> join(pieces, np.array([-1, 2, 0, -1, 0, -1, 0], np.int32), np.array([0, 4, 6]), True).tolist()
    [-1, 2, 0, 2, -1, 0]
    """
    own, starts = np.diff(pieces.offsets) - 1, offsets[:-1] - np.arange(len(offsets) - 1)  # without ROOT slots
    before, sentence = np.repeat(pieces.before, own), np.repeat(pieces.sentence, own)
    found, roots = np.delete(heads, pieces.offsets[:-1]), np.zeros(len(starts), np.int64)  # roots of first pieces
    if single_root:
        first = np.flatnonzero((found == 0) & (before == 0))
        roots[sentence[first]] = first + 1 - starts[sentence[first]]
    joined = np.where(found > 0, found + before, np.where(before > 0, roots[sentence], 0))
    return np.insert(joined.astype(np.int32), starts, -1)
