"""One pass over sentences: every pair of potentially adjacent words is shown to a decision list, and links are added.

The pairs, and what rules see of them, are those of the linkage at the start of the pass. Links are added in the order
of the reliability of their rules, of equals from left to right; one that has become impossible by then is left out: its
dependent has a head by now, or it would cross another link or close a cycle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Doubles, Ints, Longs, kernel
from treevote.models.decision_list.attributes import AttributeTable, describe, locate, places_of, room_for_features
from treevote.models.decision_list.linkage import (
    NONE,
    Linkage,
    add_link,
    all_pairs,
    can_link,
    gold_class,
    of_sentence,
    room_for_pairs,
)
from treevote.models.features.lexicon import WordColumns
from treevote.models.learners.decision_list.rules import DecisionList, RuleIndex, first_match, index_rules


class Judge(NamedTuple):
    """A decision list ready to judge pairs.

    Attributes
    ----------
    rules : RuleIndex
    reliability : ndarray of float64, shape (n_rules,)
        Share of the training instances that each rule decides rightly, of one that decides none 0.5.
    """

    rules: RuleIndex
    reliability: Doubles


def judge_of(rules: DecisionList, table: AttributeTable) -> Judge:
    """Return a decision list ready to judge pairs."""
    return Judge(index_rules(rules, table.n_features), (rules.right + 0.5) / (rules.decided + 1.0))


class Text(NamedTuple):
    """Sentences as rules see them.

    Attributes
    ----------
    tokens : ndarray of int32, shape (n_slots,)
        Row in ``words`` of each token.
    offsets : ndarray of int64, shape (n_sentences + 1,)
        Slot of ROOT of each sentence, and the number of slots.
    words : WordColumns
    table : AttributeTable
    n_places : int
    single_root : bool
    """

    tokens: Ints
    offsets: Longs
    words: WordColumns
    table: AttributeTable
    n_places: int
    single_root: bool


def text_of(tokens: Ints, offsets: Longs, words: WordColumns, table: AttributeTable, single_root: bool) -> Text:
    """Return sentences as rules see them."""
    return Text(tokens, offsets, words, table, len(places_of(table.context)), single_root)


@kernel
def decide(n: int, features: Ints, numbers: Ints, stamps: Ints, stamp: int, index: RuleIndex) -> int:
    """Return the first rule that matches the first ``n`` features; ``numbers`` and ``stamps`` are room."""
    known = 0
    for k in range(n):
        number = index.places[features[k]]
        if number >= 0:
            numbers[known] = number
            known += 1
    return first_match(numbers, known, stamps, stamp, index)


@kernel
def apply_pass(linkage: Linkage, text: Text, judge: Judge, step: int) -> int:
    """Add the links of one pass to a linkage, marked with the number of the step; return how many there are."""
    room = room_for_features(text.table, text.words)
    positions, features, numbers = np.empty(text.n_places, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    stamps = np.full(len(judge.rules.starts), -1, np.int32)
    stamp, added = 0, 0
    for i in range(len(text.offsets) - 1):
        first, last = text.offsets[i], text.offsets[i + 1]
        here, tokens = of_sentence(linkage, first, last), text.tokens[first:last]
        pairs, around = room_for_pairs(last - first)
        n_pairs = all_pairs(here, text.single_root, pairs, around)
        rules = np.empty(n_pairs, np.int32)
        doubt = np.empty(n_pairs, np.float64)
        n_links = 0
        for k in range(n_pairs):
            locate(here, pairs[k, 0], pairs[k, 1], around[k, 0], around[k, 1], text.table.context, positions)
            n = describe(here, tokens, text.words, text.table, positions, features)
            rule = decide(n, features, numbers, stamps, stamp, judge.rules)
            stamp += 1
            if judge.rules.classes[rule] != NONE:
                pairs[n_links] = pairs[k]
                rules[n_links], doubt[n_links] = rule, -judge.reliability[rule]
                n_links += 1
        for k in np.argsort(doubt[:n_links], kind="mergesort"):
            label_class = int(judge.rules.classes[rules[k]])
            if can_link(here, pairs[k, 0], pairs[k, 1], label_class % 2 == 1, text.single_root):
                add_link(here, pairs[k, 0], pairs[k, 1], label_class, step, int(rules[k]))
                added += 1
    return added


@kernel
def gold_pass(linkage: Linkage, text: Text, heads: Ints, deprels: Ints) -> int:
    """Add the links of a pass that knows the projective trees; return how many there are."""
    added = 0
    for i in range(len(text.offsets) - 1):
        first, last = text.offsets[i], text.offsets[i + 1]
        here = of_sentence(linkage, first, last)
        pairs, around = room_for_pairs(last - first)
        for k in range(all_pairs(here, text.single_root, pairs, around)):
            label_class = gold_class(heads[first:last], deprels[first:last], pairs[k, 0], pairs[k, 1])
            if label_class != NONE:
                add_link(here, pairs[k, 0], pairs[k, 1], label_class, 0, 0)
                added += 1
    return added


@kernel
def collect(
    linkage: Linkage, text: Text, heads: Ints, deprels: Ints, sizes: Ints, classes: Ints, found: Ints
) -> tuple[int, int]:
    """Write the pairs of all sentences as training instances.

    Parameters
    ----------
    linkage : Linkage
    text : Text
    heads, deprels : ndarray of int32, shape (n_slots,)
        The trees.
    sizes, classes : ndarray of int32, shape (n_pairs,)
        Receive the number of features and the class of each pair; if they are empty, pairs are only counted.
    found : ndarray of int32
        Receives the features, pair after pair.

    Returns
    -------
    n_pairs, n_found : int
    """
    positions = np.empty(text.n_places, np.int32)
    features = np.empty(room_for_features(text.table, text.words), np.int32)
    n_pairs, n_found = 0, 0
    for i in range(len(text.offsets) - 1):
        first, last = text.offsets[i], text.offsets[i + 1]
        here, tokens = of_sentence(linkage, first, last), text.tokens[first:last]
        pairs, around = room_for_pairs(last - first)
        for k in range(all_pairs(here, text.single_root, pairs, around)):
            locate(here, pairs[k, 0], pairs[k, 1], around[k, 0], around[k, 1], text.table.context, positions)
            n = describe(here, tokens, text.words, text.table, positions, features)
            if len(sizes) > 0:
                sizes[n_pairs] = n
                classes[n_pairs] = gold_class(heads[first:last], deprels[first:last], pairs[k, 0], pairs[k, 1])
                found[n_found : n_found + n] = features[:n]
            n_pairs += 1
            n_found += n
    return n_pairs, n_found
