"""Decision lists (Rivest 1987): rules in a row, of which the first that matches decides.

A rule is a pattern, that is a set of features which must all be present, and a class. The last rule of a list has the
empty pattern: it matches everything.

To find the first rule that matches, no list is walked from its top. Every rule stands under one feature of its pattern,
that which the fewest rules ask for: an instance only meets the rules that stand under its own features.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Ints, kernel


class DecisionList(NamedTuple):
    """Rules from the top of the list to its bottom.

    Attributes
    ----------
    features : ndarray of int32
        The patterns, one after the other; the features of each in ascending order.
    offsets : ndarray of int32, shape (n_rules + 1,)
        Where the pattern of each rule starts in ``features``. The last pattern, and no other, is empty.
    classes : ndarray of int32, shape (n_rules,)
        What each rule says.
    gains : ndarray of int32, shape (n_rules,)
        How many training instances more were right when the rule was put on top; for the last rule, how many were
        right by it alone.
    decided, right : ndarray of int32, shape (n_rules,)
        How many training instances each rule decides in the whole list, and how many of them rightly.
    """

    features: Ints
    offsets: Ints
    classes: Ints
    gains: Ints
    decided: Ints
    right: Ints

    def pattern(self, rule: int) -> list[int]:
        """Return the features of a rule, counted from 0 at the top.

        Examples
        --------
        >>> column = np.zeros(2, np.int32)
        >>> rules = DecisionList(np.array([3, 5], np.int32), np.array([0, 2, 2], np.int32), *[column] * 4)
        >>> rules.pattern(0), rules.pattern(1)
        ([3, 5], [])
        """
        found: list[int] = self.features[self.offsets[rule] : self.offsets[rule + 1]].tolist()
        return found


def check_rules(rules: DecisionList, n_features: int, n_classes: int) -> None:
    """Raise ValueError unless a list is one that kernels can follow."""
    n = len(rules.classes)
    lengths = np.diff(rules.offsets.astype(np.int64))
    if not (
        n > 0
        and len(rules.offsets) == n + 1
        and len(rules.gains) == len(rules.decided) == len(rules.right) == n
        and rules.offsets[0] == 0
        and rules.offsets[-1] == len(rules.features)
        and (lengths[:-1] > 0).all()
        and lengths[-1] == 0
        and ((rules.features >= 0) & (rules.features < n_features)).all()
        and ((rules.classes >= 0) & (rules.classes < n_classes)).all()
        and ((rules.right >= 0) & (rules.right <= rules.decided)).all()
    ):
        raise ValueError("its rules")


class RuleIndex(NamedTuple):
    """A decision list ready for use.

    Attributes
    ----------
    places : ndarray of int32, shape (n_features,)
        For each feature that an instance can have its number within the list, -1 if no rule asks for it.
    features, offsets : ndarray of int32
        The patterns, as in ``DecisionList``, by the numbers of ``places``.
    under : ndarray of int32
        The rules that stand under each feature, one feature after the other, those nearer to the top first.
    starts : ndarray of int32, shape (n_numbers + 1,)
        Where those of each feature start.
    classes : ndarray of int32, shape (n_rules,)
    """

    places: Ints
    features: Ints
    offsets: Ints
    under: Ints
    starts: Ints
    classes: Ints


def index_rules(rules: DecisionList, n_features: int) -> RuleIndex:
    """Return a decision list ready for use.

    Parameters
    ----------
    rules : DecisionList
    n_features : int
        Every feature is below it.
    """
    used, numbers, popularity = np.unique(rules.features, return_inverse=True, return_counts=True)
    places = np.full(n_features, -1, np.int32)
    places[used] = np.arange(len(used))
    lengths = np.diff(rules.offsets)
    n_rules = len(lengths)
    # Within each pattern the least popular feature comes first; the last rule has none, and stands nowhere.
    order = np.lexsort((numbers, popularity[numbers], np.repeat(np.arange(n_rules), lengths)))
    anchors = numbers[order[rules.offsets[:-1][lengths > 0]]]
    under = np.argsort(anchors, kind="stable").astype(np.int32)
    starts = np.searchsorted(anchors[under], np.arange(len(used) + 1)).astype(np.int32)
    return RuleIndex(places, numbers.astype(np.int32), rules.offsets, under, starts, rules.classes)


@kernel
def first_match(present: Ints, n: int, stamps: Ints, stamp: int, index: RuleIndex) -> int:
    """Return the first rule of a list that matches an instance.

    Parameters
    ----------
    present : ndarray of int32
        The first ``n`` are the features of the instance, by the numbers of the list.
    n : int
    stamps : ndarray of int32, shape (n_numbers,)
        Room for marks; written to.
    stamp : int
        A mark that was not used before in ``stamps``.
    index : RuleIndex
    """
    mark(present, n, stamps, stamp)
    best = len(index.classes) - 1
    for j in range(n):
        for k in range(index.starts[present[j]], index.starts[present[j] + 1]):
            rule = index.under[k]
            if rule >= best:
                break
            if matches(rule, stamps, stamp, index):
                best = rule
                break
    return best


@kernel
def mark(present: Ints, n: int, stamps: Ints, stamp: int) -> None:
    """Mark the first ``n`` features of an instance as present."""
    for j in range(n):
        stamps[present[j]] = stamp


@kernel
def matches(rule: int, stamps: Ints, stamp: int, index: RuleIndex) -> bool:
    """Tell whether all features of a rule are marked as present."""
    at, end = index.offsets[rule], index.offsets[rule + 1]
    while at < end and stamps[index.features[at]] == stamp:
        at += 1
    return bool(at == end)


@kernel
def first_matches(indptr: Ints, indices: Ints, index: RuleIndex, found: Ints) -> None:
    """Write the first rule that matches each row of a CSR matrix to ``found``, shape (n_rows,)."""
    stamps = np.full(len(index.starts), -1, np.int32)
    present = np.empty(len(index.starts), np.int32)
    for row in range(len(found)):
        n = 0
        for j in range(indptr[row], indptr[row + 1]):
            place = index.places[indices[j]]
            if place >= 0:
                present[n] = place
                n += 1
        found[row] = first_match(present, n, stamps, row, index)
