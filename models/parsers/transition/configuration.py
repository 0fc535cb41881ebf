"""Configurations of a shift-reduce parser: a stack of subtrees, a queue of words (Sagae & Tsujii 2007, section 2).

A configuration is immutable and shares its unchanged parts with its predecessor, so search may keep many of them
(Huang & Sagae 2010, section 2): it names the subtree on top of its stack and the earlier configuration that holds the
rest of the stack. Taking an action writes one new configuration and at most one new subtree, whatever the length of the
sentence. "Leftmost" and "rightmost" are as the parser reads: a backward parser reads the reversed sentence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Index, Ints, Longs, kernel, leaf

# Columns of Workspace.configurations.
TOP = 0  # subtree on top of the stack
BELOW = 1  # configuration whose top is the next item of the stack, -1 if there is none
DEPTH = 2  # items on the stack
FRONT = 3  # first token of the queue, n + 1 when the queue is empty
ACTION = 4  # the action that led here, -1 at the start
PREVIOUS = 5  # the configuration in which it was taken, -1 at the start
BARRIER = 6  # topmost word that waits for a given arc to its left, 0 if there is none; see `reachability`
CONFIGURATION_WIDTH = 7

# Columns of Workspace.trees; subtrees and labels are -1 where there are none.
TOKEN = 0  # the root word of the subtree
L1, L1_LABEL, L2, L2_LABEL = 1, 2, 3, 4  # leftmost and second leftmost dependent and their labels
R1, R1_LABEL, R2, R2_LABEL = 5, 6, 7, 8  # rightmost and second rightmost
L_VALENCY, R_VALENCY = 9, 10  # numbers of dependents on either side
TREE_WIDTH = 16  # one cache line


class Workspace(NamedTuple):
    """The configurations and subtrees of one sentence.

    Row ``t`` of ``trees`` for ``t <= n`` is token ``t`` alone, 0 being ROOT; later rows have gained a dependent.
    """

    configurations: Ints  # shape (capacity, CONFIGURATION_WIDTH)
    trees: Ints  # shape (capacity, TREE_WIDTH)


@kernel
def workspace(n: int, steps: int) -> Workspace:
    """Return arrays for at most ``steps`` actions over a sentence of ``n`` tokens; a derivation has ``2 n``."""
    return Workspace(
        np.empty((steps + 1, CONFIGURATION_WIDTH), np.int32), np.empty((n + 1 + steps, TREE_WIDTH), np.int32)
    )


@leaf
def initial(space: Workspace, n: int) -> None:
    """Write configuration 0, ROOT alone on the stack and all tokens in the queue, and the subtrees of one token."""
    configuration = space.configurations[0]
    configuration[TOP] = 0
    configuration[DEPTH] = configuration[FRONT] = 1
    configuration[BELOW] = configuration[ACTION] = configuration[PREVIOUS] = -1
    for token in range(n + 1):
        for column in range(TREE_WIDTH):
            space.trees[token, column] = -1
        space.trees[token, TOKEN] = token
        space.trees[token, L_VALENCY] = space.trees[token, R_VALENCY] = 0


@leaf
def top_pair(space: Workspace, here: int) -> tuple[int, int]:
    """Return the root words of the two top items of the stack, the upper and the lower one; it has at least two."""
    configuration = space.configurations[Index(here)]
    below = space.configurations[Index(configuration[BELOW])]
    return space.trees[Index(configuration[TOP]), TOKEN], space.trees[Index(below[TOP]), TOKEN]


@leaf
def shift(space: Workspace, here: int, there: int) -> None:
    """Write configuration ``there``: the first word of the queue of ``here`` goes onto the stack."""
    old, new = space.configurations[here], space.configurations[there]
    new[TOP] = old[FRONT]
    new[BELOW] = here
    new[DEPTH] = old[DEPTH] + 1
    new[FRONT] = old[FRONT] + 1
    new[PREVIOUS] = here


@leaf
def reduce(space: Workspace, here: int, there: int, tree: int, head_on_left: bool, label: int) -> None:
    """Write configuration ``there``: the two top items of the stack of ``here`` become one subtree, row ``tree``.

    The lower item is the head if it is on the left (reduce-left), else the upper one (reduce-right).
    """
    old, new = space.configurations[here], space.configurations[there]
    below = space.configurations[old[BELOW]]
    grown = space.trees[tree]
    head = below[TOP] if head_on_left else old[TOP]
    for column in range(TREE_WIDTH):
        grown[column] = space.trees[head, column]
    if head_on_left:
        grown[R2], grown[R2_LABEL] = grown[R1], grown[R1_LABEL]
        grown[R1], grown[R1_LABEL] = old[TOP], label
        grown[R_VALENCY] += 1
    else:
        grown[L2], grown[L2_LABEL] = grown[L1], grown[L1_LABEL]
        grown[L1], grown[L1_LABEL] = below[TOP], label
        grown[L_VALENCY] += 1
    new[TOP] = tree
    new[BELOW] = below[BELOW]
    new[DEPTH] = old[DEPTH] - 1
    new[FRONT] = old[FRONT]
    new[PREVIOUS] = here


@leaf
def has_twin(space: Workspace, beam: Longs, size: int, here: int) -> bool:
    """Tell whether one of the first ``size`` configurations of a beam has the stack and queue of ``here``."""
    found = False
    for i in range(size):
        found = found or same_stack(space, beam[i], here)
    return found


@leaf
def same_stack(space: Workspace, one: int, other: int) -> bool:
    """Tell whether two configurations after as many actions have the same words on the stack and in the queue.

    Each word must have the same leftmost and the same rightmost dependent; labels and inner dependents may differ.
    """
    configurations, trees = space.configurations, space.trees
    if configurations[one, FRONT] != configurations[other, FRONT]:
        return False
    while one != other:  # until the rest of the stack is shared: both are as high
        tree, twin = trees[configurations[one, TOP]], trees[configurations[other, TOP]]
        if tree[TOKEN] != twin[TOKEN]:
            return False
        for side in (L1, R1):
            if word_of(trees, tree[side]) != word_of(trees, twin[side]):
                return False
        one, other = configurations[one, BELOW], configurations[other, BELOW]
    return True


@leaf
def word_of(trees: Ints, tree: int) -> int:
    """Return the root word of a subtree, -1 for none."""
    return int(trees[tree, TOKEN]) if tree >= 0 else -1
