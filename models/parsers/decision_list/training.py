"""Training: from projective trees to the decision lists of all passes.

The list of pass k learns from the pairs that are potentially adjacent after the previous passes. With ``links="gold"``
the previous passes find every gold link that they can, as in the paper. With ``links="found"`` they apply the learnt
lists, so that training pairs have the errors of parsing.

Attributes are selected greedily by the links of adjacent words (Yuret 2006, section 3.1). Each step adds the attribute
that helps most, until none helps. The score of a set of attributes is the number of pairs of adjacent words in held-out
sentences that the decision list of the first pass classifies correctly.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Ints
from treevote.models.learning.features.lexicon import ATTRIBUTES as COLUMNS
from treevote.models.learning.learners.decision_list.induction import ListOptions, induce
from treevote.models.learning.learners.decision_list.rules import DecisionList, compile_rules, decide
from treevote.models.parsers.decision_list.attributes import ATTRIBUTES, COLUMN, FEATS, AttributeTable, Text
from treevote.models.parsers.decision_list.linkage import NONE, Linkage, unlinked
from treevote.models.parsers.decision_list.passes import apply_pass, collect, gold_pass
from treevote.parallel import Progress

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MAX_PAIRS = 100_000  # for the selection of attributes: a few dozen short lists

Pairs: TypeAlias = tuple["csr_matrix", Ints]
"""Features of pairs, shape (n_pairs, n_features), and their classes."""


def instances(linkage: Linkage, text: Text, gold: Treebank) -> Pairs:
    """Return the features and classes of the pairs that are potentially adjacent."""
    from scipy.sparse import csr_matrix  # slow to import, and not needed to parse

    empty = np.empty(0, np.int32)
    n_pairs, n_found = collect(linkage, text, gold.heads, gold.deprels, empty, empty, empty)
    sizes, classes, found = (np.empty(n, np.int32) for n in (n_pairs, n_pairs, n_found))
    collect(linkage, text, gold.heads, gold.deprels, sizes, classes, found)
    indptr = np.append(0, np.cumsum(sizes, dtype=np.int64))
    return csr_matrix((np.ones(n_found, np.bool_), found, indptr), shape=(n_pairs, text.table.n_features)), classes


def learn_list(X: csr_matrix, classes: Ints, weight: int, options: ListOptions) -> DecisionList:
    """Learn a decision list from pairs; links have the weight ``weight``, pairs without a link 1."""
    own_classes, labels = np.unique(classes, return_inverse=True)
    rules = induce(X, labels.astype(np.int32), np.where(classes == NONE, 1, weight), options)
    return rules._replace(classes=own_classes[rules.classes].astype(np.int32))


def learn_passes(
    gold: Treebank,
    text: Text,
    weights: Sequence[int],
    follow_gold: int,
    folds: int,
    options: ListOptions,
    progress: Progress | None,
) -> tuple[DecisionList, ...]:
    """Learn the lists of all passes from projective trees; ``weights`` has the weight of a link in each pass.

    With ``follow_gold`` rounds of the passes with gold links, each is a source of training pairs; with 0 there is one
    round with the links found by the lists. ``folds`` are consecutive parts of the treebank. Links in each part are
    found by lists learnt from the others; with 1, by the list of all.
    """
    linkage = unlinked(len(gold.tokens))
    stages: list[list[Pairs]] = [[] for _ in weights]
    for _ in range(follow_gold):
        for stage in stages:
            stage.append(instances(linkage, text, gold))
            gold_pass(linkage, text, gold.heads, gold.deprels)
    cuts = np.linspace(0, gold.n_sentences, min(folds, gold.n_sentences) + 1).astype(int).tolist()
    parts = [text._replace(offsets=text.offsets[start : end + 1]) for start, end in itertools.pairwise(cuts)]
    lists: list[DecisionList] = []
    for step, weight in enumerate(weights):
        seen = stages[step] or [instances(linkage, part, gold) for part in parts]
        stages[step] = []
        lists.append(_learnt(seen, weight, options))
        if not follow_gold:
            for number, part in enumerate(parts):
                others = seen[:number] + seen[number + 1 :]
                rules = _learnt(others, weight, options) if others else lists[-1]
                apply_pass(linkage, part, compile_rules(rules, text.table.n_features), step)
        if progress is not None:
            progress("passes", step + 1, len(weights))
    return tuple(lists)


def _learnt(seen: Sequence[Pairs], weight: int, options: ListOptions) -> DecisionList:
    from scipy.sparse import vstack

    classes = np.concatenate([classes for _, classes in seen])
    if len(classes):
        return learn_list(vstack([X for X, _ in seen], "csr"), classes, weight, options)
    one = np.zeros(1, np.int32)  # no pair is left: the only rule has class NONE
    return DecisionList(one[:0], np.zeros(2, np.int32), one + NONE, one, one, one)


def select_attributes(
    gold: Treebank, text: Text, held_out: Treebank, held_out_text: Text, options: ListOptions
) -> tuple[str, ...]:
    """Choose attributes, at least one, in the order of selection; ties go to the first in ``ATTRIBUTES``.

    Trees are projective. Both texts have one table, of all attributes, and both treebanks the labels of ``gold`` first.
    """
    X, classes = instances(unlinked(len(gold.tokens)), text, gold)
    X, classes = X[:MAX_PAIRS], classes[:MAX_PAIRS]
    other_X, other_classes = instances(unlinked(len(held_out.tokens)), held_out_text, held_out)
    owners = owners_of(text.table)

    def right(attributes: tuple[str, ...]) -> int:
        columns = np.flatnonzero(np.isin(owners, [-1, *(ATTRIBUTES.index(attribute) for attribute in attributes)]))
        rules = learn_list(X[:, columns], classes, 1, options)
        return int((rules.classes[decide(rules, other_X[:, columns])] == other_classes).sum())

    chosen: tuple[str, ...] = ()
    most = -1
    while len(chosen) < len(ATTRIBUTES):
        scores = {attribute: right((*chosen, attribute)) for attribute in ATTRIBUTES if attribute not in chosen}
        best = max(scores, key=scores.__getitem__)
        if scores[best] <= most:
            break
        most, chosen = scores[best], (*chosen, best)
    return chosen


def owners_of(table: AttributeTable) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the index in ``ATTRIBUTES`` of the attribute of each feature, -1 for features of no attribute."""
    owners = np.full(len(table.rows), -1)
    for row, (_, kind, column, _) in enumerate(table.rows.tolist()):
        name = "feats" if kind == FEATS else COLUMNS[column].rstrip("1234") if kind == COLUMN else ""
        owners[row] = ATTRIBUTES.index(name) if name else -1
    return np.repeat(owners, np.diff(np.append(table.rows[:, 3], table.n_features)))
