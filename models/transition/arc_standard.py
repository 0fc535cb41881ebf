"""The transition system of Sagae & Tsujii (2007), section 2.1: bottom-up shift-reduce, since then called arc-standard.

- ``shift`` moves the first word of the queue onto the stack;
- ``reduce-left(l)`` joins the two top items, with the head to the *left* of its new dependent;
- ``reduce-right(l)`` joins them with the head to the *right*.

The paper names the side of the *head*, so ``reduce-left`` makes the arc that Nivre calls right-arc.

One class of the classifier is one (action, label): direction and label are decided together. ROOT comes before the
first word. A word is attached once it has all its dependents. Every sentence of ``n`` tokens is parsed in ``2 n``
actions, and in every configuration but the last some action is legal, so a parse never fails.

Search and training depend only on these parts of a system: `Actions`, `legal`, `advance`, `is_final`, the oracle's
`walk`, and `write_tree`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Bools, Ints, kernel, leaf
from treevote.models.transition.configuration import (
    ACTION,
    BELOW,
    DEPTH,
    FRONT,
    PREVIOUS,
    R_VALENCY,
    TOKEN,
    TOP,
    Arena,
    initial,
    reduce,
    shift,
)

SHIFT, REDUCE_LEFT, REDUCE_RIGHT = 0, 1, 2


class Actions(NamedTuple):
    """The classes of the classifier; class 0 is shift.

    Attributes
    ----------
    kind : ndarray of int32, shape (n_actions,)
        SHIFT, REDUCE_LEFT or REDUCE_RIGHT.
    label : ndarray of int32, shape (n_actions,)
        Label of the arc, -1 for shift.
    to_root : ndarray of bool, shape (n_actions,)
        Whether a token may be attached to ROOT by it.
    to_token : ndarray of bool, shape (n_actions,)
        Whether a token may be attached to another token by it.
    single_root : bool
        Whether ROOT takes exactly one dependent.
    """

    kind: Ints
    label: Ints
    to_root: Bools
    to_token: Bools
    single_root: bool


def actions_of(treebank: Treebank, single_root: bool) -> Actions:
    """Return the actions for the trees of a treebank; labels that occur only on arcs from ROOT are kept for these.

    Parameters
    ----------
    treebank : Treebank
        Projective trees.
    single_root : bool
        Whether ROOT takes exactly one dependent.

    Notes
    -----
    For a treebank without arcs between two tokens, or without arcs from ROOT, the first label is admitted for them, so
    that every configuration has a legal action.
    """
    tokens = treebank.is_token
    position = np.arange(len(treebank.tokens)) - np.repeat(treebank.offsets[:-1], np.diff(treebank.offsets))
    heads, deprels = treebank.heads[tokens], treebank.deprels[tokens]
    kind = np.where(heads < position[tokens], REDUCE_LEFT, REDUCE_RIGHT)
    seen = set(zip(kind.tolist(), deprels.tolist(), (heads == 0).tolist(), strict=True))
    if not any(from_root for _, _, from_root in seen):
        seen.add((REDUCE_LEFT, 0, True))
    if all(from_root for _, _, from_root in seen):
        seen.add((REDUCE_LEFT, 0, False))
    classes = sorted({(kind, label) for kind, label, _ in seen})
    return Actions(
        np.array([SHIFT, *(kind for kind, _ in classes)], np.int32),
        np.array([-1, *(label for _, label in classes)], np.int32),
        np.array([False, *((kind, label, True) in seen for kind, label in classes)]),
        np.array([False, *((kind, label, False) in seen for kind, label in classes)]),
        single_root,
    )


@leaf
def is_final(space: Arena, here: int, n: int) -> bool:
    """Tell whether the queue is empty and ROOT alone is on the stack."""
    configuration = space.configurations[here]
    return bool(configuration[FRONT] > n and configuration[DEPTH] == 1)


@leaf
def legal(space: Arena, actions: Actions, here: int, n: int, mask: Bools) -> None:
    """Write the mask of the legal actions, shape (n_actions,), in configuration ``here``."""
    configuration = space.configurations[here]
    queue = configuration[FRONT] <= n
    pair = configuration[DEPTH] >= 2
    root_below = False
    if pair:
        root_below = space.trees[space.configurations[configuration[BELOW], TOP], TOKEN] == 0
    attach_to_root = root_below and not (actions.single_root and queue)
    attach_to_token = pair and not root_below
    mask[0] = queue
    for action in range(1, len(actions.kind)):
        mask[action] = (attach_to_token and actions.to_token[action]) or (
            attach_to_root and actions.to_root[action] and actions.kind[action] == REDUCE_LEFT
        )


@leaf
def forced(mask: Bools) -> int:
    """Return the only legal action of ``mask``, -1 if there is a choice.

    For example, with a single root, the item above ROOT waits there until the queue is empty.
    """
    only = -1
    for action in range(len(mask)):
        if mask[action]:
            if only >= 0:
                return -1
            only = action
    return only


@leaf
def advance(space: Arena, actions: Actions, here: int, there: int, tree: int, action: int) -> None:
    """Take ``action`` in configuration ``here``: write ``there``, and subtree ``tree`` unless it is a shift."""
    kind = actions.kind[action]
    if kind == SHIFT:
        shift(space, here, there)
    else:
        reduce(space, here, there, tree, kind == REDUCE_LEFT, actions.label[action])
    space.configurations[there, ACTION] = action


class Gold(NamedTuple):
    """A gold tree for the oracle; arrays have the shape (n + 1,) unless another is given.

    Attributes
    ----------
    heads : ndarray of int32
        A projective tree.
    deprels : ndarray of int32
    right_dependents : ndarray of int32
        Number of dependents of each position to its right.
    classes : ndarray of int32, shape (3, n_labels)
        As `class_table` returns them.
    """

    heads: Ints
    deprels: Ints
    right_dependents: Ints
    classes: Ints


def class_table(actions: Actions, n_labels: int) -> Ints:
    """Return the class of each (kind, label), -1 where there is none; shape (3, n_labels)."""
    classes = np.full((3, max(1, n_labels)), -1, np.int32)
    for action in range(1, len(actions.kind)):
        classes[actions.kind[action], actions.label[action]] = action
    classes[SHIFT] = 0
    return classes


@kernel
def gold_of(heads: Ints, deprels: Ints, classes: Ints) -> Gold:
    """Return the gold tree of these heads and labels, for the oracle."""
    counts = np.zeros(len(heads), np.int32)
    for d in range(1, len(heads)):
        if heads[d] < d:
            counts[heads[d]] += 1
    return Gold(heads, deprels, counts, classes)


@leaf
def oracle(space: Arena, here: int, gold: Gold) -> int:
    """Return the action that leads to the gold tree (static oracle); -1 if it does not occur in the training data."""
    configuration = space.configurations[here]
    if configuration[DEPTH] < 2:
        return 0
    top = space.trees[configuration[TOP]]
    upper, lower = top[TOKEN], space.trees[space.configurations[configuration[BELOW], TOP], TOKEN]
    if gold.heads[lower] == upper:
        return int(gold.classes[REDUCE_RIGHT, gold.deprels[lower]])
    if gold.heads[upper] == lower and top[R_VALENCY] == gold.right_dependents[upper]:
        return int(gold.classes[REDUCE_LEFT, gold.deprels[upper]])
    return 0


@kernel
def walk(space: Arena, actions: Actions, gold: Gold, taken: Ints) -> None:
    """Write the configurations on the oracle's way to a gold tree, from row 0 on, and the action taken in each.

    ``taken``, shape (at least 2 * n,), receives the actions, -1 where only one is legal.
    """
    n = len(gold.heads) - 1
    mask = np.empty(len(actions.kind), np.bool_)
    initial(space, n)
    for here in range(2 * n):
        action = oracle(space, here, gold)
        legal(space, actions, here, n, mask)
        taken[here] = action if forced(mask) < 0 else -1
        advance(space, actions, here, here + 1, n + 1 + here, action)


@leaf
def write_tree(space: Arena, actions: Actions, final: int, heads: Ints, deprels: Ints) -> None:
    """Write the tree of a final configuration, following its derivation back; -1 for ROOT."""
    heads[0], deprels[0] = -1, -1
    here = final
    while space.configurations[here, PREVIOUS] >= 0:
        action = space.configurations[here, ACTION]
        here = space.configurations[here, PREVIOUS]
        if actions.kind[action] == SHIFT:
            continue
        upper = space.trees[space.configurations[here, TOP], TOKEN]
        lower = space.trees[space.configurations[space.configurations[here, BELOW], TOP], TOKEN]
        if actions.kind[action] == REDUCE_LEFT:
            heads[upper], deprels[upper] = lower, actions.label[action]
        else:
            heads[lower], deprels[lower] = upper, actions.label[action]
