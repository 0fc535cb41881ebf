"""Counts of candidate rules: how many instances agree with a rule, and how many are right already.

A candidate is the pattern of its *parent* and one feature more. A rule on top of a list decides all the instances that
its pattern covers, whatever stands below; so its gain is the number of them that are of its class, which never changes,
less the number of them that are right now. The class of a candidate is therefore the most frequent one among what it
covers, and the only count to keep up to date is that of the right ones.

Instances may count several times, by their weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Ints, kernel


class Instances(NamedTuple):
    """What rules are learnt from.

    Attributes
    ----------
    indptr, indices : ndarray of int32
        The features of each instance, in ascending order: a CSR matrix without its values.
    starts, having : ndarray of int32
        The instances that have each feature, in ascending order: the inverted lists.
    labels : ndarray of int32, shape (n_instances,)
        Their classes.
    weights : ndarray of int32, shape (n_instances,)
        How often each counts.
    """

    indptr: Ints
    indices: Ints
    starts: Ints
    having: Ints
    labels: Ints
    weights: Ints

    def inverted(self, feature: int) -> Ints:
        """Return the instances that have a feature."""
        return self.having[self.starts[feature] : self.starts[feature + 1]]


class Parent(NamedTuple):
    """A pattern with the candidates that extend it.

    Attributes
    ----------
    pattern : tuple of int
        In ascending order.
    covered : ndarray of int32, shape (n_covered,)
        The instances that it covers, in ascending order.
    seen : ndarray of bool, shape (n_covered,)
        Which of them were right when the counts were last brought up to date.
    features, classes : ndarray of int32, shape (n_candidates,)
        What each candidate adds to the pattern, in ascending order, and the class of the rule that it would be.
    agreeing, right : ndarray of int32, shape (n_candidates,)
        How many instances that it covers are of its class, and how many were right.
    """

    pattern: tuple[int, ...]
    covered: Ints
    seen: Bools
    features: Ints
    classes: Ints
    agreeing: Ints
    right: Ints


def invert(indptr: Ints, indices: Ints, n_features: int) -> tuple[Ints, Ints]:
    """Return the inverted lists of a CSR matrix, as in ``Instances``.

    Examples
    --------
    >>> starts, having = invert(np.array([0, 2, 3], np.int32), np.array([0, 1, 1], np.int32), 2)
    >>> starts.tolist(), having.tolist()
    ([0, 1, 3], [0, 0, 1])
    """
    starts = np.zeros(n_features + 1, np.int32)
    np.cumsum(np.bincount(indices, minlength=n_features), out=starts[1:])
    having = np.empty(len(indices), np.int32)
    _fill_inverted(indptr, indices, starts[:-1].copy(), having)
    return starts, having


@kernel
def _fill_inverted(indptr: Ints, indices: Ints, at: Ints, having: Ints) -> None:
    for i in range(len(indptr) - 1):
        for j in range(indptr[i], indptr[i + 1]):
            having[at[indices[j]]] = i
            at[indices[j]] += 1


@kernel
def common(one: Ints, other: Ints) -> Ints:
    """Return what two ascending arrays have in common; the longer one is searched for what the shorter one holds."""
    if len(one) > len(other):
        one, other = other, one
    found = np.empty_like(one)
    n, start = 0, 0
    for wanted in one:
        step = 1
        while start + step < len(other) and other[start + step] < wanted:
            step *= 2
        start += np.searchsorted(other[start : start + step + 1], wanted)
        if start >= len(other):
            break
        if other[start] == wanted:
            found[n] = wanted
            n += 1
    return found[:n].copy()


@kernel
def count_candidates(
    data: Instances, right: Bools, by_class: Ints, pattern: Ints, first: int, least: int, room: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return features, classes, agreeing and right of the candidates of a parent, as in ``Parent``.

    Candidates that cover all that the parent covers are left out: they are rules that the parent is, too.

    Parameters
    ----------
    data : Instances
    right : ndarray of bool, shape (n_instances,)
        Which instances are right now.
    by_class : ndarray of int32
        The instances that the parent covers, class by class.
    pattern : ndarray of int32
        Its features.
    first : int
        Features before this one are no candidates.
    least : int
        Candidates with which fewer instances agree are left out.
    room : ndarray of int32, shape (6, n_features)
        All zero, and zero again afterwards.
    """
    own_class, now, most, most_class, n_right, covered = room[0], room[1], room[2], room[3], room[4], room[5]
    met = np.empty(room.shape[1], np.int32)
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
    kept = met[(most[met] >= least) & (met >= first)]
    if len(pattern) > 0:
        kept = kept[covered[kept] < len(by_class)]
    kept = np.sort(kept)
    result = kept, most_class[kept], most[kept], n_right[kept]
    for feature in met:
        room[:, feature] = 0
    return result


@kernel
def recount(data: Instances, right: Bools, parent: Parent, places: Ints) -> int:
    """Bring the counts of a parent up to date, and return the first of its candidates with the highest gain.

    ``places``, shape (n_features,), is room: all zero, and zero again afterwards.
    """
    features, agreeing, n_right = parent.features, parent.agreeing, parent.right
    for candidate in range(len(features)):
        places[features[candidate]] = candidate + 1
    for k in range(len(parent.covered)):
        i = parent.covered[k]
        if right[i] != parent.seen[k]:
            parent.seen[k] = right[i]
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


@kernel
def most_wrong(data: Instances, right: Bools, covered: Ints, counts: Ints) -> int:
    """Return how many instances are wrong of the class of which most are: no rule that covers no others gains more.

    ``counts``, shape (n_classes,), is room: all zero, and zero again afterwards.
    """
    most = 0
    for i in covered:
        if not right[i]:
            counts[data.labels[i]] += data.weights[i]
            most = max(most, int(counts[data.labels[i]]))
    for i in covered:
        counts[data.labels[i]] = 0
    return most
