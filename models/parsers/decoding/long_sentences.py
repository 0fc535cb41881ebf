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
    cut: Longs  # the sentences that were cut


def cut(tokens: Ints, offsets: Longs, longest: int = LONGEST) -> Pieces:
    """Cut sentences of more than ``longest`` tokens; word 0 is ROOT.

    >>> pieces = cut(np.array([0, 7, 8, 9, 0, 7], np.int32), np.array([0, 4, 6]), longest=2)
    >>> pieces.tokens.tolist(), pieces.offsets.tolist(), pieces.cut.tolist()
    ([0, 7, 8, 0, 9, 0, 7], [0, 3, 5, 7], [0])
    """
    lengths = np.diff(offsets) - 1
    n_pieces = np.maximum(1, -(-lengths // longest))
    if (n_pieces == 1).all():
        return Pieces(tokens, offsets, np.arange(len(lengths)), np.zeros(0, np.int64))
    sentence = np.repeat(np.arange(len(lengths)), n_pieces)
    number = np.arange(len(sentence)) - (np.cumsum(n_pieces) - n_pieces)[sentence]
    own = np.minimum(longest, lengths[sentence] - number * longest)
    starts = np.append(0, np.cumsum(own + 1))
    rooted = np.insert(np.delete(tokens, offsets[:-1]), np.cumsum(own) - own, 0)
    return Pieces(rooted, starts, sentence, np.flatnonzero(n_pieces > 1))


def cut_heads(pieces: Pieces, heads: Ints, offsets: Longs) -> Ints:
    """Return a copy of given heads, -1 where they are free, for the pieces; heads in other pieces are free."""
    if not len(pieces.cut):
        return heads.copy()
    own = np.full(len(pieces.tokens), -1, np.int32)
    before, last = 0, -1
    for piece, sentence in enumerate(pieces.sentence.tolist()):
        first, end = int(pieces.offsets[piece]) + 1, int(pieces.offsets[piece + 1])
        before, last = (before if sentence == last else 0), sentence
        start, n = int(offsets[sentence]) + 1 + before, end - first
        given = heads[start : start + n]
        within = ((given > before) & (given <= before + n)) | ((given == 0) & (before == 0))
        own[first:end] = np.where(within, given - before, -1)
        before += n
    return own


def join(pieces: Pieces, heads: Ints, offsets: Longs, single_root: bool) -> Ints:
    """Return the heads of sentences by those of their pieces, each of which has one root if ``single_root``.

    >>> pieces = cut(np.array([0, 7, 8, 9, 0, 7], np.int32), np.array([0, 4, 6]), longest=2)
    >>> join(pieces, np.array([-1, 2, 0, -1, 0, -1, 0], np.int32), np.array([0, 4, 6]), True).tolist()
    [-1, 2, 0, 2, -1, 0]
    """
    if not len(pieces.cut):
        return heads
    joined = np.full(offsets[-1], -1, np.int32)
    before, root, last = 0, 0, -1
    for piece, sentence in enumerate(pieces.sentence.tolist()):
        own = heads[pieces.offsets[piece] + 1 : pieces.offsets[piece + 1]]
        if sentence != last:
            before, last = 0, sentence
            root = int(np.argmax(own == 0)) + 1 if single_root and len(own) else 0
        start = offsets[sentence] + 1 + before
        joined[start : start + len(own)] = np.where(own > 0, own + before, root if before else 0)
        before += len(own)
    return joined
