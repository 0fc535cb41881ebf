"""Given arcs as the search of a parser sees them: those that one projective tree can hold, as arrays for kernels.

Given arcs are held by some projective tree if and only if no two cross, they close no cycle, and no word within an arc
is above the head of that arc: then every other word within the arc can hang on an end of it. Arcs that fit with no
shorter ones are left to the search, and made afterwards: the vote has them in place of any others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.corpus.given import Given
from treevote.corpus.pseudo_projective import Encoding, plain_labels
from treevote.kernels import Bools, Ints, Longs, kernel, leaf


class GivenArcs(NamedTuple):
    """What is given, in the words and labels of a search; all arrays are empty if that is nothing."""

    heads: Ints  # shape (n_slots,), of a projective tree; -1 where the head is free
    deprels: Ints  # shape (n_slots,), number of the label without marks; -1 where it is free
    leftmost: Ints  # shape (n_slots,), leftmost given dependent; the position itself if there is none further left
    rightmost: Ints  # shape (n_slots,), the same to the right
    component: Ints  # shape (n_slots,), leftmost position that is connected by given arcs
    plain: Ints  # shape (n_labels,), number of each label of the model without marks
    lifted: Bools  # shape (n_labels,), whether a label is that of a lifted arc

    @classmethod
    def of(
        cls, given: Given | None, offsets: Longs, labels: tuple[str, ...] = (), encoding: Encoding = "none"
    ) -> GivenArcs:
        """Return what is given for sentences, in ``labels`` of a model with marks of an encoding."""
        if given is None:
            return NOTHING
        plain, lifted = plain_labels(labels, encoding)
        numbers = {label: number for number, label in enumerate(dict.fromkeys(plain))}
        deprels = np.array([*(numbers.get(label, -1) for label in given.labels), -1], np.int32)[given.deprels]
        heads = np.full_like(given.heads, -1)
        leftmost, rightmost, component = (np.empty_like(heads) for _ in range(3))
        keep_projective(given.heads, offsets, heads)
        find_extents(heads, offsets, leftmost, rightmost, component)
        plain_numbers = np.array([numbers[label] for label in plain], np.int32)
        return cls(heads, deprels, leftmost, rightmost, component, plain_numbers, lifted)


_NONE = np.empty(0, np.int32)
NOTHING = GivenArcs(_NONE, _NONE, _NONE, _NONE, _NONE, _NONE, np.empty(0, np.bool_))


@kernel
def given_in(given: GivenArcs, first: int, last: int) -> GivenArcs:
    """Return a view of the slots ``first:last``, those of one sentence; empty arrays stay empty."""
    heads, deprels, leftmost, rightmost, component, plain, lifted = given
    own = slice(first, last)
    return GivenArcs(heads[own], deprels[own], leftmost[own], rightmost[own], component[own], plain, lifted)


@leaf
def permits_label(given: GivenArcs, dependent: int, label: int) -> bool:
    """Tell whether an arc to ``dependent`` may have a label of the model: the given one, and none that moves it."""
    named = given.deprels[dependent] < 0 or given.plain[label] == given.deprels[dependent]
    return bool(named and (given.heads[dependent] < 0 or not given.lifted[label]))


@kernel
def keep_projective(heads: Ints, offsets: Longs, kept: Ints) -> None:
    """Write the given arcs that fit with all kept ones, the shortest first, of equally long ones the leftmost.

    ``kept`` holds -1 everywhere. Time is quadratic in the length of a sentence.
    """
    for i in range(len(offsets) - 1):
        given, own = heads[offsets[i] : offsets[i + 1]], kept[offsets[i] : offsets[i + 1]]
        n_arcs = (given >= 0).sum()
        distance = -1  # an arc from a word to itself fits nowhere
        while n_arcs > 0:
            distance += 1
            for token in range(1, len(given)):
                if given[token] >= 0 and abs(given[token] - token) == distance:
                    n_arcs -= 1
                    if _fits(own, int(given[token]), token):
                        own[token] = given[token]


@leaf
def _fits(kept: Ints, head: int, dependent: int) -> bool:
    """Tell whether some projective tree has the kept arcs and one more."""
    low, high = min(head, dependent), max(head, dependent)
    for token in range(1, len(kept)):
        other = kept[token]
        if other < 0:
            continue
        start, end = min(other, token), max(other, token)
        if start < low < end < high or low < start < high < end:
            return False
        if other == dependent and start < head < end:  # the new head would be within an arc from its dependent
            return False
    above = head
    while above > 0:
        if above == dependent or low < kept[above] < high:
            return False
        above = kept[above]
    return True


@kernel
def find_extents(heads: Ints, offsets: Longs, leftmost: Ints, rightmost: Ints, component: Ints) -> None:
    """Write the outermost dependents of each position, and the leftmost position of its component."""
    for i in range(len(offsets) - 1):
        first, n_slots = offsets[i], offsets[i + 1] - offsets[i]
        for position in range(n_slots):
            leftmost[first + position] = rightmost[first + position] = component[first + position] = position
        for token in range(1, n_slots):
            head = heads[first + token]
            if head >= 0:
                leftmost[first + head] = min(leftmost[first + head], token)
                rightmost[first + head] = max(rightmost[first + head], token)
        for token in range(1, n_slots):  # to the top of each component
            top = token
            while heads[first + top] >= 0:
                top = heads[first + top]
            component[first + top] = min(component[first + top], token)
        for token in range(1, n_slots):
            top = token
            while heads[first + top] >= 0:
                top = heads[first + top]
            component[first + token] = component[first + top]
