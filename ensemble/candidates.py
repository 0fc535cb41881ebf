"""Candidates of a vote, the arcs that systems propose for a token, and their probabilities.

A candidate is a head with a label that some system proposes; or a head with *another label*, one that no system
proposes for it. `treevote.ensemble.candidate_features` describes them. An arc weighs the probability of its head plus
that of its best label, so the heaviest tree has the highest expected number of right heads and labels. The same
probabilities are the confidence in trees from any vote, recalibrated where that is known to be better.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from treevote.corpus.given import Given
from treevote.corpus.treebank import Treebank
from treevote.ensemble.vote import Ballots, arc_weights, heaviest_trees, with_support
from treevote.ensemble.weights import UNIT, Weights
from treevote.evaluation.calibration import LEAST
from treevote.kernels import Bools, Doubles, Ints, kernel, leaf

MAX_SYSTEMS = 60  # a set of systems is the bits of one number


class Candidates(NamedTuple):
    """The candidates of all tokens, by slot, then by the first system that proposes them; shape (n,)."""

    slots: Ints
    systems: Ints  # the first system that votes for the head, and for the label if it is named
    named: Bools  # whether the label is one of those proposed for the head

    @classmethod
    def of(cls, ballots: Ballots) -> Candidates:
        """List the candidates of a vote."""
        none = cls(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.bool_))
        size = list_candidates(ballots.heads, ballots.deprels, none)
        found = cls(np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.bool_))
        list_candidates(ballots.heads, ballots.deprels, found)
        return found


class Leaders(NamedTuple):
    """The head of each slot that most systems vote for, in a tie the first; -1, and 0 votes, where all abstain."""

    heads: Ints  # shape (n_slots,) each
    deprels: Ints  # indices of the labels; -1 where there is no head
    votes: Ints  # number of systems that vote for the head

    @classmethod
    def of(cls, ballots: Ballots) -> Leaders:
        """Find the leading heads of a vote."""
        slots = np.arange(ballots.heads.shape[1])
        systems, votes = np.empty(len(slots), np.int32), np.empty(len(slots), np.int32)
        find_leaders(ballots.heads, systems, votes)
        heads, deprels = ballots.heads[systems, slots], ballots.deprels[systems, slots]
        return cls(heads, np.where(heads < 0, np.int32(-1), deprels), votes)


class Probabilities(NamedTuple):
    """The probability of each candidate."""

    treebank: Treebank
    ballots: Ballots
    candidates: Candidates
    values: Doubles  # shape (n_candidates,); those of a token sum to less than one: perhaps all are wrong
    sure: Doubles  # the same, recalibrated for the confidence

    def vote(self, *, single_root: bool, given: Given | None = None) -> Treebank:
        """Return the trees with most expected right heads and labels, the support of an equal vote, and confidence.

        All systems have voted for the ``given`` arcs.
        """
        heads, deprels, _ = self.ballots
        arc, best, label = self._of_arcs(heads, deprels, self.values)
        weight, labelled = (np.maximum(np.rint(UNIT * votes), 1).astype(np.int64) for votes in (arc + best, label))
        voted, winner = heaviest_trees(
            self.treebank, self.ballots, weight, labelled, single_root=single_root, given=given
        )
        table = Weights.equal(len(heads)).table(self.treebank)
        voted = with_support(voted, self.ballots, table, *arc_weights(heads, deprels, table), winner)
        return self.confident(voted, given)

    def confident(self, voted: Treebank, given: Given | None = None) -> Treebank:
        """Return trees with the probability of each arc, and of arc and label together; what is given is certain."""
        numbers = {label: number for number, label in enumerate(self.ballots.labels)}
        deprels = np.array([*(numbers.get(label, -1) for label in voted.labels), -1], np.int32)[voted.deprels]
        arc, _, label = (shares[0] for shares in self._of_arcs(voted.heads[None], deprels[None], self.sure))
        free = np.zeros(len(voted.heads), np.bool_)
        head_given, label_given = (free, free) if given is None else (given.heads >= 0, given.deprels >= 0)
        label = np.where(label_given, arc, label)
        label = np.where(head_given, label / arc.clip(LEAST), label)
        arc, label = (np.where(voted.heads < 0, 0, each.clip(LEAST, 1 - LEAST)) for each in (arc, label))
        arc[head_given], label[head_given & label_given] = 1, 1
        return dataclasses.replace(voted, confidence=arc.astype(np.float32), label_confidence=label.astype(np.float32))

    def _of_arcs(self, heads: Ints, deprels: Ints, values: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        arc, best, label = (np.zeros(heads.shape) for _ in range(3))
        arc_probabilities(
            self.ballots.heads, self.ballots.deprels, self.candidates, values, heads, deprels, arc, best, label
        )
        return arc, best, label


@leaf
def is_first(heads: Ints, deprels: Ints, slot: int, a: int, named: bool) -> bool:
    """Tell whether no earlier system votes for the same head, or for the same head and label."""
    for b in range(a):
        if heads[b, slot] == heads[a, slot] and (not named or deprels[b, slot] == deprels[a, slot]):
            return False
    return True


@kernel
def list_candidates(heads: Ints, deprels: Ints, candidates: Candidates) -> int:
    """Write the candidates if there is room for all, and return their number."""
    slots, systems, names = candidates
    size = 0
    for slot in range(heads.shape[1]):
        for a in range(len(heads)):
            for named in (False, True):
                if heads[a, slot] >= 0 and is_first(heads, deprels, slot, a, named):
                    if size < len(slots):
                        slots[size], systems[size], names[size] = slot, a, named
                    size += 1
    return size


@kernel
def find_leaders(heads: Ints, systems: Ints, votes: Ints) -> None:
    """Write for each slot the first system with the head that has most votes, and their number; 0 and 0 for none."""
    for slot in range(heads.shape[1]):
        systems[slot] = votes[slot] = 0
        for a in range(len(heads)):
            count = 0
            for b in range(len(heads)):
                count += int(heads[a, slot] >= 0 and heads[a, slot] == heads[b, slot])
            if count > votes[slot]:
                systems[slot], votes[slot] = a, count


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
    """Write the probability of each own head, of its most probable label, and of head and own label together.

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
