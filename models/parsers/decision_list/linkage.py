"""Partial linkages: the links found so far, and the pairs of words that may be linked next.

A linkage is projective, and ROOT is an ordinary word that never has a head. Words without a head are the roots of
*trees*, which lie side by side and cover the sentence. Two words are *potentially adjacent* if a link
between them neither crosses a link nor closes a cycle, and all words between them have heads: so they belong to
neighbouring trees, the left one is the root of its tree or reached from it along rightmost dependents, the right one
the root of its tree or reached along leftmost dependents, and one of them is a root, which can become the dependent.

A class is 0 for no link, ``1 + 2 * label`` for a link whose dependent is the left word (written ``L:label``), and
``2 + 2 * label`` for one whose dependent is the right word (``R:label``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Ints, kernel, leaf
from treevote.models.parsers.given_arcs import GivenArcs

NONE = 0
MAX_STEPS = 32  # maximum number of words considered along the dependents of a root


class Linkage(NamedTuple):
    """Links of sentences, or of one sentence; arrays have the shape (n_slots,), and -1 for none."""

    heads: Ints  # position of the head within the sentence
    classes: Ints  # class of the link to the head, 0 for none
    ldep: Ints  # leftmost dependent on the left
    rdep: Ints  # rightmost dependent on the right
    steps: Ints  # step of the parser that linked the word to its head
    rules: Ints  # and its rule


def unlinked(n_slots: int) -> Linkage:
    """Return a linkage without links."""
    heads, ldep, rdep, steps, rules = (np.full(n_slots, -1, np.int32) for _ in range(5))
    return Linkage(heads, np.zeros(n_slots, np.int32), ldep, rdep, steps, rules)


@kernel
def of_sentence(linkage: Linkage, first: int, last: int) -> Linkage:
    """Return a view of the slots ``first:last``, those of one sentence."""
    heads, classes, ldep, rdep, steps, rules = linkage
    own = slice(first, last)
    return Linkage(heads[own], classes[own], ldep[own], rdep[own], steps[own], rules[own])


@leaf
def next_root(here: Linkage, position: int) -> int:
    """Return the first word from ``position`` on that has no head, or -1."""
    while position < len(here.heads):
        if here.heads[position] < 0:
            return position
        position += 1
    return -1


@leaf
def pairs_between(here: Linkage, one: int, other: int, single_root: bool, pairs: Ints) -> int:
    """List the potentially adjacent words of two neighbouring trees with the roots ``one`` and ``other``.

    ``pairs``, shape (at least 2 * MAX_STEPS, 2), receives them, the left word first. Returns their number, at least 1.
    """
    n, steps, word = 0, 0, one
    while word >= 0 and steps < MAX_STEPS:
        if not (word == 0 and single_root and here.rdep[0] >= 0):
            pairs[n, 0], pairs[n, 1] = word, other
            n += 1
        word = here.rdep[word]
        steps += 1
    if one > 0:
        steps, word = 1, here.ldep[other]
        while word >= 0 and steps < MAX_STEPS:
            pairs[n, 0], pairs[n, 1] = one, word
            n += 1
            word = here.ldep[word]
            steps += 1
    return n


@kernel
def pair_arrays(n_slots: int) -> tuple[Ints, Ints]:
    """Return arrays for all pairs of a sentence."""
    most = 2 * MAX_STEPS * n_slots
    return np.empty((most, 2), np.int32), np.empty((most, 2), np.int32)


@leaf
def all_pairs(here: Linkage, single_root: bool, pairs: Ints, around: Ints) -> int:
    """List the potentially adjacent words of a sentence, and return their number.

    ``around`` receives the roots of the trees before and after those of each pair, -1 for none.
    """
    n, before, one = 0, -1, 0
    other = next_root(here, 1)
    while other >= 0:
        after = next_root(here, other + 1)
        more = pairs_between(here, one, other, single_root, pairs[n:])
        for pair in range(n, n + more):
            around[pair, 0], around[pair, 1] = before, after
        n += more
        before, one, other = one, other, after
    return n


@leaf
def can_link(here: Linkage, left: int, right: int, to_left: bool, single_root: bool) -> bool:
    """Tell whether two words are potentially adjacent and the dependent (the left word if ``to_left``) has no head."""
    head, dependent = (right, left) if to_left else (left, right)
    if dependent == 0 or here.heads[dependent] >= 0 or (head == 0 and single_root and here.rdep[0] >= 0):
        return False
    outermost, step = (here.rdep, 1) if to_left else (here.ldep, -1)
    word = dependent  # then the outermost word of its tree on the side of the head, and the neighbour of that
    while outermost[word] >= 0:
        word = outermost[word]
    word += step
    if word == len(here.heads):
        return False
    while word >= 0 and word != head:
        word = here.heads[word]
    return word == head


@leaf
def is_given(given: GivenArcs, left: int, right: int) -> bool:
    """Tell whether the link between two words is a given arc."""
    return len(given.heads) > 0 and (given.heads[left] == right or given.heads[right] == left)


@leaf
def is_free(here: Linkage, given: GivenArcs, left: int, right: int, to_left: bool) -> bool:
    """Tell whether all given arcs can be made after a link between two potentially adjacent words.

    A link hides the words within it, and the inner side of its dependent: none of them may wait for a given arc that
    leads out. Links and given arcs together close no cycle. So the given arcs that are left can be made, one after the
    other.
    """
    if len(given.heads) == 0:
        return True
    head, dependent = (right, left) if to_left else (left, right)
    if given.heads[dependent] >= 0 and given.heads[dependent] != head:
        return False
    if given.rightmost[left] >= right if to_left else given.leftmost[right] <= left:
        return False
    for word in range(left + 1, right):
        leads_out = given.heads[word] >= 0 and not left <= given.heads[word] <= right
        if leads_out or given.leftmost[word] < left or given.rightmost[word] > right:
            return False
    above = head
    while above > 0 and above != dependent:
        above = here.heads[above] if here.heads[above] >= 0 else given.heads[above]
    return above != dependent


@leaf
def add_link(here: Linkage, left: int, right: int, label_class: int, step: int, rule: int) -> None:
    """Link two potentially adjacent words; the class is not ``NONE``."""
    if label_class % 2 == 1:
        dependent, head = left, right
        here.ldep[head] = dependent
    else:
        dependent, head = right, left
        here.rdep[head] = dependent
    here.heads[dependent], here.classes[dependent] = head, label_class
    here.steps[dependent], here.rules[dependent] = step, rule


@leaf
def gold_class(heads: Ints, deprels: Ints, left: int, right: int) -> int:
    """Return the class of a pair of words in a tree."""
    if heads[left] == right:
        return 1 + 2 * int(deprels[left])
    if heads[right] == left:
        return 2 + 2 * int(deprels[right])
    return NONE


def class_name(label_class: int, labels: tuple[str, ...]) -> str:
    """Return the name of a class.

    >>> class_name(0, ("det",)), class_name(1, ("det",)), class_name(2, ("det",))
    ('NONE', 'L:det', 'R:det')
    """
    if label_class == NONE:
        return "NONE"
    return f"{'L' if label_class % 2 else 'R'}:{labels[(label_class - 1) // 2]}"
