"""Agreement of systems with each other and with the gold trees, which is correctness.

Two analyses of a token agree on its head, or on its arc, which is head and label. A token without a head agrees with
nothing. The oracle is right where at least one system is: the upper bound of a choice among them. An arc is uniquely
correct if one system alone has it right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import common_labels
from treevote.evaluation.counts import Convention, compared_part, require_heads, require_same_sentences
from treevote.kernels import Bools, Doubles, Ints


class Arcs(NamedTuple):
    """One analysis of every token, as in `treevote.corpus.treebank.Treebank`; all analyses have common labels."""

    heads: Ints
    deprels: Ints


class Agreement(NamedTuple):
    """Masks of the slots with the same head, and with the same head and label; shape (n_slots,), false for ROOT."""

    heads: Bools
    arcs: Bools


def agreement(first: Arcs, second: Arcs) -> Agreement:
    """Return the masks of agreement of two analyses."""
    heads = (first.heads >= 0) & (first.heads == second.heads)
    return Agreement(heads, heads & (first.deprels == second.deprels))


def disagreement(first: Arcs, second: Arcs) -> Bools:
    """Return a mask of the slots in which two analyses have different heads or labels, shape (n_slots,)."""
    differ: Bools = (first.heads != second.heads) | (first.deprels != second.deprels)
    return differ


def arcs_of(systems: Sequence[Treebank], convention: Convention = "conllx") -> list[Arcs]:
    """Return the analyses of the same sentences by systems, with the part of labels that a convention compares."""
    _, deprels = common_labels(systems, compared_part(convention))
    return [Arcs(system.heads, row) for system, row in zip(systems, deprels, strict=True)]


def unanimous(systems: Sequence[Treebank]) -> Bools:
    """Return a mask of the slots to which all systems give the same head and label, shape (n_slots,)."""
    first, *others = arcs_of(systems)
    mask = first.heads >= 0
    for other in others:
        mask &= agreement(first, other).arcs
    return mask


def oracle(right: Sequence[Bools]) -> Bools:
    """Return the mask of the items that at least one system has right, given a mask of right items for each."""
    return np.asarray(np.logical_or.reduce(right))


def uniquely_correct(right: Sequence[Bools]) -> list[Bools]:
    """Return for each system the mask of the items that it alone has right, given a mask for each."""
    once = np.sum(right, axis=0) == 1
    return [own & once for own in right]


def right_arcs(gold: Treebank, system: Treebank, *, convention: Convention = "ud") -> Agreement:
    """Return the masks of the right heads and the right arcs of a system; errors are those of `counts.evaluate`."""
    require_heads(gold)
    require_same_sentences(gold, system)
    return agreement(*arcs_of([gold, system], convention))


def accuracy_by(gold: Treebank, system: Treebank, key: Ints, n_keys: int) -> Doubles:
    """Return the share, 0 to 1, of right arcs (head and whole label) for each value of a column, such as the POS.

    ``key`` has a value of ``0..n_keys - 1`` for each slot; those of ROOT slots are ignored. The result has the shape
    (n_keys,), with ``nan`` for values that no token has. Errors are those of `treevote.evaluation.counts.evaluate`.
    """
    tokens = gold.is_token
    _, right = right_arcs(gold, system, convention="conllx")
    totals = np.bincount(key[tokens], minlength=n_keys)
    hits = np.bincount(key[tokens], weights=right[tokens], minlength=n_keys)
    shares = np.full(n_keys, np.nan)
    np.divide(hits, totals, out=shares, where=totals > 0)
    return shares
