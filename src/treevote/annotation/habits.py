"""Habits of a treebank: how often words with these parts of speech have such an arc, and such a label.

They are the probability of an arc before any parser has spoken. A token never bears witness for itself: its own arc is
left out of the counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import encode
from treevote.ensemble.candidate_features import place_of
from treevote.kernels import Bools, Doubles, Ints, Longs, kernel

PLACES = 13  # number of values of `treevote.ensemble.candidate_features.place_of`
UNSEEN = 0.5  # arcs that are added to the count of each kind of arc, so that none is impossible
ENOUGH_ARCS = 20  # other arcs between two parts of speech, from which on a label that none of them has is a break

ENOUGH_HEADS, REPEATED = 50, 0.02
"""Minimum number of heads with a label, and the share of them with two such dependents, below which two are a break."""


class Habits(NamedTuple):
    """Probabilities of the given analysis by the habits of the treebank alone; shape (n_slots,), 0 for ROOT."""

    heads: Doubles  # of the head, among all other positions of the sentence
    rivals: Doubles  # of all heads that a system proposes, the given one left out
    labels: Doubles  # of the label, given both parts of speech
    frequency: Doubles  # of the label, among all arcs
    is_new: Bools  # no other arc between these parts of speech has this label, though there are many
    is_twin: Bools  # the head has another dependent with this label, which is rare; subtypes do not count

    @classmethod
    def of(cls, treebank: Treebank, proposed: Ints) -> Habits:
        """Count the arcs of a treebank; ``proposed``, shape (k, n_slots), are heads of systems."""
        upos = encode((word.upos for word in treebank.words), {})[treebank.tokens]
        n_tags = int(upos.max(initial=0)) + 1
        arcs, pairs = (np.zeros((n_tags, n_tags, PLACES), np.int64) for _ in range(2))
        count_arcs(treebank.heads, upos, treebank.offsets, arcs, pairs)
        heads, rivals = np.zeros(len(upos)), np.zeros(len(upos))
        head_habits(treebank.heads, proposed, upos, treebank.offsets, arcs, pairs, heads, rivals)
        known = treebank.heads >= 0
        above = upos[treebank.starts + np.maximum(treebank.heads, 0)].astype(np.int64)
        tags = np.where(known, upos * n_tags + above, -1)
        like, of_tags = same(tags, treebank.deprels, known), same(tags, np.zeros_like(treebank.deprels), known)
        of_label = same(np.zeros_like(tags), treebank.deprels, known)
        overall = (of_label + UNSEEN) / (max(1, int(known.sum())) + UNSEEN * max(1, len(treebank.labels)))
        kinds = n_kinds(tags, treebank.deprels, known)  # Witten & Bell 1991: new labels are as likely as kinds are many
        labels = np.where(known, (like + kinds * overall) / (of_tags + kinds), 0.0)
        return cls(
            heads,
            rivals,
            labels,
            np.where(known, overall, 0.0),
            known & (like == 0) & (of_tags >= ENOUGH_ARCS),
            twins(treebank),
        )


def same(first: Longs, second: Ints | Longs, known: Bools) -> Longs:
    """Return for each known slot the number of other known slots with the same two values."""
    key = (first.astype(np.int64) << 32) + second
    _, places, counts = np.unique(key[known], return_inverse=True, return_counts=True)
    found = np.zeros(len(key), np.int64)
    found[known] = counts[places] - 1
    return found


def n_kinds(first: Longs, second: Ints, known: Bools) -> Longs:
    """Return for each known slot the number of distinct second values beside its first value, at least 1."""
    pairs = np.unique((first[known].astype(np.int64) << 32) + second[known]) >> 32
    firsts, counts = np.unique(pairs, return_counts=True)
    found = np.ones(len(first), np.int64)
    found[known] = counts[np.searchsorted(firsts, first[known])]
    return found


def twins(treebank: Treebank) -> Bools:
    """Return a mask of the tokens whose head has two dependents with a label that heads hardly ever have twice."""
    known = treebank.heads >= 0
    universal = encode((label.partition(":")[0] for label in treebank.labels), {})[treebank.deprels].astype(np.int64)
    heads = treebank.starts + np.maximum(treebank.heads, 0)
    n_twins = same(heads, universal, known)
    slots = np.flatnonzero(known)
    first = slots[np.unique((heads[slots] << 32) + universal[slots], return_index=True)[1]]  # a slot for each pair
    n_labels = int(universal.max(initial=0)) + 1
    n_heads = np.bincount(universal[first], minlength=n_labels)
    n_repeated = np.bincount(universal[first[n_twins[first] > 0]], minlength=n_labels)
    is_single = (n_heads >= ENOUGH_HEADS) & (n_repeated < REPEATED * n_heads)
    return known & (n_twins > 0) & is_single[np.maximum(universal, 0)]


@kernel
def count_arcs(heads: Ints, upos: Ints, offsets: Longs, arcs: Longs, pairs: Longs) -> None:
    """Count arcs, and pairs of a token and another position, by both tags and the place of the head."""
    for i in range(len(offsets) - 1):
        first, n = offsets[i], offsets[i + 1] - offsets[i] - 1
        for d in range(1, n + 1):
            for h in range(n + 1):
                if h != d:
                    pairs[upos[first + d], upos[first + h], place_of(d, h)] += 1
            if heads[first + d] >= 0:
                head = int(heads[first + d])
                arcs[upos[first + d], upos[first + head], place_of(d, head)] += 1


@kernel
def head_habits(
    heads: Ints, proposed: Ints, upos: Ints, offsets: Longs, arcs: Longs, pairs: Longs, own: Doubles, rivals: Doubles
) -> None:
    """Write the share of the given head, and of the other heads that systems propose, in the rates of all heads."""
    for i in range(len(offsets) - 1):
        first, n = offsets[i], offsets[i + 1] - offsets[i] - 1
        for d in range(1, n + 1):
            slot, total, given, others = first + d, 0.0, 0.0, 0.0
            for h in range(n + 1):
                if h == d:
                    continue
                a, b, place = upos[slot], upos[first + h], place_of(d, h)
                count = arcs[a, b, place] + UNSEEN
                if h == heads[slot]:
                    count -= 1.0
                rate = count / (pairs[a, b, place] + 2 * UNSEEN)
                total += rate
                if h == heads[slot]:
                    given = rate
                else:
                    for k in range(len(proposed)):
                        if proposed[k, slot] == h:
                            others += rate
                            break
            own[slot] = given / total
            rivals[slot] = others / total
