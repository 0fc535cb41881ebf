"""Candidate rules and their gains.

A candidate is the pattern of its *parent* with one more feature. A rule on top of a list decides all instances that its
pattern covers. So its gain is the number of covered instances of its class, which never changes, less the number that
the list classifies correctly now. The class of a candidate is the most frequent one among the covered instances, and
only the number of correct ones has to be kept up to date.

All counts are sums of instance weights.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treevote.kernels import Bools, Ints, kernel, leaf
from treevote.models.learning.learners.decision_list.rules import places_of, where_positive


class Instances(NamedTuple):
    """Training instances, their features, classes and multiplicities; indices ascend in each row."""

    indptr: Ints  # the features of each instance: a CSR matrix without its values
    indices: Ints
    starts: Ints  # the instances of each feature: an inverted index
    postings: Ints
    labels: Ints  # classes, shape (n_instances,)
    weights: Ints

    def with_feature(self, feature: int) -> Ints:
        """Return the instances that have a feature, in ascending order."""
        return self.postings[self.starts[feature] : self.starts[feature + 1]]


class Parent(NamedTuple):
    """A pattern with the candidates that extend it; numbers ascend, and counts are sums of weights."""

    pattern: Ints
    covered: Ints  # instances, shape (n_covered,)
    was_right: Bools  # whether the list classified each correctly at the last update of the counts
    features: Ints  # the additional one of each candidate, shape (n_candidates,)
    classes: Ints
    agreeing: Ints  # covered instances of its class
    right: Ints  # covered instances that were classified correctly


def instances_of(X: Any, labels: Ints, weights: Ints, min_weight: int) -> tuple[Instances, Ints]:
    """Return the rows of a matrix as instances, and its columns of at least a minimum weight, their features."""
    matrix = where_positive(X)
    columns = np.flatnonzero(weights @ matrix >= min_weight).astype(np.int32)
    rows = matrix[:, columns]
    return Instances(*places_of(rows), *places_of(rows.tocsc()), labels, weights), columns


def intersection(one: Ints, other: Ints) -> Ints:
    """Return the common values of two ascending arrays, by binary search in the longer one."""
    if len(one) > len(other):
        one, other = other, one
    common: Bools = other[np.minimum(np.searchsorted(other, one), len(other) - 1)] == one
    return one[common]


@kernel
def count_candidates(
    data: Instances, right: Bools, by_class: Ints, pattern: Ints, first: int, min_agreeing: int, scratch: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return features, classes, agreeing and right of the candidates of a parent, as in ``Parent``, in any order.

    ``right`` tells for each instance whether the list classifies it correctly. ``by_class`` are the instances that the
    parent, of features ``pattern``, covers; class by class. Features from ``first`` on are added, with ``agreeing`` of
    at least ``min_agreeing``. Candidates that cover the same instances as the parent are left out. ``scratch``, shape
    (6, n_features), is all zero before and after.
    """
    own_class, now, most = scratch[0], scratch[1], scratch[2]
    most_class, n_right, covered = scratch[3], scratch[4], scratch[5]
    met = np.empty(scratch.shape[1], np.int32)
    n_met = 0
    for i in by_class:
        label, weight = data.labels[i], data.weights[i]
        for j in range(data.indptr[i], data.indptr[i + 1]):
            feature = data.indices[j]
            if own_class[feature] != label + 1:
                if own_class[feature] == 0:
                    met[n_met] = feature
                    n_met += 1
                own_class[feature] = label + 1
                now[feature] = 0
            covered[feature] += 1
            now[feature] += weight
            if right[i]:
                n_right[feature] += weight
            if now[feature] > most[feature]:
                most[feature], most_class[feature] = now[feature], label
    for feature in pattern:
        most[feature] = 0
    met = met[:n_met]
    kept = met[(most[met] >= min_agreeing) & (met >= first)]
    if len(pattern) > 0:
        kept = kept[covered[kept] < len(by_class)]
    result = kept, most_class[kept], most[kept], n_right[kept]
    for feature in met:
        scratch[:, feature] = 0
    return result


@leaf
def update_counts(data: Instances, right: Bools, parent: Parent, places: Ints) -> int:
    """Update the counts of a parent and return its first candidate with the highest gain.

    ``places``, shape (n_features,), is all zero before and after.
    """
    _, covered, was_right, features, _, agreeing, n_right = parent
    for candidate in range(len(features)):
        places[features[candidate]] = candidate + 1
    for k in range(len(covered)):
        i = covered[k]
        if right[i] != was_right[k]:
            was_right[k] = right[i]
            change = data.weights[i] if right[i] else -data.weights[i]
            for j in range(data.indptr[i], data.indptr[i + 1]):
                place = places[data.indices[j]]
                if place > 0:
                    n_right[place - 1] += change
    best = 0
    for candidate in range(len(features)):
        places[features[candidate]] = 0
        if agreeing[candidate] - n_right[candidate] > agreeing[best] - n_right[best]:
            best = candidate
    return best


@leaf
def gain_bound(data: Instances, right: Bools, covered: Ints, counts: Ints) -> int:
    """Return the largest number of misclassified instances of one class: no rule on ``covered`` gains more.

    ``counts``, shape (n_classes,), is all zero before and after.
    """
    most = 0
    for i in covered:
        if not right[i]:
            counts[data.labels[i]] += data.weights[i]
            most = max(most, int(counts[data.labels[i]]))
    for i in covered:
        counts[data.labels[i]] = 0
    return most
