"""Partial linkages: the links found so far, and the pairs of words that may be linked next.

A linkage is projective, and ROOT is a word like any other but for never having a head. Words without a head are the
roots of *trees*, which stand side by side and cover the sentence. Two words are *potentially adjacent* if a link
between them neither crosses a link nor closes a cycle, and all words between them have heads: so they belong to
neighbouring trees, the left one is the root of its tree or reached from it along rightmost dependents, the right one
the root of its tree or reached along leftmost dependents, and one of them is a root, which can become the dependent.

A class is 0 for no link, ``1 + 2 * label`` for a link whose dependent is the left word (written ``L:label``), and
``2 + 2 * label`` for one whose dependent is the right word (``R:label``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Ints, kernel

NONE = 0
MOST_STEPS = 32
"""Words looked at along the dependents of a root; those further away are not considered."""


class Linkage(NamedTuple):
    """Links of sentences, or of one of them.

    Attributes
    ----------
    heads : ndarray of int32, shape (n_slots,)
        Position of the head within the sentence, -1 for none.
    classes : ndarray of int32, shape (n_slots,)
        Class of the link to the head, 0 for none.
    ldep, rdep : ndarray of int32, shape (n_slots,)
        Leftmost dependent on the left, rightmost on the right; -1 for none.
    steps, rules : ndarray of int32, shape (n_slots,)
        In which step of the parser the word was linked to its head, and by which rule; -1 for none.
    """

    heads: Ints
    classes: Ints
    ldep: Ints
    rdep: Ints
    steps: Ints
    rules: Ints


def unlinked(n_slots: int) -> Linkage:
    """Return a linkage without links."""
    heads, ldep, rdep, steps, rules = (np.full(n_slots, -1, np.int32) for _ in range(5))
    return Linkage(heads, np.zeros(n_slots, np.int32), ldep, rdep, steps, rules)


@kernel
def of_sentence(linkage: Linkage, first: int, last: int) -> Linkage:
    """Return the part of a linkage that belongs to the slots ``first:last`` of a sentence."""
    return Linkage(
        linkage.heads[first:last],
        linkage.classes[first:last],
        linkage.ldep[first:last],
        linkage.rdep[first:last],
        linkage.steps[first:last],
        linkage.rules[first:last],
    )


@kernel
def next_root(here: Linkage, position: int) -> int:
    """Return the first word from ``position`` on that has no head, or -1."""
    while position < len(here.heads):
        if here.heads[position] < 0:
            return position
        position += 1
    return -1


@kernel
def pairs_between(here: Linkage, one: int, other: int, single_root: bool, pairs: Ints) -> int:
    """List the potentially adjacent words of two neighbouring trees.

    Parameters
    ----------
    here : Linkage
        Of one sentence.
    one, other : int
        The roots of the trees; ROOT is 0.
    single_root : bool
        ROOT gets no second dependent.
    pairs : ndarray of int32, shape (at least 2 * MOST_STEPS, 2)
        Receives the pairs, the left word first.

    Returns
    -------
    int
        How many there are; never 0.
    """
    n, steps, word = 0, 0, one
    while word >= 0 and steps < MOST_STEPS:
        if not (word == 0 and single_root and here.rdep[0] >= 0):
            pairs[n, 0], pairs[n, 1] = word, other
            n += 1
        word = here.rdep[word]
        steps += 1
    if one > 0:
        steps, word = 1, here.ldep[other]
        while word >= 0 and steps < MOST_STEPS:
            pairs[n, 0], pairs[n, 1] = one, word
            n += 1
            word = here.ldep[word]
            steps += 1
    return n


@kernel
def room_for_pairs(n_slots: int) -> tuple[Ints, Ints]:
    """Return arrays that hold all pairs of a sentence."""
    most = 2 * MOST_STEPS * n_slots
    return np.empty((most, 2), np.int32), np.empty((most, 2), np.int32)


@kernel
def all_pairs(here: Linkage, single_root: bool, pairs: Ints, around: Ints) -> int:
    """List the potentially adjacent words of a sentence.

    Parameters
    ----------
    here : Linkage
        Of one sentence.
    single_root : bool
    pairs, around : ndarray of int32, as of ``room_for_pairs``
        Receive the pairs, and for each the roots of the trees before and after its own two, -1 for none.

    Returns
    -------
    int
        How many there are.
    """
    n, before, one = 0, -1, 0
    other = next_root(here, 1)
    while other >= 0:
        after = next_root(here, other + 1)
        more = pairs_between(here, one, other, single_root, pairs[n:])
        around[n : n + more, 0], around[n : n + more, 1] = before, after
        n += more
        before, one, other = one, other, after
    return n


@kernel
def can_link(here: Linkage, left: int, right: int, to_left: bool, single_root: bool) -> bool:
    """Tell whether two words are potentially adjacent and the dependent, the left one or not, has no head."""
    if to_left:
        if left == 0 or here.heads[left] >= 0:
            return False
        word = left
        while here.rdep[word] >= 0:
            word = here.rdep[word]
        word += 1
        if word == len(here.heads):
            return False
        while word >= 0 and word != right:
            word = here.heads[word]
        return word == right
    if here.heads[right] >= 0 or (left == 0 and single_root and here.rdep[0] >= 0):
        return False
    word = right
    while here.ldep[word] >= 0:
        word = here.ldep[word]
    word -= 1
    while word >= 0 and word != left:
        word = here.heads[word]
    return word == left


@kernel
def add_link(here: Linkage, left: int, right: int, label_class: int, step: int, rule: int) -> None:
    """Link two potentially adjacent words; the class is none of ``NONE``."""
    if label_class % 2 == 1:
        dependent, head = left, right
        here.ldep[head] = dependent
    else:
        dependent, head = right, left
        here.rdep[head] = dependent
    here.heads[dependent], here.classes[dependent] = head, label_class
    here.steps[dependent], here.rules[dependent] = step, rule


@kernel
def gold_class(heads: Ints, deprels: Ints, left: int, right: int) -> int:
    """Return the class that a tree gives to a pair of words."""
    if heads[left] == right:
        return 1 + 2 * int(deprels[left])
    if heads[right] == left:
        return 2 + 2 * int(deprels[right])
    return NONE


def class_name(label_class: int, labels: tuple[str, ...]) -> str:
    """Return the name of a class.

    Examples
    --------
    >>> class_name(0, ("det",)), class_name(1, ("det",)), class_name(2, ("det",))
    ('NONE', 'L:det', 'R:det')
    """
    if label_class == NONE:
        return "NONE"
    return f"{'L' if label_class % 2 else 'R'}:{labels[(label_class - 1) // 2]}"
