"""The gold action predictor, its actions with each policy, and the training rows (Chang, Do & Roth 2006, section 2)."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from treevote.corpus.pseudo_projective import projectivize
from treevote.corpus.treebank import Treebank
from treevote.errors import require_known
from treevote.kernels import Bools, Ints, Longs, kernel, leaf
from treevote.models.learning.features.firing import MAX_FEATURES, scratch
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.rows import Buffers, Rows, Trees, rows_of_trees
from treevote.models.learning.features.templates import TemplateTable
from treevote.models.parsers.pipeline.configuration import (
    ACTIONS,
    AFTER,
    L_VALENCY,
    LEFT,
    POLICIES,
    R_VALENCY,
    RIGHT,
    SHIFT,
    WAIT_LEFT,
    WAIT_RIGHT,
    Focus,
    Policy,
    begin,
    take,
    words_left,
)
from treevote.models.parsers.pipeline.features import fire


class Tree(NamedTuple):
    """A projective gold tree: heads, number of dependents of each position, number of arcs between tokens."""

    heads: Ints  # shape (n + 1,)
    valency: Ints  # shape (n + 1,)
    arcs: int


@kernel
def tree_of(heads: Ints) -> Tree:
    """Return the gold tree of these heads."""
    valency = np.zeros(len(heads), np.int32)
    for token in range(1, len(heads)):
        valency[heads[token]] += 1
    return Tree(heads, valency, len(heads) - 1 - int(valency[0]))


@leaf
def gold_action(remaining: Ints, focus: Focus, tree: Tree, waits: Bools) -> int:
    """Return the action that leads to the tree; ``waits`` are flags for the existence of WaitLeft and WaitRight."""
    a, b = focus.a, int(remaining[focus.a, AFTER])
    if tree.heads[b] == a:
        if remaining[b, L_VALENCY] + remaining[b, R_VALENCY] == tree.valency[b]:
            return LEFT
        return WAIT_LEFT if waits[0] else SHIFT
    if tree.heads[a] == b:
        if remaining[a, L_VALENCY] + remaining[a, R_VALENCY] == tree.valency[a]:
            return RIGHT
        return WAIT_RIGHT if waits[1] else SHIFT
    return SHIFT


@leaf
def goes_on(focus: Focus, missing: int) -> bool:
    """Tell whether the gold action predictor continues: until the end of the round that completes the tree.

    With one root the tree is complete when one word is left; with several roots, Shifts between them follow.
    """
    return focus.a > 0 and (missing > 0 or focus.rounds == 1 or focus.action >= 0)


def count_actions(
    treebank: Treebank, policy: Policy = "step-back", *, wait_left: bool = True, wait_right: bool = False
) -> dict[str, int]:
    """Count the actions that the gold action predictor takes to build all trees (Table 1 of the paper).

    Trees that are not projective are made so first, by lifting. ``rounds`` is the number of rounds over all sentences
    that have a pair. ConfigError if there is no such policy, InputError if a sentence is not a tree.

    >>> toy = Treebank.of([(["John", "gives", "me", "a", "beautiful", "puppy", "."], [2, 0, 2, 6, 6, 2, 2], ["_"] * 7)])
    >>> count_actions(toy, "step-back")
    {'shift': 2, 'left': 3, 'right': 3, 'wait-left': 0, 'wait-right': 0, 'rounds': 1}
    """
    require_known("policy", policy, POLICIES)
    projective = projectivize(treebank, "none")
    counts = np.zeros(len(ACTIONS) + 1, np.int64)
    waits = np.array([wait_left, wait_right])
    _count(projective.heads, projective.offsets, POLICIES.index(policy), waits, counts)
    return dict(zip((*ACTIONS, "rounds"), counts.tolist(), strict=True))


@kernel
def _count(heads: Ints, offsets: Longs, policy: int, waits: Bools, counts: Longs) -> None:
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        remaining, tree = words_left(last - first - 1), tree_of(heads[first:last])
        focus, missing = begin(remaining), tree.arcs
        while goes_on(focus, missing):
            action = gold_action(remaining, focus, tree, waits)
            if focus.action < 0:
                counts[-1] += 1
            counts[action] += 1
            if action in (LEFT, RIGHT):
                missing -= 1
            focus = take(remaining, focus, policy, len(remaining), action)


def rows_of(
    treebank: Treebank, words: WordColumns, table: TemplateTable, policy: int, waits: Bools, cutoff: int
) -> Rows:
    """Return the training rows: the features of the pairs on the way to projective trees, and their gold actions.

    ``waits`` are flags for the existence of WaitLeft and WaitRight.
    """
    extract = functools.partial(derive, Trees.of(treebank), words, table, policy, waits)
    return rows_of_trees(extract, MAX_FEATURES, treebank, cutoff)


@kernel
def derive(
    trees: Trees, words: WordColumns, table: TemplateTable, policy: int, waits: Bools, buffers: Buffers
) -> tuple[int, int]:
    """Write a batch of rows for the gold trees, as `treevote.models.learning.features.rows.batches` expects."""
    space, offsets = scratch(table), trees.offsets
    at, keys, lengths, actions = buffers
    n_keys, n_pairs = 0, 0
    while at[0] < len(offsets) - 1:
        sentence = int(at[0])
        first, last = offsets[sentence], offsets[sentence + 1]
        remaining, tree = words_left(last - first - 1), tree_of(trees.heads[first:last])
        focus, missing, pair = begin(remaining), tree.arcs, 0
        while goes_on(focus, missing):
            action = gold_action(remaining, focus, tree, waits)
            if pair >= at[1]:
                if n_keys + MAX_FEATURES > len(keys) or n_pairs == len(lengths):
                    at[1] = pair
                    return n_keys, n_pairs
                lengths[n_pairs] = fire(remaining, focus, trees.tokens[first:last], words, table, space, keys[n_keys:])
                actions[n_pairs] = action
                n_keys += lengths[n_pairs]
                n_pairs += 1
            if action in (LEFT, RIGHT):
                missing -= 1
            focus = take(remaining, focus, policy, len(remaining), action)
            pair += 1
        at[0], at[1] = sentence + 1, 0
    return n_keys, n_pairs
