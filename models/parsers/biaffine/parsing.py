"""Parsing with a trained network: the best tree by the scores of arcs, then the best label of each arc."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Ints, Longs
from treevote.models.learning.network.encoder import encodings
from treevote.models.learning.network.parameters import Arrays
from treevote.models.learning.network.words import Words
from treevote.models.parsers.biaffine.scorer import Representations, arc_dependents, score_arcs, score_labels
from treevote.models.parsers.decoding.best_tree import decode, restrict


class Restrictions(NamedTuple):
    """What trees and labels are possible: the labels of arcs from ROOT, and those of all others."""

    projective: bool
    single_root: bool
    to_root: Bools  # shape (n_labels,)
    to_token: Bools


def find_trees(
    p: Arrays,
    words: Words,
    tokens: Longs,
    offsets: Longs,
    rooted: Bools,
    restrictions: Restrictions,
    given: Ints,
    lifted: Bools,
) -> tuple[Ints, Ints]:
    """Return heads, as positions in the sentence, and numbers of labels; both -1 for ROOT.

    ``given`` heads are kept, and their arcs have no ``lifted`` label; -1 where they are free.

    ``tokens`` are rows in ``words``. Where a sentence is not ``rooted``, shape (n_sentences,), it is a piece of another
    one, and the arcs from ROOT get the labels of others. Ties of labels go to the first one.
    """
    heads, labels = given.copy(), np.full(len(tokens), -1, np.int32)
    for sentences, offsets_of_words, found in _read(p, words, tokens, offsets):
        dependents = arc_dependents(p, found)
        for i, sentence in enumerate(sentences.tolist()):
            first, last = offsets_of_words[i : i + 2].tolist()
            own = slice(int(offsets[sentence]), int(offsets[sentence + 1]))
            scores = score_arcs(dependents[first:last], found.arc_heads[first:last])
            restrict(scores, heads[own])
            decode(scores, restrictions.projective, restrictions.single_root, heads[own])
            to = heads[own][1:]
            label_scores, _ = score_labels(p, found.label_dependents[first + 1 : last], found.label_heads[first + to])
            from_root = (to == 0) & rooted[sentence]
            allowed = np.where(from_root[:, None], restrictions.to_root, restrictions.to_token)
            allowed &= ~(lifted & (given[own][1:] >= 0)[:, None])
            labels[own][1:] = np.where(allowed, label_scores, -np.inf).argmax(1)
    return heads, labels


def _read(p: Arrays, words: Words, tokens: Longs, offsets: Longs) -> Iterator[tuple[Longs, Longs, Representations]]:
    """Yield for each batch its sentences, their offsets, and the representations of their words."""
    for batch, h in encodings(p, words, tokens, offsets):
        yield batch.sentences, batch.offsets, Representations.of(p, h[batch.rows], None)
