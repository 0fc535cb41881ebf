"""The transition system of Sagae & Tsujii (2007), section 2.1: bottom-up shift-reduce, since then called arc-standard.

- ``shift`` moves the first word of the queue onto the stack;
- ``reduce-left(l)`` joins the two top items, with the head to the *left* of its new dependent;
- ``reduce-right(l)`` joins them with the head to the *right*.

The paper names the side of the *head*, so ``reduce-left`` makes the arc that Nivre calls right-arc.

One class of the classifier is one (action, label): direction and label are decided together. ROOT comes before the
first word. A word is attached once it has all its dependents. Every sentence of ``n`` tokens is parsed in ``2 n``
actions, and in every configuration but the last some action is legal, so a parse never fails.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Bools, Ints, kernel, leaf
from treevote.models.learning.features.rows import Trees
from treevote.models.learning.features.weights import only_class
from treevote.models.parsers.transition.configuration import (
    ACTION,
    DEPTH,
    FRONT,
    PREVIOUS,
    R_VALENCY,
    TOP,
    Workspace,
    initial,
    reduce,
    shift,
    top_pair,
    workspace,
)

SHIFT, REDUCE_LEFT, REDUCE_RIGHT = 0, 1, 2


class Actions(NamedTuple):
    """The classes of the classifier; class 0 is shift. Arrays have shape (n_actions,)."""

    kind: Ints  # SHIFT, REDUCE_LEFT or REDUCE_RIGHT
    label: Ints  # label of the arc, -1 for shift
    to_root: Bools  # whether a token may be attached to ROOT by it
    to_token: Bools  # whether a token may be attached to another token by it
    single_root: bool  # whether ROOT takes exactly one dependent


def actions_of(treebank: Treebank, single_root: bool) -> Actions:
    """Return the actions for projective trees; labels that occur only on arcs from ROOT are kept for these.

    For a treebank without arcs between two tokens, or without arcs from ROOT, the first label is admitted for them, so
    that every configuration has a legal action.
    """
    tokens = treebank.is_token
    heads, deprels = treebank.heads[tokens], treebank.deprels[tokens]
    kind = np.where(heads < treebank.positions[tokens], REDUCE_LEFT, REDUCE_RIGHT)
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
def is_final(space: Workspace, here: int, n: int) -> bool:
    """Tell whether the queue is empty and ROOT alone is on the stack."""
    configuration = space.configurations[here]
    return bool(configuration[FRONT] > n and configuration[DEPTH] == 1)


@leaf
def legal(space: Workspace, actions: Actions, here: int, n: int, mask: Bools) -> None:
    """Write the mask of the legal actions, shape (n_actions,), in configuration ``here``."""
    configuration = space.configurations[here]
    queue = configuration[FRONT] <= n
    pair = configuration[DEPTH] >= 2
    root_below = pair and top_pair(space, here)[1] == 0
    attach_to_root = root_below and not (actions.single_root and queue)
    attach_to_token = pair and not root_below
    mask[0] = queue
    for action in range(1, len(actions.kind)):
        mask[action] = (attach_to_token and actions.to_token[action]) or (
            attach_to_root and actions.to_root[action] and actions.kind[action] == REDUCE_LEFT
        )


@leaf
def advance(space: Workspace, actions: Actions, here: int, there: int, tree: int, action: int) -> None:
    """Take ``action`` in configuration ``here``: write ``there``, and subtree ``tree`` unless it is a shift."""
    kind = actions.kind[action]
    if kind == SHIFT:
        shift(space, here, there)
    else:
        reduce(space, here, there, tree, kind == REDUCE_LEFT, actions.label[action])
    space.configurations[there, ACTION] = action


class Gold(NamedTuple):
    """A gold tree for the oracle; arrays have the shape (n + 1,) unless another is given."""

    heads: Ints  # of a projective tree
    deprels: Ints
    right_dependents: Ints  # number of dependents of each position to its right
    classes: Ints  # shape (3, n_labels): see `class_table`


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
def oracle(space: Workspace, here: int, gold: Gold) -> int:
    """Return the action that leads to the gold tree (static oracle); -1 if it does not occur in the training data."""
    configuration = space.configurations[here]
    if configuration[DEPTH] < 2:
        return 0
    upper, lower = top_pair(space, here)
    if gold.heads[lower] == upper:
        return int(gold.classes[REDUCE_RIGHT, gold.deprels[lower]])
    valency = space.trees[configuration[TOP], R_VALENCY]
    if gold.heads[upper] == lower and valency == gold.right_dependents[upper]:
        return int(gold.classes[REDUCE_LEFT, gold.deprels[upper]])
    return 0


@kernel
def derive_gold(trees: Trees, sentence: int, actions: Actions, classes: Ints) -> tuple[Workspace, Ints, Gold]:
    """Return the configurations on the oracle's way to a projective tree, from row 0 on, and the action taken in each.

    The action is -1 where only one is legal. Return the tree as well. ``classes`` is that of `class_table`.
    """
    first, last = trees.offsets[sentence], trees.offsets[sentence + 1]
    gold, n = gold_of(trees.heads[first:last], trees.deprels[first:last], classes), last - first - 1
    space, taken, mask = workspace(n, 2 * n), np.empty(2 * n, np.int32), np.empty(len(actions.kind), np.bool_)
    initial(space, n)
    for here in range(2 * n):
        action = oracle(space, here, gold)
        legal(space, actions, here, n, mask)
        taken[here] = action if only_class(mask) < 0 else -1
        advance(space, actions, here, here + 1, n + 1 + here, action)
    return space, taken, gold


@leaf
def write_tree(space: Workspace, actions: Actions, final: int, heads: Ints, deprels: Ints) -> None:
    """Write the tree of a final configuration, following its derivation back; -1 for ROOT."""
    heads[0], deprels[0] = -1, -1
    here = final
    while space.configurations[here, PREVIOUS] >= 0:
        action = space.configurations[here, ACTION]
        here = space.configurations[here, PREVIOUS]
        if actions.kind[action] == SHIFT:
            continue
        upper, lower = top_pair(space, here)
        if actions.kind[action] == REDUCE_LEFT:
            heads[upper], deprels[upper] = lower, actions.label[action]
        else:
            heads[lower], deprels[lower] = upper, actions.label[action]
