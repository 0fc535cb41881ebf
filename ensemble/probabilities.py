"""Probabilities of the candidates of a vote: the trees that they make, and the confidence of any trees.

An arc weighs the probability of its head plus that of its best label, so the heaviest tree has the highest expected
number of right heads and labels. The same probabilities are the confidence in trees from any vote, recalibrated where
that is known to be better.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.ensemble.candidates import Candidates
from treevote.ensemble.vote import Ballots, arc_weights, heaviest_trees, with_support
from treevote.ensemble.weights import UNIT, Weights
from treevote.kernels import Doubles, Ints, kernel

LEAST = 0.001
"""Minimum distance of a confidence from 0 and 1; that of an arc or a label that no system proposes is the least."""


class Probabilities(NamedTuple):
    """The probability of each candidate.

    Attributes
    ----------
    treebank : Treebank
        The sentences.
    ballots : Ballots
    candidates : Candidates
    values : ndarray of float64, shape (n_candidates,)
        Those of a token sum to less than one: perhaps all are wrong.
    sure : ndarray of float64, shape (n_candidates,)
        The same, recalibrated for the confidence.
    """

    treebank: Treebank
    ballots: Ballots
    candidates: Candidates
    values: Doubles
    sure: Doubles

    def vote(self, *, single_root: bool) -> Treebank:
        """Return the trees with the highest expected number of right heads and labels, with support and confidence.

        ``single_root`` is that of `treevote.ensemble.vote.vote`; support is that of an equal vote.
        """
        heads, deprels, _ = self.ballots
        arc, best, label = self._of_arcs(heads, deprels, self.values)
        weight, labelled = (np.maximum(np.rint(UNIT * votes), 1).astype(np.int64) for votes in (arc + best, label))
        voted, winner = heaviest_trees(self.treebank, self.ballots, weight, labelled, single_root=single_root)
        table = Weights.equal(len(heads)).table(self.treebank)
        voted = with_support(voted, self.ballots, table, *arc_weights(heads, deprels, table), winner)
        return self.confident(voted)

    def confident(self, voted: Treebank) -> Treebank:
        """Return trees of the same sentences with the probability of each arc, and of arc and label together."""
        numbers = {label: number for number, label in enumerate(self.ballots.labels)}
        deprels = np.array([*(numbers.get(label, -1) for label in voted.labels), -1], np.int32)[voted.deprels]
        arc, _, label = (shares[0] for shares in self._of_arcs(voted.heads[None], deprels[None], self.sure))
        sure = [np.where(voted.heads < 0, 0, each.clip(LEAST, 1 - LEAST)).astype(np.float32) for each in (arc, label)]
        return dataclasses.replace(voted, confidence=sure[0], label_confidence=sure[1])

    def _of_arcs(self, heads: Ints, deprels: Ints, values: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        """Return the results of `arc_probabilities`."""
        arc, best, label = (np.zeros(heads.shape) for _ in range(3))
        arc_probabilities(
            self.ballots.heads, self.ballots.deprels, self.candidates, values, heads, deprels, arc, best, label
        )
        return arc, best, label


@kernel
def arc_probabilities(
    heads: Ints,
    deprels: Ints,
    candidates: Candidates,
    probabilities: Doubles,
    own_heads: Ints,
    own_deprels: Ints,
    arc: Doubles,
    best: Doubles,
    label: Doubles,
) -> None:
    """Write for each own head its probability, that of its best label, and that of head and own label.

    ``heads`` and ``deprels`` are the votes that the candidates are from; the others have the shape (n, n_slots).
    """
    slots, systems, named = candidates
    for c in range(len(slots)):
        slot, a = slots[c], systems[c]
        for b in range(len(own_heads)):
            if own_heads[b, slot] == heads[a, slot]:
                arc[b, slot] += probabilities[c]
                if named[c]:
                    best[b, slot] = max(best[b, slot], probabilities[c])
                    if own_deprels[b, slot] == deprels[a, slot]:
                        label[b, slot] = probabilities[c]
