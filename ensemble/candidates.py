"""Candidates of a vote: the arcs that systems propose for a token.

A candidate is a head with a label that some system proposes; or a head with *another label*, one that no system
proposes for it. `treevote.ensemble.candidate_features` describes them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.ensemble.vote import Ballots
from treevote.kernels import Bools, Ints, kernel, leaf

MAX_SYSTEMS = 60
"""Maximum number of systems: a set of them is the bits of one number."""


class Candidates(NamedTuple):
    """The candidates of all tokens, by slot, then by the first system that proposes them.

    Attributes
    ----------
    slots : ndarray of int32, shape (n,)
    systems : ndarray of int32, shape (n,)
        The first system that votes for the head, and for the label if it is named.
    named : ndarray of bool, shape (n,)
        Whether the label is one of those proposed for the head.
    """

    slots: Ints
    systems: Ints
    named: Bools

    @classmethod
    def of(cls, ballots: Ballots) -> Candidates:
        """List the candidates of a vote.

        Examples
        --------
        >>> from treevote.corpus.treebank import Treebank
        >>> one = Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj", "root"])])
        >>> two = Treebank.of([(["dogs", "bark"], [2, 0], ["obj", "root"])])
        >>> [column.tolist() for column in Candidates.of(Ballots.of([one, two]))[:2]]
        [[1, 1, 1, 2, 2], [0, 0, 1, 0, 0]]
        """
        size = list_candidates(ballots.heads, ballots.deprels, cls.empty(0))
        candidates = cls.empty(size)
        list_candidates(ballots.heads, ballots.deprels, candidates)
        return candidates

    @classmethod
    def empty(cls, size: int) -> Candidates:
        """Return columns for ``size`` candidates."""
        return cls(np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.bool_))


class Leaders(NamedTuple):
    """The leading head of each slot, see `ATTRIBUTES`; -1, and 0 votes, where all abstain.

    Attributes
    ----------
    heads, deprels, votes : ndarray of int32, shape (n_slots,)
        Head, index of the label, and number of the systems that vote for the head.
    """

    heads: Ints
    deprels: Ints
    votes: Ints

    @classmethod
    def of(cls, ballots: Ballots) -> Leaders:
        """Find the leading heads of a vote."""
        slots = np.arange(ballots.heads.shape[1])
        systems, votes = np.empty(len(slots), np.int32), np.empty(len(slots), np.int32)
        find_leaders(ballots.heads, systems, votes)
        return cls(ballots.heads[systems, slots], ballots.deprels[systems, slots], votes)


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
