"""The transition system of Sagae & Tsujii (2007), section 2.1: bottom-up shift-reduce, since then called arc-standard.

- ``shift`` moves the first word of the queue onto the stack;
- ``reduce-left(l)`` joins the two top items, the head of the new tree standing to the *left* of its new dependent;
- ``reduce-right(l)`` joins them with the head to the *right*.

Mind the names: the paper says where the *head* stands, so ``reduce-left`` makes the arc that Nivre calls right-arc.

One class of the classifier is one (action, label): direction and label are decided together. ROOT stands before the
first word. A word is attached once it has all its dependents. Every sentence of ``n`` tokens is parsed in ``2 n``
actions, and in every configuration but the last some action is legal, so a parse never fails.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Bools, Ints, kernel
from treevote.models.transition.configuration import (
    ACTION,
    BELOW,
    DEPTH,
    FRONT,
    R_VALENCY,
    TOKEN,
    TOP,
    Arena,
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
    """Return the actions that the trees of a treebank need: labels that only ROOT gives stay with ROOT.

    Parameters
    ----------
    treebank : Treebank
        Projective trees.
    single_root : bool
        Whether ROOT takes exactly one dependent.

    Notes
    -----
    A treebank that shows no arc between two tokens, or none from ROOT, gets the first label for it, so that every
    configuration has a legal action.
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


@kernel
def is_final(space: Arena, here: int, n: int) -> bool:
    """Tell whether the queue is empty and ROOT alone is on the stack."""
    configuration = space.configurations[here]
    return bool(configuration[FRONT] > n and configuration[DEPTH] == 1)


@kernel
def legal(space: Arena, actions: Actions, here: int, n: int, mask: Bools) -> None:
    """Write into ``mask``, shape (n_actions,), which actions are possible in configuration ``here``."""
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


@kernel
def forced(mask: Bools) -> int:
    """Return the only legal action of ``mask``, -1 if there is a choice.

    With a single root, for one, the first word over ROOT waits there until the queue is empty.
    """
    only = -1
    for action in range(len(mask)):
        if mask[action]:
            if only >= 0:
                return -1
            only = action
    return only


@kernel
def advance(space: Arena, actions: Actions, here: int, there: int, tree: int, action: int) -> None:
    """Take ``action`` in configuration ``here``: write ``there``, and subtree ``tree`` unless it is a shift."""
    kind = actions.kind[action]
    if kind == SHIFT:
        shift(space, here, there)
    else:
        reduce(space, here, there, tree, kind == REDUCE_LEFT, actions.label[action])
    space.configurations[there, ACTION] = action


@kernel
def count_right_dependents(heads: Ints) -> Ints:
    """Return for each position of a tree the number of its dependents to the right, shape (n + 1,)."""
    counts = np.zeros(len(heads), np.int32)
    for d in range(1, len(heads)):
        if heads[d] < d:
            counts[heads[d]] += 1
    return counts


@kernel
def oracle(space: Arena, here: int, heads: Ints, right_dependents: Ints) -> int:
    """Return the kind of the action that leads to the gold tree: the static oracle.

    Parameters
    ----------
    space : Arena
    here : int
    heads : ndarray of int32, shape (n + 1,)
        A projective tree.
    right_dependents : ndarray of int32, shape (n + 1,)
        See `count_right_dependents`.
    """
    configuration = space.configurations[here]
    if configuration[DEPTH] < 2:
        return SHIFT
    top = space.trees[configuration[TOP]]
    below = space.trees[space.configurations[configuration[BELOW], TOP], TOKEN]
    if heads[below] == top[TOKEN]:
        return REDUCE_RIGHT
    if heads[top[TOKEN]] == below and top[R_VALENCY] == right_dependents[top[TOKEN]]:
        return REDUCE_LEFT
    return SHIFT


@kernel
def oracle_label(space: Arena, here: int, kind: int, deprels: Ints) -> int:
    """Return the gold label of the arc that an action of the oracle makes; 0 for shift.

    Parameters
    ----------
    space : Arena
    here : int
    kind : int
        What ``oracle`` returned.
    deprels : ndarray of int32, shape (n + 1,)
    """
    configuration = space.configurations[here]
    if kind == REDUCE_LEFT:
        return int(deprels[space.trees[configuration[TOP], TOKEN]])
    if kind == REDUCE_RIGHT:
        return int(deprels[space.trees[space.configurations[configuration[BELOW], TOP], TOKEN]])
    return 0
