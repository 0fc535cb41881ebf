"""One pass of the parser: a decision list classifies every pair of potentially adjacent words, and links are added.

The pairs and their features are those of the linkage at the start of the pass. Links are added by falling reliability
of their rules, from left to right on ties. A link is skipped if its dependent has a head by then, or if it would cross
another link or close a cycle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Ints, kernel
from treevote.models.learning.learners.decision_list.rules import CompiledRules, Marks, first_match, marks
from treevote.models.parsers.decision_list.attributes import Text, describe, room_for_features
from treevote.models.parsers.decision_list.linkage import (
    NONE,
    Linkage,
    add_link,
    all_pairs,
    can_link,
    gold_class,
    is_free,
    of_sentence,
    pair_arrays,
)
from treevote.models.parsers.given_arcs import given_in


class Scratch(NamedTuple):
    """Scratch arrays for the pairs of a text and the rules of a list."""

    positions: Ints
    features: Ints
    marks: Marks


@kernel
def scratch(text: Text, compiled: CompiledRules) -> Scratch:
    """Return the arrays."""
    size = room_for_features(text.table, text.words)
    return Scratch(np.empty(text.table.n_places, np.int32), np.empty(size, np.int32), marks(compiled))


@kernel
def apply_pass(linkage: Linkage, text: Text, compiled: CompiledRules, step: int) -> None:
    """Add the links of one pass to a linkage, marked with the number of the step.

    Links that contradict a given arc are left out.
    """
    positions, features, stamps = scratch(text, compiled)
    allowed = np.ones(compiled.classes.max() + 1, np.bool_)
    for i in range(len(text.offsets) - 1):
        first, last = text.offsets[i], text.offsets[i + 1]
        here, tokens = of_sentence(linkage, first, last), text.tokens[first:last]
        given = given_in(text.given, first, last)
        pairs, around = pair_arrays(last - first)
        n_pairs = all_pairs(here, text.single_root, pairs, around)
        rules = np.empty(n_pairs, np.int32)
        negative_reliability = np.empty(n_pairs, np.float64)
        n_links = 0
        for k in range(n_pairs):
            (left, right), (before, after) = pairs[k], around[k]
            n = describe(here, tokens, text, left, right, before, after, positions, features)
            rule = first_match(n, features, stamps, compiled, allowed)
            if compiled.classes[rule] != NONE:
                pairs[n_links, 0], pairs[n_links, 1] = left, right
                rules[n_links], negative_reliability[n_links] = rule, -compiled.reliability[rule]
                n_links += 1
        for k in np.argsort(negative_reliability[:n_links], kind="mergesort"):
            label_class, (left, right) = int(compiled.classes[rules[k]]), pairs[k]
            to_left = label_class % 2 == 1
            if can_link(here, left, right, to_left, text.single_root) and is_free(here, given, left, right, to_left):
                add_link(here, left, right, label_class, step, int(rules[k]))


@kernel
def gold_pass(linkage: Linkage, text: Text, heads: Ints, deprels: Ints) -> int:
    """Add the gold links between potentially adjacent words; return their number."""
    added = 0
    for i in range(len(text.offsets) - 1):
        first, last = text.offsets[i], text.offsets[i + 1]
        here = of_sentence(linkage, first, last)
        pairs, around = pair_arrays(last - first)
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
    """Write the pairs of all sentences as training instances; return their number, and that of their features.

    ``sizes`` and ``classes`` receive the number of features and the class of each pair; if they are empty, pairs are
    only counted. ``found`` receives the features of all pairs in a row.
    """
    positions = np.empty(text.table.n_places, np.int32)
    features = np.empty(room_for_features(text.table, text.words), np.int32)
    n_pairs, n_found = 0, 0
    for i in range(len(text.offsets) - 1):
        first, last = text.offsets[i], text.offsets[i + 1]
        here, tokens = of_sentence(linkage, first, last), text.tokens[first:last]
        pairs, around = pair_arrays(last - first)
        for k in range(all_pairs(here, text.single_root, pairs, around)):
            (left, right), (before, after) = pairs[k], around[k]
            n = describe(here, tokens, text, left, right, before, after, positions, features)
            if len(sizes) > 0:
                sizes[n_pairs] = n
                classes[n_pairs] = gold_class(heads[first:last], deprels[first:last], left, right)
                for j in range(n):
                    found[n_found + j] = features[j]
            n_pairs += 1
            n_found += n
    return n_pairs, n_found
