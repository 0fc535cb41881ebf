"""The probability that a given arc or label is wrong, from the votes of parsers that did not learn from it.

An annotation is one more system, of which is known how it errs, as in the annotator models of Rehbein & Ruppenhofer
(2018), "Sprucing up the trees: error detection in treebanks". Bayes' rule weighs three stories of it: the arc is right,
with the probability that the learned vote gives to it; the head is a slip; or the label is. Half of the slips are
confusions: another of the heads, or of the labels of the head, that parsers propose, where they propose several. Half
of them are random: any other head, or a label by its frequency in the treebank. Parsers hardly ever propose a rare
label, but a slip does not lead there either.

An arc that no parser proposes is not impossible: it has its share, by the habits of the treebank, in the probability
that all parsers are wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.annotation.habits import Habits
from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import encode
from treevote.ensemble.candidate_model import Examples
from treevote.kernels import Bools, Doubles, Ints

SLIPS = 0.01  # probability of a wrong head, and of a wrong label, before anything is known of the token
LEAST = 1e-9  # least probability that is divided by


class Verdicts(NamedTuple):
    """Probabilities of each given arc, and what the parsers say instead; shape (n_slots,), 0 and -1 for ROOT."""

    wrong_head: Doubles  # that the given head is a slip
    wrong_label: Doubles  # that the head is right, and the label a slip
    rival: Ints  # the most probable other head, -1 if no parser proposes one
    rival_deprel: Ints  # its label, an index in labels
    other_deprel: Ints  # the most probable other label of the given head, -1 if no parser proposes one
    labels: tuple[str, ...]  # those of the treebank, then others of the parsers

    @classmethod
    def of(cls, treebank: Treebank, parses: Sequence[Treebank], habits: Habits) -> Verdicts:
        """Judge a treebank by parses of systems that were not trained on its sentences.

        The vote over them is learned from each half of the sentences for the other half.
        """
        vote = Examples.of(treebank, parses, convention="conllx").crossed()
        (proposed, names, labels), candidates, values = vote.ballots, vote.candidates, vote.values
        slots, systems, named = candidates
        vocabulary = {label: number for number, label in enumerate(treebank.labels)}
        renumbered = encode(labels, vocabulary)
        n, known = len(treebank.tokens), treebank.heads >= 0
        heads, deprels = proposed[systems, slots], renumbered[names[systems, slots]]
        same_head = heads == treebank.heads[slots]
        same_label = same_head & named & (deprels == treebank.deprels[slots])

        def total(mask: Bools) -> Doubles:
            return np.bincount(slots[mask], values[mask], n).astype(np.float64)

        def number(mask: Bools) -> Doubles:
            return np.bincount(slots[mask], minlength=n).astype(np.float64)

        is_proposed = number(same_head) > 0
        left = (1 - np.bincount(slots, values, n)) * habits.heads / np.maximum(1 - habits.rivals, LEAST)
        head = np.where(is_proposed, total(same_head), left.clip(0, 1))
        is_named = number(same_label) > 0
        unnamed = np.where(is_proposed, total(same_head & ~named), head) * habits.labels
        label = np.minimum(np.where(is_named, total(same_label), unnamed) / np.maximum(head, LEAST), 1)

        n_heads, n_labels = number(~named), number(same_head & named)
        positions = np.repeat(treebank.lengths, np.diff(treebank.offsets))
        head_slips = slips(head, is_proposed, n_heads, 1 / np.maximum(positions - 1, 1), known)
        label_slips = slips(label, is_named, n_labels, habits.frequency, known)
        stories = head * label, head_slips * habits.labels, head * label_slips
        whole = np.maximum(stories[0] + stories[1] + stories[2], LEAST)
        wrong_head, wrong_label = (np.where(known, story / whole, 0.0) for story in stories[1:])
        rival, rival_deprel = best(slots, np.where(named & ~same_head, values, 0), heads, deprels, n)
        _, other = best(slots, np.where(same_head & named & ~same_label, values, 0), heads, deprels, n)
        return cls(wrong_head, wrong_label, rival, rival_deprel, other, tuple(vocabulary))


def slips(own: Doubles, proposed: Bools, n_proposed: Doubles, by_chance: Doubles, known: Bools) -> Doubles:
    """Return the probability that something else is right, and that a slip from there leads to the given value.

    ``own`` is the probability of the given value, ``by_chance`` that of a random slip to it.
    """
    several = known & (n_proposed > 1)
    share = max(float(several.sum()) / max(1, int(known.sum())), SLIPS)
    confusion = np.where(several & proposed, SLIPS / share / np.maximum(n_proposed - 1, 1), 0.0)
    return (1 - own) * (confusion + SLIPS * by_chance) / 2


def best(slots: Ints, values: Doubles, heads: Ints, deprels: Ints, n: int) -> tuple[Ints, Ints]:
    """Return head and label of the candidate of each slot with the highest value above 0, of equal ones the first."""
    top = np.zeros(n)
    np.maximum.at(top, slots, values)
    at = np.flatnonzero((values > 0) & (values == top[slots]))[::-1]
    head, deprel = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    head[slots[at]], deprel[slots[at]] = heads[at], deprels[at]
    return head, deprel
