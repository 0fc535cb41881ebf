"""Induction of a decision list: the Greedy Prepend Algorithm without a rescan of the instances.

The list starts with one rule, which gives every instance the most frequent class. Each step puts the candidate with the
highest gain on top. The gain of a rule is the increase in correctly classified training instances. A candidate is the
pattern of a rule in the list with one more feature.

This search does not find a rule of two features where neither gains anything alone. So all patterns of one and of two
features are candidates from the start, unless ``free_length`` is 1.

Ties in gain go to the candidate with the oldest parent, then to the first feature; ties in frequency go to the
first class. Parents are the empty pattern, then (with ``free_length=2``) the single features in their order, then
the patterns of the rules in the order of learning.

The best candidate is found by bounds. Every parent (see `learners.decision_list.candidates`) has an
upper bound on the gains of its candidates. A gain can only rise where a new rule makes a mistake, so the bound rises by
the weight of each covered instance that was right before and is wrong now. The parent with the highest bound is updated
from the instances that changed since its last update, and its bound falls to its highest gain. When the highest bound
is exact, its candidate is the best of all.

The candidates of a single feature are counted only when it may win. Until then its bound is the largest number of
misclassified instances of one class among those that it covers.

References: Rivest (1987), "Learning decision lists"; Yuret & de la Maza (2006), "The Greedy Prepend Algorithm for
decision list induction"; Yuret (2006), "Dependency parsing as a classification problem", section 2.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treevote.kernels import Bools, Ints, leaf
from treevote.models.learning.learners.decision_list.candidates import (
    Instances,
    Parent,
    count_candidates,
    gain_bound,
    instances_of,
    intersection,
    update_counts,
)
from treevote.models.learning.learners.decision_list.rules import DecisionList
from treevote.models.learning.learners.decision_list.tournament import change, enlarged, tournament, value, winner


class ListOptions(NamedTuple):
    """Limits of a list and of its rules.

    A rule gains at least ``min_gain`` instances; the list has at most ``max_rules``, each of at most ``max_length``
    features. Patterns of up to ``free_length``, 1 or 2, are candidates from the start.
    """

    min_gain: int = 1
    max_rules: int = 100_000
    max_length: int = 8
    free_length: int = 2


def induce(X: Any, labels: Ints, weights: np.ndarray[Any, Any], options: ListOptions) -> DecisionList:
    """Learn a decision list from rows, classes from 0 and multiplicities, whole numbers from 1 on.

    A row has a feature if its value is positive. ValueError if the weights sum to 2**31 or more.
    """
    if weights.sum() >= 2**31:
        raise ValueError(f"the weights of the rows should sum to less than 2**31, found {weights.sum():.0f}")
    data, columns = instances_of(X, labels, weights.astype(np.int32), options.min_gain)
    induction = Induction(data, options)
    while len(induction.learnt) < options.max_rules and induction.prepend():
        pass
    rules = induction.decision_list()
    return rules._replace(features=columns[rules.features])


class Induction:
    """A decision list under construction."""

    def __init__(self, data: Instances, options: ListOptions) -> None:
        self.data, self.options, self.pairs_are_free = data, options, min(options.free_length, options.max_length) > 1
        n, n_features = len(data.labels), len(data.starts) - 1
        totals = np.bincount(data.labels, data.weights)
        default = int(totals.argmax())
        self.right = data.labels == default
        self.decider = np.zeros(n, np.int32)  # rule that decides each instance, in the order of learning
        self.learnt: list[tuple[tuple[int, ...], int, int]] = [((), default, int(totals[default]))]

        # Parents: the empty pattern; each single feature, if patterns of two are free; the patterns of learnt rules.
        self.parents: list[Parent | None] = [None] * (1 + n_features if self.pairs_are_free else 1)
        self.patterns: set[tuple[int, ...]] = {(number - 1,) if number else () for number in range(len(self.parents))}
        self.bounds = tournament(2 * len(self.parents) + 1024)
        self.best = np.zeros(len(self.bounds) // 2, np.int32)  # best candidate of each parent
        self.stale = np.ones(len(self.bounds) // 2, np.bool_)
        # Parents that cover an instance: its single features, and a linked list.
        self.single = np.arange(1, n_features + 1, dtype=np.int32)
        if not self.pairs_are_free:
            self.single[:] = -1
        self.first = np.full(n, -1, np.int32)
        self.following, self.parent_of = np.empty(1024, np.int32), np.empty(1024, np.int32)
        self.n_links = 0
        self.scratch, self.counts = np.zeros((6, n_features), np.int32), np.zeros(len(totals), np.int32)
        for number in range(len(self.parents)):
            change(self.bounds, number, int(totals.sum() if number == 0 else totals.max()))

    def prepend(self) -> bool:
        """Put the best rule on top; return False if none gains enough."""
        while True:
            number = winner(self.bounds)
            gain = value(self.bounds, number)
            if gain < self.options.min_gain:
                return False
            parent = self.parents[number]
            if parent is not None and not self.stale[number]:
                break
            self._tighten(number, parent)
        candidate = self.best[number]
        feature, label = int(parent.features[candidate]), int(parent.classes[candidate])
        pattern = tuple(sorted((*parent.pattern.tolist(), feature)))
        covered = self.data.with_feature(feature)
        if len(parent.pattern):
            covered = intersection(covered, parent.covered)
        links = self.single, self.first, self.following, self.parent_of
        rule = len(self.learnt)
        apply_rule(self.data, covered, label, rule, self.right, self.decider, links, self.bounds, self.stale)
        self.learnt.append((pattern, label, gain))
        if len(pattern) < self.options.max_length and pattern not in self.patterns:
            self._add(pattern, covered)
        return True

    def _tighten(self, number: int, parent: Parent | None) -> None:
        """Lower the bound of a parent towards its highest gain."""
        if parent is not None:
            self._recount(number, parent)
        elif number == 0:
            self._open(number, np.arange(len(self.right), dtype=np.int32), ())
        elif self.stale[number]:
            covered = self.data.with_feature(number - 1)
            change(self.bounds, number, gain_bound(self.data, self.right, covered, self.counts))
            self.stale[number] = False
        else:
            self._open(number, self.data.with_feature(number - 1), (number - 1,))

    def _add(self, pattern: tuple[int, ...], covered: Ints) -> None:
        """Make the pattern of a learnt rule the parent of candidates."""
        number = len(self.parents)
        if 2 * number >= len(self.bounds):
            self.bounds = enlarged(self.bounds)
            self.best, self.stale = np.resize(self.best, 2 * number), np.resize(self.stale, 2 * number)
        self.patterns.add(pattern)
        self.parents.append(None)
        if len(pattern) == 1:
            self.single[pattern[0]] = number
        else:
            while self.n_links + len(covered) > len(self.following):
                size = 2 * len(self.following)
                self.following, self.parent_of = np.resize(self.following, size), np.resize(self.parent_of, size)
            link_parent(covered, number, self.n_links, self.first, self.following, self.parent_of)
            self.n_links += len(covered)
        self._open(number, covered, pattern)

    def _open(self, number: int, covered: Ints, pattern: tuple[int, ...]) -> None:
        """Count the candidates of a parent."""
        # If all single features are parents, a pair of features is a candidate of the first one only.
        first = pattern[0] if len(pattern) == 1 and self.pairs_are_free else 0
        by_class, own = covered[np.argsort(self.data.labels[covered], kind="stable")], np.array(pattern, np.int32)
        counts = count_candidates(self.data, self.right, by_class, own, first, self.options.min_gain, self.scratch)
        order = np.argsort(counts[0])
        parent = Parent(own, covered, self.right[covered], *(column[order] for column in counts))
        self.parents[number] = parent
        self._recount(number, parent)

    def _recount(self, number: int, parent: Parent) -> None:
        gain = 0
        if len(parent.features):
            best = update_counts(self.data, self.right, parent, self.scratch[0])
            self.best[number], gain = best, int(parent.agreeing[best] - parent.right[best])
        change(self.bounds, number, gain)
        self.stale[number] = False

    def decision_list(self) -> DecisionList:
        """Return the list from its top to its bottom."""
        patterns, classes, gains = zip(*reversed(self.learnt), strict=True)
        n, weights = len(patterns), self.data.weights
        decided = np.bincount(self.decider, weights, n), np.bincount(self.decider, weights * self.right, n)
        return DecisionList(
            np.array([feature for pattern in patterns for feature in pattern], np.int32),
            np.cumsum([0, *(len(pattern) for pattern in patterns)], dtype=np.int32),
            np.array(classes, np.int32),
            np.array(gains, np.int32),
            *(column[::-1].astype(np.int32) for column in decided),
        )


@leaf
def link_parent(covered: Ints, number: int, n_links: int, first: Ints, following: Ints, parent_of: Ints) -> None:
    """Add a parent to the linked list of each instance that it covers."""
    for i in covered:
        following[n_links], parent_of[n_links] = first[i], number
        first[i] = n_links
        n_links += 1


@leaf
def apply_rule(
    data: Instances,
    covered: Ints,
    label: int,
    rule: int,
    right: Bools,
    decider: Ints,
    links: tuple[Ints, Ints, Ints, Ints],  # parent of each feature, -1 for none; first link, next link, parent of each
    bounds: Ints,
    stale: Bools,
) -> None:
    """Let a new rule decide the instances that it covers, and raise the bounds of parents by its new mistakes."""
    single, first, following, parent_of = links
    stale[0] = True
    for i in covered:
        decider[i] = rule
        is_right = data.labels[i] == label
        if right[i] == is_right:
            continue
        right[i] = is_right
        harm = 0 if is_right else int(data.weights[i])
        change(bounds, 0, value(bounds, 0) + harm)
        for j in range(data.indptr[i], data.indptr[i + 1]):
            parent = int(single[data.indices[j]])
            if parent >= 0:
                stale[parent] = True
                if harm > 0:
                    change(bounds, parent, value(bounds, parent) + harm)
        at = first[i]
        while at >= 0:
            parent = int(parent_of[at])
            stale[parent] = True
            if harm > 0:
                change(bounds, parent, value(bounds, parent) + harm)
            at = following[at]
