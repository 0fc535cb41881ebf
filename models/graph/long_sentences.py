"""Sentences that are too long to be parsed at once: time and memory of a graph-based parser are not linear.

They are cut into pieces of ``LONGEST`` tokens, the last one shorter, and each is parsed as a sentence of its own. The
roots of the first piece stay roots. Those of the others stay roots if there may be several; if not, their head is the
root of the first piece.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Ints, Longs

LONGEST = 500
"""The most tokens of a sentence that is parsed at once, or learned from.

With 8 candidate heads for each token, the second-order search for one of 500 tokens takes some 40 milliseconds and 20
megabytes; both grow with the square of its length, and the time with the square of the number of candidates, too.
"""


class Pieces(NamedTuple):
    """Sentences and pieces of long sentences.

    Attributes
    ----------
    tokens : ndarray of int32, shape (n_slots + additional ROOT slots,)
    offsets : ndarray of int64, shape (n_pieces + 1,)
    sentence : ndarray of int64, shape (n_pieces,)
        The sentence of each piece.
    cut : ndarray of int64
        The sentences that were cut.
    """

    tokens: Ints
    offsets: Longs
    sentence: Longs
    cut: Longs


def cut(tokens: Ints, offsets: Longs, longest: int = LONGEST) -> Pieces:
    """Cut sentences of more than ``longest`` tokens; word 0 is ROOT.

    Examples
    --------
    >>> pieces = cut(np.array([0, 7, 8, 9, 0, 7], np.int32), np.array([0, 4, 6]), longest=2)
    >>> pieces.tokens.tolist(), pieces.offsets.tolist(), pieces.cut.tolist()
    ([0, 7, 8, 0, 9, 0, 7], [0, 3, 5, 7], [0])
    """
    lengths = np.diff(offsets) - 1
    n_pieces = np.maximum(1, -(-lengths // longest))
    if (n_pieces == 1).all():
        return Pieces(tokens, offsets, np.arange(len(lengths)), np.zeros(0, np.int64))
    sentence = np.repeat(np.arange(len(lengths)), n_pieces)
    first = np.cumsum(n_pieces) - n_pieces
    number = np.arange(len(sentence)) - first[sentence]
    own = np.minimum(longest, lengths[sentence] - number * longest)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(own + 1)])
    new_tokens = np.zeros(starts[-1], np.int32)
    is_token = np.ones(starts[-1], np.bool_)
    is_token[starts[:-1]] = False
    old = np.ones(len(tokens), np.bool_)
    old[offsets[:-1]] = False
    new_tokens[is_token] = tokens[old]
    return Pieces(new_tokens, starts, sentence, np.flatnonzero(n_pieces > 1))


def join(pieces: Pieces, heads: Ints, offsets: Longs, single_root: bool) -> Ints:
    """Return the heads of the sentences that were cut.

    Parameters
    ----------
    pieces : Pieces
    heads : ndarray of int32, shape (len(pieces.tokens),)
        Trees over the pieces, each with one root if ``single_root``.
    offsets : ndarray of int64, shape (n_sentences + 1,)
        Offsets of the sentences.
    single_root : bool

    Examples
    --------
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
