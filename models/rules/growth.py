"""How a decision list grows: the Greedy Prepend Algorithm without a rescan of the instances.

Which of all candidate rules gains most is found by bounds. Every parent of candidates (see
`treevote.models.rules.candidates`) holds a number that none of their gains exceeds. A gain can only rise where a new
rule does harm, so the number goes up by one with each instance that the parent covers and that was right before and is
wrong now. The parent with the highest number is looked at: its counts are brought up to date, by the instances that
changed since the last time, and its number comes down to the highest gain. Once that number is exact and still the
highest, its candidate is the best of all.

A parent that is a single feature is opened, that is, its candidates are counted, only when it may win: until then its
number is that of the instances it covers which are wrong now, of the class of which most are.
"""

from __future__ import annotations

import numpy as np

from treevote.kernels import Bools, Ints, kernel
from treevote.models.rules.candidates import Instances, Parent, common, count_candidates, most_wrong, recount
from treevote.models.rules.decision_list import DecisionList
from treevote.models.rules.tournament import enlarged, enter, tournament, value, winner


class Growth:
    """A list that grows.

    Parameters
    ----------
    data : Instances
    min_gain, max_length, free_length
        As in `treevote.models.learners.greedy_prepend.GreedyPrepend`.
    """

    def __init__(self, data: Instances, min_gain: int, max_length: int, free_length: int) -> None:
        self.data, self.min_gain, self.max_length, self.free_length = data, min_gain, max_length, free_length
        n, n_features = len(data.labels), len(data.starts) - 1
        totals = np.bincount(data.labels, data.weights)
        default = int(totals.argmax())
        self.right = data.labels == default
        self.decider = np.zeros(n, np.int32)  # the rule, in the order of learning
        self.learnt: list[tuple[tuple[int, ...], int, int]] = [((), default, int(totals[default]))]

        # Parents: the empty pattern, each single feature if patterns of two are free, patterns of learnt rules.
        self.parents: list[Parent | None] = [None] * (1 + n_features if free_length > 1 else 1)
        self.patterns = {self._pattern(number) for number in range(len(self.parents))}
        self.bounds = tournament(2 * len(self.parents) + 1024)
        self.best = np.zeros(len(self.bounds) // 2, np.int32)  # of each parent the candidate with the highest gain
        self.stale = np.ones(len(self.bounds) // 2, np.bool_)
        # Which parents cover an instance: its own features, or linked lists.
        self.single = np.arange(1, n_features + 1, dtype=np.int32)
        if free_length == 1:
            self.single[:] = -1
        self.first = np.full(n, -1, np.int32)
        self.following, self.parent_of = np.empty(1024, np.int32), np.empty(1024, np.int32)
        self.n_links = 0
        self.room, self.counts = np.zeros((6, n_features), np.int32), np.zeros(len(totals), np.int32)
        for number in range(len(self.parents)):
            enter(self.bounds, number, int(totals.sum() if number == 0 else totals.max()))

    def prepend(self) -> bool:
        """Put the best rule on top, and tell whether there was one that gains enough."""
        while True:
            number = winner(self.bounds)
            gain = value(self.bounds, number)
            if gain < self.min_gain:
                return False
            parent = self.parents[number]
            if parent is not None and not self.stale[number]:
                break
            self._tighten(number, parent)
        candidate = self.best[number]
        feature, label = int(parent.features[candidate]), int(parent.classes[candidate])
        pattern = tuple(sorted((*parent.pattern, feature)))
        covered = self.data.inverted(feature)
        if parent.pattern:
            covered = common(covered, parent.covered)
        links = self.single, self.first, self.following, self.parent_of
        take_over(self.data, covered, label, len(self.learnt), self.right, self.decider, links, self.bounds, self.stale)
        self.learnt.append((pattern, label, gain))
        if len(pattern) < self.max_length and pattern not in self.patterns:
            self._add(pattern, covered)
        return True

    def _pattern(self, number: int) -> tuple[int, ...]:
        """Return the pattern of one of the parents that there are from the start."""
        return (number - 1,) if number else ()

    def _tighten(self, number: int, parent: Parent | None) -> None:
        """Bring the bound of a parent down, if it is not exact."""
        if parent is not None:
            self._recount(number, parent)
        elif number == 0:
            self._open(number, np.arange(len(self.right), dtype=np.int32))
        elif self.stale[number]:
            covered = self.data.inverted(number - 1)
            enter(self.bounds, number, most_wrong(self.data, self.right, covered, self.counts))
            self.stale[number] = False
        else:
            self._open(number, self.data.inverted(number - 1))

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
            add_links(covered, number, self.n_links, self.first, self.following, self.parent_of)
            self.n_links += len(covered)
        self._open(number, covered, pattern)

    def _open(self, number: int, covered: Ints, pattern: tuple[int, ...] | None = None) -> None:
        """Count the candidates of a parent."""
        if pattern is None:
            pattern = self._pattern(number)
        # Where all features are parents, each pair of them is met under the first of the two.
        first = pattern[0] if len(pattern) == 1 and self.free_length > 1 else 0
        by_class = covered[np.argsort(self.data.labels[covered], kind="stable")]
        own = np.array(pattern, np.int32)
        counts = count_candidates(self.data, self.right, by_class, own, first, self.min_gain, self.room)
        parent = Parent(pattern, covered, self.right[covered], *counts)
        self.parents[number] = parent
        self._recount(number, parent)

    def _recount(self, number: int, parent: Parent) -> None:
        gain = 0
        if len(parent.features):
            best = recount(self.data, self.right, parent, self.room[0])
            self.best[number], gain = best, int(parent.agreeing[best] - parent.right[best])
        enter(self.bounds, number, gain)
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


@kernel
def add_links(covered: Ints, number: int, n_links: int, first: Ints, following: Ints, parent_of: Ints) -> None:
    """Enter a parent into the linked lists of the instances that it covers."""
    for i in covered:
        following[n_links], parent_of[n_links] = first[i], number
        first[i] = n_links
        n_links += 1


@kernel
def take_over(
    data: Instances,
    covered: Ints,
    label: int,
    rule: int,
    right: Bools,
    decider: Ints,
    links: tuple[Ints, Ints, Ints, Ints],
    bounds: Ints,
    stale: Bools,
) -> None:
    """Let a new rule decide what it covers, and raise the bounds of all parents where it does harm.

    Parameters
    ----------
    data : Instances
    covered : ndarray of int32
    label, rule : int
        The class of the rule, and its number.
    right, decider : ndarray, shape (n_instances,)
        Written to.
    links : tuple of ndarray of int32
        The parent that is each single feature, -1 if it is none; first link of each instance, link after each link, and
        parent of each link.
    bounds, stale : ndarray
        Written to.
    """
    single, first, following, parent_of = links
    stale[0] = True
    for i in covered:
        decider[i] = rule
        is_right = data.labels[i] == label
        if right[i] == is_right:
            continue
        right[i] = is_right
        harm = 0 if is_right else int(data.weights[i])
        enter(bounds, 0, value(bounds, 0) + harm)
        for j in range(data.indptr[i], data.indptr[i + 1]):
            parent = int(single[data.indices[j]])
            if parent >= 0:
                stale[parent] = True
                if harm > 0:
                    enter(bounds, parent, value(bounds, parent) + harm)
        at = first[i]
        while at >= 0:
            parent = int(parent_of[at])
            stale[parent] = True
            if harm > 0:
                enter(bounds, parent, value(bounds, parent) + harm)
            at = following[at]
