"""Completion: links for the words that have no head after all passes.

Score every admissible pair with the last list, ignoring rules of class NONE and links to words that have heads. Add the
link of the most reliable rule, the leftmost on ties. Repeat until ROOT's tree is the only one.

Given arcs come first, and links that contradict one last: their reliability is raised to 2, or lowered below 0.

A pair without a matching rule has reliability 0 and gets the most frequent class of the list for its direction. If
every tree has a single root, no word is linked to ROOT before all others are joined.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Doubles, Ints, kernel, leaf
from treevote.models.learning.learners.decision_list.rules import CompiledRules, DecisionList, first_match
from treevote.models.parsers.decision_list.attributes import Text, describe
from treevote.models.parsers.decision_list.linkage import (
    MAX_STEPS,
    NONE,
    Linkage,
    add_link,
    all_pairs,
    can_link,
    is_free,
    is_given,
    of_sentence,
    pair_arrays,
    pairs_between,
)
from treevote.models.parsers.decision_list.passes import Scratch, scratch
from treevote.models.parsers.given_arcs import GivenArcs, given_in

GIVEN, FORBIDDEN = 2.0, -2.0  # reliability of given arcs, and addition for links that contradict one
NO_RULE_RIGHT, NO_RULE_LEFT = -1, -2  # where no rule matches: the side of the dependent


def usual_classes(rules: DecisionList) -> tuple[int, int]:
    """Return the most frequent class of links with the dependent on the left, and on the right, in a list.

    A side without links takes the label of the other; a list without any links, the first label.

    >>> column = np.zeros(3, np.int32)
    >>> rules = DecisionList(column[:0], column, np.array([4, 2, 0], np.int32), column, np.array([1, 5, 9]), column)
    >>> usual_classes(rules)
    (1, 2)
    """
    given = np.bincount(rules.classes, rules.decided, int(rules.classes.max()) + 1)
    given[NONE] = 0
    counts = np.zeros((len(given) // 2 + 1, 2))
    counts.flat[: len(given) - 1] = given[1:]
    sides = [side if side.any() else counts.sum(axis=1) for side in counts.T]
    return 1 + 2 * int(sides[0].argmax()), 2 + 2 * int(sides[1].argmax())


class Borders(NamedTuple):
    """A sentence, and the best link between each of its trees and the one before, in a row for each position."""

    tokens: Ints
    given: GivenArcs
    roots: Ints  # shape (2, n + 1): previous and next root of each root, -1 for none
    chosen: Ints  # shape (n + 1, 3): the left word, the right word and the rule
    reliability: Doubles  # that of the rule
    pairs: Ints  # scratch, shape (2 * MAX_STEPS, 2)


@kernel
def linking(compiled: CompiledRules) -> Bools:
    """Return the classes of links whose dependent is on an allowed side, shape (4, n_classes).

    The row is 1 for the left side, 2 for the right side, and their sum for both.
    """
    allowed = np.zeros((4, compiled.classes.max() + 1), np.bool_)
    allowed[1::2, 1::2] = True
    allowed[2:, 2::2] = True
    return allowed


@leaf
def score_border(
    here: Linkage, text: Text, compiled: CompiledRules, borders: Borders, room: Scratch, allowed: Bools, other: int
) -> None:
    """Find the best link between the tree with the root ``other`` and the one before."""
    tokens, given, roots, chosen, reliability, pairs = borders
    one = roots[0, other]
    reliability[other] = FORBIDDEN - 1
    for k in range(pairs_between(here, one, other, text.single_root, pairs)):
        left, right = pairs[k]
        n = describe(here, tokens, text, left, right, roots[0, one], roots[1, other], room.positions, room.features)
        may_left, may_right = left == one and one > 0, right == other
        to_left = may_left and is_free(here, given, left, right, True)
        to_right = may_right and is_free(here, given, left, right, False)
        holds = to_left or to_right
        if not holds:
            to_left, to_right = may_left, may_right
        rule = first_match(n, room.features, room.marks, compiled, allowed[int(to_left) + 2 * int(to_right)])
        reliable = compiled.reliability[rule] if rule >= 0 else 0.0
        if not holds:
            reliable += FORBIDDEN
        elif is_given(given, left, right):
            reliable = GIVEN
        if reliable > reliability[other]:
            reliability[other] = reliable
            chosen[other, 0], chosen[other, 1] = left, right
            chosen[other, 2] = rule if rule >= 0 else NO_RULE_RIGHT if to_right else NO_RULE_LEFT


@leaf
def class_of(rule: int, compiled: CompiledRules, usual: tuple[int, int]) -> int:
    """Return the class of a chosen link."""
    if rule >= 0:
        return int(compiled.classes[rule])
    return usual[1] if rule == NO_RULE_RIGHT else usual[0]


@kernel
def link_given(linkage: Linkage, text: Text, compiled: CompiledRules, usual: tuple[int, int], step: int) -> None:
    """Make the links of given arcs between potentially adjacent words, until there are none.

    Their classes are those of the first matching rule of the right side, as in `complete`.
    """
    room, allowed, single_root = scratch(text, compiled), linking(compiled), text.single_root
    for i in range(len(text.offsets) - 1):
        first, last = text.offsets[i], text.offsets[i + 1]
        here, tokens = of_sentence(linkage, first, last), text.tokens[first:last]
        given = given_in(text.given, first, last)
        pairs, around = pair_arrays(last - first)
        added = True
        while added:
            added = False
            for k in range(all_pairs(here, single_root, pairs, around)):
                (left, right), (before, after) = pairs[k], around[k]
                to_left = given.heads[left] == right
                if (
                    is_given(given, left, right)
                    and can_link(here, left, right, to_left, single_root)
                    and is_free(here, given, left, right, to_left)
                ):
                    n = describe(here, tokens, text, left, right, before, after, room.positions, room.features)
                    rule = first_match(n, room.features, room.marks, compiled, allowed[2 - int(to_left)])
                    label_class = class_of(rule if rule >= 0 else -1 - int(to_left), compiled, usual)
                    add_link(here, left, right, label_class, step, max(rule, -1))
                    added = True


@kernel
def complete(linkage: Linkage, text: Text, compiled: CompiledRules, usual: tuple[int, int], step: int) -> None:
    """Join the remaining trees of every sentence by the list of the last pass.

    ``usual`` are the `usual_classes`; ``step`` marks the new links, whose rule is -1 if none matched.
    """
    room, allowed = scratch(text, compiled), linking(compiled)
    pairs = np.empty((2 * MAX_STEPS, 2), np.int32)
    for i in range(len(text.offsets) - 1):
        first, last = text.offsets[i], text.offsets[i + 1]
        here, tokens, n_slots = of_sentence(linkage, first, last), text.tokens[first:last], last - first
        given = given_in(text.given, first, last)
        roots = np.full((2, n_slots), -1, np.int32)
        chosen, reliability = np.empty((n_slots, 3), np.int32), np.empty(n_slots)
        borders = Borders(tokens, given, roots, chosen, reliability, pairs)
        before = 0
        for position in range(1, n_slots):
            if here.heads[position] < 0:
                roots[0, position], roots[1, before] = before, position
                before = position
        other = roots[1, 0]
        while other >= 0:
            score_border(here, text, compiled, borders, room, allowed, other)
            other = roots[1, other]
        while roots[1, 0] >= 0:
            best = roots[1, 0]
            start = roots[1, best]
            if start >= 0 and text.single_root and here.rdep[0] < 0:
                best, start = start, roots[1, start]
            while start >= 0:
                if reliability[start] > reliability[best]:
                    best = start
                start = roots[1, start]
            left, right, rule = chosen[best]
            label_class = class_of(rule, compiled, usual)
            if reliability[best] >= 0 and not is_free(here, given, left, right, label_class % 2 == 1):
                # links made since then let it close a cycle
                score_border(here, text, compiled, borders, room, allowed, best)
                continue
            add_link(here, left, right, label_class, step, max(rule, -1))
            dependent = right if label_class % 2 == 0 else left
            before, after = roots[0, dependent], roots[1, dependent]
            roots[1, before] = after
            if after >= 0:
                roots[0, after] = before
            # The features of a border see the trees next to it, so four borders have to be scored again.
            kept = before if dependent == right else after
            border = roots[0, kept] if roots[0, kept] > 0 else kept
            for _ in range(4):
                if border < 0:
                    break
                if border > 0:
                    score_border(here, text, compiled, borders, room, allowed, border)
                border = roots[1, border]
