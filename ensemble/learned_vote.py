"""The learned vote: arcs and labels weighted by the probability that they are right.

A token chooses one of its candidates (`treevote.ensemble.candidates`), or none of them: a multinomial logistic
regression (conditional logit, McFadden 1974, "Conditional logit analysis of qualitative choice behavior"), learned on
sentences that no system was trained on. An arc weighs the probability of its head plus that of its best label, so the
heaviest tree has the highest expected number of right heads and labels. The same probabilities are the confidence of
the parse.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.ensemble.candidates import (
    MAX_SYSTEMS,
    N_STRONG,
    PLACE_BITS,
    Candidates,
    add_to_places,
    add_weights,
    places_of,
)
from treevote.ensemble.confidence import LEAST
from treevote.ensemble.recalibration import PRECISION
from treevote.ensemble.vote import Ballots, arc_weights, heaviest_trees, with_support
from treevote.ensemble.weights import UNIT, Weights
from treevote.errors import ConfigError, InputError
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.counts import Convention, check_same_sentences
from treevote.kernels import Bools, Doubles, Floats, Ints, kernel
from treevote.store.record import Record
from treevote.store.validation import column, rebuild

KIND = "learned-vote"

VoteKind: TypeAlias = Literal["equal", "accuracy", "pos", "learned"]
"""Kinds of votes: with weights of the systems (`treevote.ensemble.weights`), or learned."""

SHRINKAGE, STRONG_SHRINKAGE = 100.0, 3.0
"""Precision of the normal prior of a weight: of all features, and of those of the number of votes. The vote is the more
like an equal one, the fewer the sentences it is learned from."""

DIGITS = 4
"""Decimals of a weight."""

HEAVIEST = 1e4
"""Maximum absolute weight, so that sums stay finite."""


@dataclass(frozen=True, eq=False)
class LearnedVote:
    """Weights of the features of candidates.

    Attributes
    ----------
    n_members : int
        Number of systems; their order is that of the training.
    weights : ndarray of float32, shape (2**PLACE_BITS,)
    """

    n_members: int
    weights: Floats

    @property
    def kind(self) -> Literal["learned"]:
        """The kind of the vote."""
        return "learned"

    @staticmethod
    def fit(gold: Treebank, systems: Sequence[Treebank], *, convention: Convention = "ud") -> LearnedVote:
        """Learn from gold trees and the parses of systems that were not trained on them.

        The part of a label that counts is that of the convention, see `treevote.evaluation.counts`.

        Raises
        ------
        InputError
            If there is no token, sentences differ, or a gold head is not known.
        ConfigError
            If there are more than ``MAX_SYSTEMS`` systems.
        """
        task = _Task.of(gold, systems, convention)
        return LearnedVote(len(systems), task.learn(np.ones(len(task.right), np.bool_)))

    def vote(self, systems: Sequence[Treebank], *, single_root: bool) -> Treebank:
        """Return the trees with the highest expected number of right heads and labels.

        Parameters are those of `treevote.ensemble.vote.vote`, with the systems in the order of the training. The result
        has support, as in an equal vote, and confidence.

        Raises
        ------
        InputError
            If there is another number of systems, the sentences differ, or a head is not a position of another token.
        """
        if len(systems) != self.n_members:
            raise InputError(f"expected {self.n_members} systems, as in training, found {len(systems)}")
        ballots = Ballots.of(systems)
        candidates = Candidates.of(ballots)
        places = places_of(systems[0], ballots, candidates)
        return _voted(systems[0], ballots, candidates, _probabilities(candidates, places, self.weights), single_root)

    def recalibrated(
        self, gold: Treebank, systems: Sequence[Treebank], *, convention: Convention = "ud"
    ) -> LearnedVote:
        """Return the vote with the log-odds of all candidates on a line, so that they are right on other data.

        Parameters and errors are those of `fit`, with few sentences of the domain that is to be parsed. Slope and
        intercept are the most probable, with the prior of `treevote.ensemble.recalibration`.
        """
        from scipy.optimize import minimize  # slow to import, and not needed to parse

        task = _Task.of(gold, systems, convention)
        sums = np.empty(len(task.places))
        add_weights(task.places, self.weights, sums)

        def loss(x: Doubles) -> tuple[float, Doubles]:
            slope = np.empty(len(sums))
            lost = differ(task.candidates.slots, x[0] * sums + x[1], task.right, slope)
            away = x - [1.0, 0.0]
            gradient = np.array([slope @ sums, slope.sum()]) + PRECISION * away
            return lost + PRECISION / 2 * float(away @ away), gradient

        found = minimize(loss, [1.0, 0.0], jac=True, method="L-BFGS-B", bounds=[(0.0, None), (None, None)])
        table = found.x[0] * self.weights.astype(np.float64)
        table[np.unique(task.places[:, 0])] += found.x[1]  # of "named": every candidate has one of its two values
        return LearnedVote(self.n_members, table.clip(-HEAVIEST, HEAVIEST).round(DIGITS).astype(np.float32))

    def record(self) -> Record:
        """Return the weights that are not zero as data."""
        places = np.flatnonzero(self.weights).astype(np.int32)
        return Record(KIND, {"n_members": self.n_members}, {"places": places, "weights": self.weights[places]})

    @staticmethod
    def from_record(record: Record) -> LearnedVote:
        """Return the learned vote of a record; ModelError if its parts do not fit together."""
        return rebuild(record, KIND, _checked)


def _checked(record: Record) -> LearnedVote:
    n_members: Any = record.facts["n_members"]
    if type(n_members) is not int or not 0 < n_members <= MAX_SYSTEMS:
        raise ValueError("the number of its members")
    places, weights = column(record, "places", np.int32), column(record, "weights", np.float32)
    ascending = len(places) == 0 or (places[0] >= 0 and places[-1] < 1 << PLACE_BITS and (np.diff(places) > 0).all())
    if len(places) != len(weights) or not ascending or not (np.abs(weights) <= HEAVIEST).all():
        raise ValueError("its weights")
    table = np.zeros(1 << PLACE_BITS, np.float32)
    table[places] = weights
    return LearnedVote(n_members, table)


def cross_voted(
    gold: Treebank, systems: Sequence[Treebank], *, single_root: bool, convention: Convention = "ud"
) -> Treebank:
    """Return the vote on each half of the sentences (every other one, and the rest), learned from the other half.

    Parameters and errors are those of `LearnedVote.fit` and `LearnedVote.vote`.
    """
    task = _Task.of(gold, systems, convention)
    even = gold.sentence_of[task.candidates.slots] % 2 == 0
    first, second = (_probabilities(task.candidates, task.places, task.learn(half)) for half in (~even, even))
    return _voted(systems[0], task.ballots, task.candidates, np.where(even, first, second), single_root)


@dataclass(frozen=True, eq=False)
class _Task:
    """Candidates with their features, and whether each is right."""

    ballots: Ballots
    candidates: Candidates
    places: Ints
    right: Bools

    @staticmethod
    def of(gold: Treebank, systems: Sequence[Treebank], convention: Convention) -> _Task:
        if len(systems) > MAX_SYSTEMS:
            raise ConfigError(f"a learned vote has at most {MAX_SYSTEMS} systems, found {len(systems)}; name fewer")
        if not gold.n_tokens:
            raise InputError("expected sentences to learn a vote on, found none", path=gold.name)
        check_same_sentences([gold, *systems])
        ballots = Ballots.of(systems)
        candidates = Candidates.of(ballots)
        slots, by, named = candidates
        rights = [right_arcs(gold, system, convention=convention) for system in systems]
        head, arc = (np.stack(masks)[by, slots] for masks in zip(*rights, strict=True))
        right = named & arc
        found = np.zeros(len(gold.tokens), np.bool_)
        found[slots[right]] = True
        right |= ~named & head & ~found[slots]
        return _Task(ballots, candidates, places_of(systems[0], ballots, candidates), right)

    def learn(self, chosen: Bools) -> Floats:
        """Return the weights that are most probable, given a mask of candidates."""
        from scipy.optimize import minimize  # slow to import, and not needed to parse

        table = np.zeros(1 << PLACE_BITS, np.float32)
        slots, right, places = self.candidates.slots[chosen], self.right[chosen], self.places[chosen]
        if not len(slots):
            return table
        used = np.zeros(len(table), np.bool_)
        used[places] = True
        numbers = np.flatnonzero(used)
        places = (np.cumsum(used, dtype=np.int32) - 1)[places]
        shrinkage = np.full(len(numbers), SHRINKAGE)
        shrinkage[places[:, :N_STRONG]] = STRONG_SHRINKAGE
        scale, sums = 1 / np.sqrt(shrinkage), np.empty(len(places))

        def loss(x: Doubles) -> tuple[float, Doubles]:
            add_weights(places, x * scale, sums)
            slope, gradient = np.empty(len(sums)), np.zeros(len(x))
            lost = differ(slots, sums, right, slope)
            add_to_places(places, slope, gradient)
            return lost + 0.5 * float(np.sum(x * x)), gradient * scale + x

        found = minimize(
            loss, np.zeros(len(numbers)), jac=True, method="L-BFGS-B", options={"maxiter": 200, "ftol": 1e-7}
        )
        table[numbers] = np.round(found.x * scale, DIGITS)
        return table


def _probabilities(candidates: Candidates, places: Ints, weights: Floats) -> Doubles:
    """Return the probability of each candidate; those of a token sum to less than one."""
    sums, probabilities = np.empty(len(places)), np.empty(len(places))
    add_weights(places, weights, sums)
    normalise(candidates.slots, sums, probabilities)
    return probabilities


def _voted(
    treebank: Treebank, ballots: Ballots, candidates: Candidates, probabilities: Doubles, single_root: bool
) -> Treebank:
    """Return the heaviest trees, with support and confidence."""
    arc, best, label = (np.zeros(ballots.heads.shape) for _ in range(3))
    share(ballots.heads, ballots.deprels, *candidates, probabilities, arc, best, label)
    weight, labelled = (np.maximum(np.rint(UNIT * votes), 1).astype(np.int64) for votes in (arc + best, label))
    voted, winner = heaviest_trees(treebank, ballots, weight, labelled, single_root=single_root)
    table = Weights.equal(len(arc)).table(treebank)
    voted = with_support(voted, ballots, table, *arc_weights(ballots.heads, ballots.deprels, table), winner)
    slots = np.arange(len(winner))
    sure = [np.where(winner >= 0, each[winner, slots], 0).clip(LEAST, 1 - LEAST) for each in (arc, label)]
    for column_ in sure:
        column_[voted.heads < 0] = 0
    return dataclasses.replace(
        voted, confidence=sure[0].astype(np.float32), label_confidence=sure[1].astype(np.float32)
    )


@kernel
def normalise(slots: Ints, sums: Doubles, probabilities: Doubles) -> None:
    """Write the softmax of the sums of each slot, among themselves and a candidate with sum 0."""
    begin = 0
    while begin < len(slots):
        end, top = begin, 0.0
        while end < len(slots) and slots[end] == slots[begin]:
            top = max(top, sums[end])
            end += 1
        total = np.exp(-top)
        for c in range(begin, end):
            probabilities[c] = np.exp(sums[c] - top)
            total += probabilities[c]
        for c in range(begin, end):
            probabilities[c] /= total
        begin = end


@kernel
def differ(slots: Ints, sums: Doubles, right: Bools, slope: Doubles) -> float:
    """Write the derivatives of the negative log-likelihood by the sums, and return it.

    Of the candidates of a slot several may be right (labels that differ in a subtype), or none.
    """
    normalise(slots, sums, slope)
    lost, begin = 0.0, 0
    while begin < len(slots):
        end, total, hit, found = begin, 0.0, 0.0, False
        while end < len(slots) and slots[end] == slots[begin]:
            total += slope[end]
            if right[end]:
                hit, found = hit + slope[end], True
            end += 1
        hit = max(hit, 1e-300)
        lost -= np.log(hit if found else max(1 - total, 1e-300))
        for c in range(begin, end):
            if right[c]:
                slope[c] -= slope[c] / hit
        begin = end
    return lost


@kernel
def share(
    heads: Ints,
    deprels: Ints,
    slots: Ints,
    systems: Ints,
    named: Bools,
    probabilities: Doubles,
    arc: Doubles,
    best: Doubles,
    label: Doubles,
) -> None:
    """Write for each vote the probability of its head, of the best label of this head, and of head and label."""
    for c in range(len(slots)):
        slot, a = slots[c], systems[c]
        for b in range(len(heads)):
            if heads[b, slot] == heads[a, slot]:
                arc[b, slot] += probabilities[c]
                if named[c]:
                    best[b, slot] = max(best[b, slot], probabilities[c])
                    if deprels[b, slot] == deprels[a, slot]:
                        label[b, slot] = probabilities[c]
