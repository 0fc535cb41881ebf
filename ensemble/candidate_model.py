"""The model of candidates: the probability that an arc or label that some parser proposes is right.

A token chooses one of its candidates, or none of them, in proportion to the exponentials of their sums of weights; the
sum of none is 0 (conditional logit, McFadden 1974, "Conditional logit analysis of qualitative choice behavior"). The
weights are learned on sentences that no system was trained on. Candidates are sorted by slot.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treevote.corpus.folds import folds_of
from treevote.corpus.treebank import Treebank
from treevote.ensemble import candidate_features as features
from treevote.ensemble.candidates import MAX_SYSTEMS, Candidates, Probabilities
from treevote.ensemble.vote import Ballots
from treevote.errors import ConfigError, InputError
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.counts import Convention, check_same_sentences
from treevote.kernels import Bools, Doubles, Floats, Ints, kernel
from treevote.store.manifest import JSON
from treevote.store.record import Record
from treevote.store.validation import column, rebuild

KIND = "candidate-model"

# Precision of the normal prior of a weight: of all features, and of those of the number of votes. The fewer the
# sentences, the more the probabilities are those of the number of votes alone.
SHRINKAGE, STRONG_SHRINKAGE = 100.0, 3.0

# Number of systems from which on SHRINKAGE is whole; of fewer it is less, by the square of their number: their votes
# tell less, and more is left to the other features.
MANY = 4

PRECISION = 1.0  # of the normal prior of slope and intercept of a recalibration around 1 and 0, which change nothing
DIGITS = 4  # decimals of a weight, and of slope and intercept
HEAVIEST, STEEPEST = 1e4, 1e4  # maximum absolute weight, and slope or intercept, so that sums stay finite


@dataclass(frozen=True, eq=False)
class CandidateModel:
    """Weights of the features of candidates."""

    n_members: int  # number of systems; their order is that of the training
    weights: Floats  # shape (2**PLACE_BITS,)
    line: tuple[float, float] = (1.0, 0.0)  # slope and intercept of the log-odds for the confidence, not for the vote

    @staticmethod
    def fit(gold: Treebank, systems: Sequence[Treebank], *, convention: Convention = "ud") -> CandidateModel:
        """Learn from gold trees and the parses of systems that were not trained on them.

        InputError if there is no token, sentences differ, or a gold head is not known; ConfigError for more than
        ``MAX_SYSTEMS`` systems.
        """
        return Examples.of(gold, systems, convention=convention).model()

    def of(self, systems: Sequence[Treebank]) -> Probabilities:
        """Return the probabilities of all candidates, with the systems in the order of the training.

        InputError for another number of systems, and as `Ballots.of`.
        """
        if len(systems) != self.n_members:
            raise InputError(f"expected {self.n_members} systems, as in training, found {len(systems)}")
        ballots = Ballots.of(systems)
        candidates = Candidates.of(ballots)
        sums = np.empty(len(candidates.slots))
        for chosen, places in features.places_by_batch(systems[0], ballots, candidates):
            features.add_weights(places, self.weights, sums[chosen])
        slope, intercept = self.line
        values, sure = softmax(candidates.slots, sums), softmax(candidates.slots, slope * sums + intercept)
        return Probabilities(systems[0], ballots, candidates, values, sure)

    def recalibrated(
        self, gold: Treebank, systems: Sequence[Treebank], *, convention: Convention = "ud"
    ) -> CandidateModel:
        """Recalibrate the confidence on other data: its log-odds there are a linear function of those before.

        Slope and intercept are the most probable (Platt 1999, "Probabilistic outputs for support vector machines and
        comparisons to regularized likelihood methods"): two numbers, so a few dozen sentences of the domain that is to
        be parsed are enough. The trees stay: the line moves each candidate, and the more of them a head has, the more
        it would gain from that. Raises as `fit`.
        """
        examples = Examples.of(gold, systems, convention=convention)
        sums = np.empty(len(examples.places))
        features.add_weights(examples.places, self.weights, sums)

        def loss(x: Doubles) -> tuple[float, Doubles]:
            slope = np.empty(len(sums))
            lost = negative_log_likelihood(examples.candidates.slots, x[0] * sums + x[1], examples.right, slope)
            away = x - [1.0, 0.0]
            gradient = np.array([slope @ sums, slope.sum()]) + PRECISION * away
            return lost + PRECISION / 2 * float(away @ away), gradient

        found = _minimum(loss, np.array([1.0, 0.0]), bounds=[(0.0, None), (None, None)])
        slope, intercept = found.round(DIGITS).tolist()
        return dataclasses.replace(self, line=(slope, intercept))

    def record(self) -> Record:
        """Return the weights that are not zero as data."""
        places = np.flatnonzero(self.weights).astype(np.int32)
        facts: dict[str, JSON] = {"n_members": self.n_members, "line": list(self.line)}
        return Record(KIND, facts, {"places": places, "weights": self.weights[places]})

    @staticmethod
    def from_record(record: Record) -> CandidateModel:
        """Return the model of a record; ModelError if its parts do not fit together."""
        return rebuild(record, KIND, _checked)


def _checked(record: Record) -> CandidateModel:
    n_members: Any = record.facts["n_members"]
    if type(n_members) is not int or not 0 < n_members <= MAX_SYSTEMS:
        raise ValueError("the number of its members")
    line: Any = record.facts["line"]
    if [type(number) for number in line] != [float, float] or not all(abs(number) <= STEEPEST for number in line):
        raise ValueError("the line of its confidence")
    places, weights = column(record, "places", np.int32), column(record, "weights", np.float32)
    inside = ((places >= 0) & (places < 1 << features.PLACE_BITS)).all()
    ascending = (places[1:] > places[:-1]).all()  # forged differences would wrap
    if len(places) != len(weights) or not (inside and ascending) or not (np.abs(weights) <= HEAVIEST).all():
        raise ValueError("its weights")
    table = np.zeros(1 << features.PLACE_BITS, np.float32)
    table[places] = weights
    return CandidateModel(n_members, table, (line[0], line[1]))


@dataclass(frozen=True, eq=False)
class Examples:
    """Candidates with their features, and whether each is right: what a model is learned from."""

    treebank: Treebank  # the sentences of the first system
    ballots: Ballots
    candidates: Candidates
    places: Ints  # shape (n_candidates, n_features)
    right: Bools  # shape (n_candidates,)

    @staticmethod
    def of(gold: Treebank, systems: Sequence[Treebank], *, convention: Convention = "ud") -> Examples:
        """Compare the candidates with gold trees; raises as `CandidateModel.fit`."""
        if len(systems) > MAX_SYSTEMS:
            problem = f"probabilities are learned for at most {MAX_SYSTEMS} systems, found {len(systems)}"
            raise ConfigError(f"{problem}; name fewer")
        if not gold.n_tokens:
            raise InputError("expected sentences to learn probabilities from, found none", path=gold.name)
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
        return Examples(systems[0], ballots, candidates, features.places_of(systems[0], ballots, candidates), right)

    def model(self) -> CandidateModel:
        """Learn a model from all sentences."""
        return CandidateModel(len(self.ballots.heads), self._weights(np.ones(len(self.right), np.bool_)))

    def crossed(self) -> Probabilities:
        """Return probabilities in each half of the sentences, learned from the other: as good as on other sentences."""
        sentence_of, sums = self.treebank.sentence_of[self.candidates.slots], np.empty(len(self.places))
        for _, held_out in folds_of(self.treebank.n_sentences, 2):
            half = np.isin(sentence_of, held_out)
            own = np.empty(np.count_nonzero(half))
            features.add_weights(self.places[half], self._weights(~half), own)
            sums[half] = own
        values = softmax(self.candidates.slots, sums)
        return Probabilities(self.treebank, self.ballots, self.candidates, values, values)

    def _weights(self, chosen: Bools) -> Floats:
        """Return the weights that are most probable, given a mask of candidates."""
        table = np.zeros(1 << features.PLACE_BITS, np.float32)
        slots, right, places = self.candidates.slots[chosen], self.right[chosen], self.places[chosen]
        if not len(slots):
            return table
        used = np.zeros(len(table), np.bool_)
        used[places] = True
        numbers = np.flatnonzero(used)
        places = (np.cumsum(used, dtype=np.int32) - 1)[places]
        shrinkage = np.full(len(numbers), SHRINKAGE * min(1.0, len(self.ballots.heads) / MANY) ** 2)
        shrinkage[places[:, : features.N_STRONG]] = STRONG_SHRINKAGE
        scale, sums = 1 / np.sqrt(shrinkage), np.empty(len(places))

        def loss(x: Doubles) -> tuple[float, Doubles]:
            features.add_weights(places, x * scale, sums)
            slope, gradient = np.empty(len(sums)), np.zeros(len(x))
            lost = negative_log_likelihood(slots, sums, right, slope)
            features.add_to_places(places, slope, gradient)
            return lost + 0.5 * float(np.sum(x * x)), gradient * scale + x

        found = _minimum(loss, np.zeros(len(numbers)), options={"maxiter": 200, "ftol": 1e-7})
        table[numbers] = np.round(found * scale, DIGITS)
        return table


def _minimum(loss: Callable[[Doubles], tuple[float, Doubles]], start: Doubles, **settings: Any) -> Doubles:
    """Return the arguments with the least loss (L-BFGS-B); ``loss`` returns the gradient, too."""
    from scipy.optimize import minimize  # slow to import, and not needed to parse
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # sums of several threads would depend on their number
        return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", **settings).x)


def softmax(slots: Ints, sums: Doubles) -> Doubles:
    """Return the probability of each candidate, given the sum of its weights."""
    probabilities = np.empty(len(sums))
    normalise(slots, sums, probabilities)
    return probabilities


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
def negative_log_likelihood(slots: Ints, sums: Doubles, right: Bools, slope: Doubles) -> float:
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
