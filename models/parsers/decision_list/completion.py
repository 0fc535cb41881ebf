"""Completion: links for the words that have no head after all passes.

Score every admissible pair with the last list, ignoring rules of class NONE and links to words that have heads. Add the
link of the most reliable rule, the leftmost on ties. Repeat until ROOT's tree is the only one.

Given arcs come first, and links that contradict one last: their reliability is raised to 2, or lowered below 0.

A pair without a matching rule has reliability 0 and gets the most frequent class of the list for its direction. If
every tree has a single root, no word is linked to ROOT before all others are joined.
"""

from __future__ import annotations

import numpy as np

from treevote.kernels import Doubles, Ints, kernel, leaf
from treevote.models.learning.learners.decision_list.rules import CompiledRules, DecisionList, mark_features, matches
from treevote.models.parsers.decision_list.attributes import describe, room_for_features
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
from treevote.models.parsers.decision_list.passes import Text
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


@leaf
def first_link(
    n: int, features: Ints, known: Ints, stamps: Ints, stamp: int, rules: CompiledRules, left: bool, right: bool
) -> int:
    """Return the first matching rule that links an allowed side, ``left`` or ``right``, as the dependent, or -1.

    The other parameters are those of `treevote.models.learning.learners.decision_list.rules.mark_features`.
    """
    n_known = mark_features(n, features, known, stamps, stamp, rules)
    best = len(rules.classes)
    for j in range(n_known):
        for k in range(rules.starts[known[j]], rules.starts[known[j] + 1]):
            rule = rules.listed[k]
            if rule >= best:
                break
            label_class = rules.classes[rule]
            allowed = label_class != NONE and (left if label_class % 2 == 1 else right)
            if allowed and matches(rule, stamps, stamp, rules):
                best = rule
                break
    if best == len(rules.classes):
        default = rules.classes[-1]  # the last rule matches everything
        best = len(rules.classes) - 1 if default != NONE and (left if default % 2 == 1 else right) else -1
    return best


@leaf
def score_border(
    here: Linkage,
    tokens: Ints,
    text: Text,
    compiled: CompiledRules,
    roots: Ints,  # shape (2, n + 1): previous and next root of each root, -1 for none
    scratch: tuple[Ints, Ints, Ints, Ints],  # positions, features, their numbers in the list, stamps
    pairs: Ints,  # scratch, shape (2 * MAX_STEPS, 2)
    given: GivenArcs,
    stamp: int,
    other: int,
    chosen: Ints,  # receives, at ``other``, the left word, the right word and the rule
    reliability: Doubles,  # receives, at ``other``, that of the rule
) -> int:
    """Find the best link between the tree with the root ``other`` and the previous one; return the last stamp used.

    ``given`` is that of the sentence.
    """
    positions, features, known, stamps = scratch
    one = roots[0, other]
    reliability[other] = FORBIDDEN - 1
    for k in range(pairs_between(here, one, other, text.single_root, pairs)):
        left, right = pairs[k]
        before, after = roots[0, one], roots[1, other]
        n = describe(here, tokens, text.words, text.table, left, right, before, after, positions, features)
        stamp += 1
        may_left, may_right = left == one and one > 0, right == other
        to_left = may_left and is_free(here, given, left, right, True)
        to_right = may_right and is_free(here, given, left, right, False)
        holds = to_left or to_right
        if not holds:
            to_left, to_right = may_left, may_right
        rule = first_link(n, features, known, stamps, stamp, compiled, to_left, to_right)
        reliable = compiled.reliability[rule] if rule >= 0 else 0.0
        if not holds:
            reliable += FORBIDDEN
        elif is_given(given, left, right):
            reliable = GIVEN
        if reliable > reliability[other]:
            reliability[other] = reliable
            chosen[other, 0], chosen[other, 1] = left, right
            chosen[other, 2] = rule if rule >= 0 else NO_RULE_RIGHT if to_right else NO_RULE_LEFT
    return stamp


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
    size, n_places = room_for_features(text.table, text.words), text.table.n_places
    stamps, stamp = np.full(len(compiled.starts), -1, np.int32), 0
    positions, features, known = np.empty(n_places, np.int32), np.empty(size, np.int32), np.empty(size, np.int32)
    for i in range(len(text.offsets) - 1):
        first, last = text.offsets[i], text.offsets[i + 1]
        here, tokens = of_sentence(linkage, first, last), text.tokens[first:last]
        given = given_in(text.given, first, last)
        pairs, around = pair_arrays(last - first)
        added = True
        while added:
            added = False
            for k in range(all_pairs(here, text.single_root, pairs, around)):
                (left, right), (before, after) = pairs[k], around[k]
                to_left = given.heads[left] == right
                if (
                    is_given(given, left, right)
                    and can_link(here, left, right, to_left, text.single_root)
                    and is_free(here, given, left, right, to_left)
                ):
                    n = describe(here, tokens, text.words, text.table, left, right, before, after, positions, features)
                    stamp += 1
                    rule = first_link(n, features, known, stamps, stamp, compiled, to_left, not to_left)
                    label_class = class_of(rule if rule >= 0 else -1 - int(to_left), compiled, usual)
                    add_link(here, left, right, label_class, step, max(rule, -1))
                    added = True


@kernel
def complete(linkage: Linkage, text: Text, compiled: CompiledRules, usual: tuple[int, int], step: int) -> None:
    """Join the remaining trees of every sentence by the list of the last pass.

    ``usual`` are the `usual_classes`; ``step`` marks the new links, whose rule is -1 if none matched.
    """
    size = room_for_features(text.table, text.words)
    stamps = np.full(len(compiled.starts), -1, np.int32)
    scratch = np.empty(text.table.n_places, np.int32), np.empty(size, np.int32), np.empty(size, np.int32), stamps
    pairs = np.empty((2 * MAX_STEPS, 2), np.int32)
    stamp = 0
    for i in range(len(text.offsets) - 1):
        first, last = text.offsets[i], text.offsets[i + 1]
        here, tokens = of_sentence(linkage, first, last), text.tokens[first:last]
        given = given_in(text.given, first, last)
        roots, chosen = np.full((2, last - first), -1, np.int32), np.empty((last - first, 3), np.int32)
        reliability = np.empty(last - first, np.float64)
        before = 0
        for position in range(1, last - first):
            if here.heads[position] < 0:
                roots[0, position], roots[1, before] = before, position
                before = position
        other = roots[1, 0]
        while other >= 0:
            stamp = score_border(
                here, tokens, text, compiled, roots, scratch, pairs, given, stamp, other, chosen, reliability
            )
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
                stamp = score_border(  # links made since then let it close a cycle
                    here, tokens, text, compiled, roots, scratch, pairs, given, stamp, best, chosen, reliability
                )
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
                    stamp = score_border(
                        here, tokens, text, compiled, roots, scratch, pairs, given, stamp, border, chosen, reliability
                    )
                border = roots[1, border]
