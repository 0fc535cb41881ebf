"""What becomes of words that are still without a head after all passes.

Neighbouring trees are joined, one pair after the other, until ROOT's tree is the only one. Each time all pairs of
potentially adjacent words are shown to the list of the last pass, of which rules that say NONE, or a link whose
dependent has a head already, are left out; the pair whose rule is the most reliable is linked, of equals the leftmost.
A pair that no such rule matches has reliability 0, and gets the class that the list gives most often to such links.
With a single root no word is linked to ROOT before all others are joined.
"""

from __future__ import annotations

import numpy as np

from treevote.kernels import Doubles, Ints, kernel
from treevote.models.decision_list.attributes import describe, locate, room_for_features
from treevote.models.decision_list.linkage import MOST_STEPS, NONE, Linkage, add_link, of_sentence, pairs_between
from treevote.models.decision_list.passes import Judge, Text
from treevote.models.learners.decision_list.rules import DecisionList, RuleIndex, mark, matches


def usual_classes(rules: DecisionList) -> tuple[int, int]:
    """Return the classes that a list gives most often to links with the dependent on the left and on the right.

    A list that has none of one side takes the label from the other; one without any, the first label.

    Examples
    --------
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


@kernel
def first_link(
    n: int, features: Ints, numbers: Ints, stamps: Ints, stamp: int, index: RuleIndex, left: bool, right: bool
) -> int:
    """Return the first rule that matches and says a link with the dependent on an allowed side, or -1."""
    known = 0
    for k in range(n):
        number = index.places[features[k]]
        if number >= 0:
            numbers[known] = number
            known += 1
    mark(numbers, known, stamps, stamp)
    best = len(index.classes)
    for j in range(known):
        for k in range(index.starts[numbers[j]], index.starts[numbers[j] + 1]):
            rule = index.under[k]
            if rule >= best:
                break
            label_class = index.classes[rule]
            allowed = label_class != NONE and (left if label_class % 2 == 1 else right)
            if allowed and matches(rule, stamps, stamp, index):
                best = rule
                break
    if best < len(index.classes):
        return best
    default = index.classes[-1]  # the last rule matches everything
    if default != NONE and (left if default % 2 == 1 else right):
        return len(index.classes) - 1
    return -1


@kernel
def judge_border(
    here: Linkage,
    tokens: Ints,
    text: Text,
    judge: Judge,
    roots: Ints,
    room: tuple[Ints, Ints, Ints, Ints],
    pairs: Ints,
    stamp: int,
    other: int,
    chosen: Ints,
    reliability: Doubles,
) -> int:
    """Find the best link between a tree and that before it.

    Parameters
    ----------
    here, tokens
        Of one sentence.
    text : Text
    judge : Judge
    roots : ndarray of int32, shape (2, n + 1)
        For each root that before and that behind it, -1 for none.
    room : tuple of ndarray
        Positions, features, their numbers in the list, stamps.
    pairs : ndarray of int32, shape (2 * MOST_STEPS, 2)
        Room.
    stamp : int
        The last stamp used.
    other : int
        Root of the tree.
    chosen : ndarray of int32, shape (n + 1, 3)
        At ``other`` receives left and right word and the rule, -1 for none.
    reliability : ndarray of float64, shape (n + 1,)
        At ``other`` receives that of the rule.

    Returns
    -------
    int
        The last stamp used.
    """
    positions, features, numbers, stamps = room
    one = roots[0, other]
    reliability[other] = -1.0
    for k in range(pairs_between(here, one, other, text.single_root, pairs)):
        left, right = pairs[k]
        locate(here, left, right, roots[0, one], roots[1, other], text.table.context, positions)
        n = describe(here, tokens, text.words, text.table, positions, features)
        stamp += 1
        rule = first_link(n, features, numbers, stamps, stamp, judge.rules, left == one and one > 0, right == other)
        reliable = judge.reliability[rule] if rule >= 0 else 0.0
        if reliable > reliability[other]:
            reliability[other] = reliable
            chosen[other, 0], chosen[other, 1], chosen[other, 2] = left, right, rule
    return stamp


@kernel
def complete(linkage: Linkage, text: Text, judge: Judge, usual: tuple[int, int], step: int) -> None:
    """Join what is left of every sentence.

    Parameters
    ----------
    linkage : Linkage
    text : Text
    judge : Judge
        The list of the last pass.
    usual : tuple of int
        As ``usual_classes`` returns them.
    step : int
        Number of the step that links are marked with; where no rule spoke they have rule -1.
    """
    size = room_for_features(text.table, text.words)
    stamps = np.full(len(judge.rules.starts), -1, np.int32)
    room = np.empty(text.n_places, np.int32), np.empty(size, np.int32), np.empty(size, np.int32), stamps
    pairs = np.empty((2 * MOST_STEPS, 2), np.int32)
    stamp = 0
    for i in range(len(text.offsets) - 1):
        first, last = text.offsets[i], text.offsets[i + 1]
        here, tokens = of_sentence(linkage, first, last), text.tokens[first:last]
        roots, chosen = np.full((2, last - first), -1, np.int32), np.empty((last - first, 3), np.int32)
        reliability = np.empty(last - first, np.float64)
        before = 0
        for position in range(1, last - first):
            if here.heads[position] < 0:
                roots[0, position], roots[1, before] = before, position
                before = position
        other = roots[1, 0]
        while other >= 0:
            stamp = judge_border(here, tokens, text, judge, roots, room, pairs, stamp, other, chosen, reliability)
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
            label_class = int(judge.rules.classes[rule]) if rule >= 0 else usual[1] if right == best else usual[0]
            add_link(here, left, right, label_class, step, rule)
            dependent = right if label_class % 2 == 0 else left
            before, after = roots[0, dependent], roots[1, dependent]
            roots[1, before] = after
            if after >= 0:
                roots[0, after] = before
            # All borders that see one of the two trees: from the one before to the second behind.
            kept = before if dependent == right else after
            border = roots[0, kept] if roots[0, kept] > 0 else kept
            for _ in range(4):
                if border < 0:
                    break
                if border > 0:
                    stamp = judge_border(
                        here, tokens, text, judge, roots, room, pairs, stamp, border, chosen, reliability
                    )
                border = roots[1, border]
