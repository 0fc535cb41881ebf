"""Confidence of the ensemble: a calibrated probability for each arc and its label.

A logistic regression on development data predicts whether an arc is right, from its voters and its place in the tree.
Shares of votes are no probabilities, since the members are not independent: agreement between families is stronger
evidence than between two directions of one. `treevote.ensemble.reliability` measures the calibration.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import common_labels
from treevote.ensemble.recalibration import Line
from treevote.errors import InputError, ModelError
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.counts import Convention
from treevote.kernels import Bools, Doubles, Floats, Ints
from treevote.store.record import Record

KIND = "confidence"

SEEN_ENOUGH = 20
"""Minimum number of development tokens of a part of speech with a weight of its own."""

DIGITS = 6
"""Decimals of a weight."""

LEAST = 0.001
"""Minimum distance of a probability from 0 and 1."""

HEAVIEST = 1e6
"""Maximum absolute weight, so that sums stay finite."""

FURTHEST = math.log((1 - LEAST) / LEAST)
"""The log-odds of the greatest probability."""

_DISTANCES = (1, 2, 3, 5, 10)  # upper ends of the bins of the distance between head and dependent; one more bin above


@dataclass(frozen=True, eq=False)
class Confidence:
    """Weights of two logistic regressions: for the head, and for head and label together.

    Attributes
    ----------
    n_members : int
    pos : tuple of str
        Parts of speech (UPOS) of the dependent that have a weight.
    arc, label : ndarray of float64, shape (n_features,)
        The last one is the intercept.
    """

    n_members: int
    pos: tuple[str, ...]
    arc: Doubles
    label: Doubles

    @staticmethod
    def fit(
        gold: Treebank, systems: Sequence[Treebank], voted: Treebank, *, convention: Convention = "ud"
    ) -> Confidence:
        """Fit to development data, whose trees no member was trained on: gold trees, the members' parses, their vote.

        Raises
        ------
        InputError
            If there is no token, sentences differ, or a gold head is not known.
        """
        if not gold.n_tokens:
            raise InputError("expected sentences to measure confidence on, found none", path=gold.name)
        names, counts = np.unique([word.upos for word in gold.words], return_inverse=True)
        seen = np.bincount(counts[gold.tokens[gold.is_token]], minlength=len(names))
        pos = tuple(str(name) for name, count in zip(names, seen, strict=True) if count >= SEEN_ENOUGH)
        tokens = gold.is_token
        X = _features(systems, voted, pos)[tokens]
        heads, arcs = (right[tokens] for right in right_arcs(gold, voted, convention=convention))
        return Confidence(len(systems), pos, fitted(X, heads), fitted(X, arcs))

    def of(self, systems: Sequence[Treebank], voted: Treebank) -> tuple[Floats, Floats]:
        """Return the probability of each arc, and of arc and label together; shape (n_slots,), 0 in ROOT slots.

        Parameters are those of `fit`, with the members in the same order.
        """
        log_odds = self._log_odds(systems, voted)
        probabilities = 1 / (1 + np.exp(-np.clip(log_odds, -FURTHEST, FURTHEST)))
        probabilities[:, voted.heads < 0] = 0
        arc, both = probabilities.astype(np.float32)
        return arc, np.minimum(arc, both)

    def recalibrated(
        self, gold: Treebank, systems: Sequence[Treebank], voted: Treebank, *, convention: Convention = "ud"
    ) -> Confidence:
        """Return the confidence with its log-odds on a line, so that it is right on other data.

        Parameters and errors are those of `fit`, with few sentences of the domain that is to be parsed. See
        `treevote.ensemble.recalibration`.
        """
        if not gold.n_tokens:
            raise InputError("expected sentences to measure confidence on, found none", path=gold.name)
        tokens = gold.is_token
        weights = []
        old = self._log_odds(systems, voted)
        for own, log_odds, right in zip(
            (self.arc, self.label), old, right_arcs(gold, voted, convention=convention), strict=True
        ):
            line = Line.fit(log_odds[tokens], right[tokens])
            moved = line.slope * own
            moved[-1] += line.intercept
            weights.append(moved.clip(-HEAVIEST, HEAVIEST).round(DIGITS))
        return Confidence(self.n_members, self.pos, *weights)

    def _log_odds(self, systems: Sequence[Treebank], voted: Treebank) -> Doubles:
        """Return the log-odds of each arc, and of arc and label together, shape (2, n_slots)."""
        log_odds = np.empty((2, len(voted.tokens)))
        log_odds[:] = self.arc[-1:], self.label[-1:]
        for column, for_arc, for_both in zip(_columns(systems, voted, self.pos), self.arc, self.label, strict=False):
            log_odds[0] += for_arc * column
            log_odds[1] += for_both * column
        return log_odds

    def record(self) -> Record:
        """Return the weights as data."""
        arrays = {"arc": self.arc, "label": self.label}
        return Record(KIND, {"n_members": self.n_members}, arrays, {"pos": list(self.pos)})

    @staticmethod
    def from_record(record: Record) -> Confidence:
        """Return the confidence of a record.

        Raises
        ------
        ModelError
            If the parts of the record do not fit together.
        """
        n_members, arrays = record.facts.get("n_members"), record.arrays
        pos = tuple(record.texts.get("pos", ()))
        if record.kind != KIND or not isinstance(n_members, int) or not 0 < n_members < 1000:
            raise ModelError("the model is damaged: its confidence cannot be read; train it again")
        shape = (2 * n_members + len(pos) + _N_OTHERS + 1,)
        columns = [np.asarray(arrays.get(name, ())) for name in ("arc", "label")]
        if any(c.shape != shape or c.dtype != np.float64 or not (np.abs(c) <= HEAVIEST).all() for c in columns):
            raise ModelError("the model is damaged: the weights of its confidence do not fit; train it again")
        return Confidence(n_members, pos, columns[0], columns[1])


_N_OTHERS = 2 * (len(_DISTANCES) + 1) + 3


def _features(systems: Sequence[Treebank], voted: Treebank, pos: Sequence[str]) -> Doubles:
    """Return the features of each arc, shape (n_slots, n_features)."""
    return np.stack([np.asarray(column, np.float64) for column in _columns(systems, voted, pos)], axis=1)


def _columns(systems: Sequence[Treebank], voted: Treebank, pos: Sequence[str]) -> Iterator[Bools | Doubles]:
    """Yield the features of all arcs, one after the other, each of shape (n_slots,).

    They are the votes of the members for the arc, and for the arc with its label; the part of speech of the dependent;
    distance and direction of the head, ROOT apart; the mean share of votes over the sentence, and its length.
    """
    _, deprels = common_labels([voted, *systems])
    sentence, position, lengths = voted.sentence_of, voted.positions, voted.lengths
    for_arc = [system.heads == voted.heads for system in systems]
    for_label = [same & (deprels[k] == deprels[0]) for k, same in enumerate(for_arc, start=1)]
    index = {name: i for i, name in enumerate(pos)}
    upos = np.array([index.get(word.upos, -1) for word in voted.words], np.int32)[voted.tokens]
    bins: Ints = np.searchsorted(_DISTANCES, np.abs(position - voted.heads)).astype(np.int32)
    bins += np.where(voted.heads > position, len(_DISTANCES) + 1, 0).astype(np.int32)
    bins[voted.heads == 0] = 2 * (len(_DISTANCES) + 1)
    tokens = voted.is_token
    shares = np.bincount(sentence[tokens], np.mean(for_arc, 0)[tokens], len(lengths)) / np.maximum(lengths, 1)
    yield from for_arc
    yield from for_label
    yield from (upos == i for i in range(len(pos)))
    yield from (bins == i for i in range(2 * (len(_DISTANCES) + 1) + 1))
    yield shares[sentence]
    yield np.log(lengths + 1)[sentence]


def fitted(X: Doubles, right: Bools) -> Doubles:
    """Return weights and intercept of a logistic regression; only an intercept if all or none are right."""
    if right.all() or not right.any():
        share = (int(right.sum()) + 1) / (len(right) + 2)
        return np.array([*np.zeros(X.shape[1]), np.log(share / (1 - share))])
    from sklearn.linear_model import LogisticRegression  # slow to import, and not needed to parse

    model = LogisticRegression(max_iter=1000).fit(X, right)
    weights: Doubles = np.concatenate([model.coef_[0], model.intercept_]).astype(np.float64)
    return weights.round(DIGITS)
