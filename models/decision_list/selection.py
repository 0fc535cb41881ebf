"""Greedy forward selection of attributes by the links of adjacent words (Yuret 2006, section 3.1).

Each step adds the attribute that helps most, until none helps. The score of a set of attributes is the number of pairs
of adjacent words in held-out sentences that the decision list of the first pass classifies correctly. Training uses at
most 100,000 pairs, so the cost is that of a few dozen short lists.
"""

from __future__ import annotations

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.models.decision_list.attributes import ATTRIBUTES, COLUMN, FEATS, AttributeTable
from treevote.models.decision_list.linkage import unlinked
from treevote.models.decision_list.passes import Text
from treevote.models.decision_list.training import instances, learn_list
from treevote.models.features.lexicon import ATTRIBUTES as COLUMNS
from treevote.models.learners.decision_list.induction import ListOptions
from treevote.models.learners.decision_list.rules import DecisionList, compile_rules, first_matches

MAX_PAIRS = 100_000


def select_attributes(
    gold: Treebank, text: Text, held_out: Treebank, held_out_text: Text, options: ListOptions
) -> tuple[str, ...]:
    """Choose attributes, at least one, in the order of selection; ties go to the first in ``ATTRIBUTES``.

    Trees are projective. Both texts have one table, of all attributes, and both treebanks the same labels.
    """
    X, classes = instances(unlinked(len(gold.tokens)), text, gold)
    X, classes = X[:MAX_PAIRS], classes[:MAX_PAIRS]
    other_X, other_classes = instances(unlinked(len(held_out.tokens)), held_out_text, held_out)
    owners = owners_of(text.table)

    def right(attributes: tuple[str, ...]) -> int:
        columns = np.flatnonzero(np.isin(owners, [-1, *(ATTRIBUTES.index(attribute) for attribute in attributes)]))
        part = other_X[:, columns]
        part.sort_indices()
        rules: DecisionList = learn_list(X[:, columns], classes, 1, options)
        found = np.empty(len(other_classes), np.int32)
        indptr, indices = part.indptr.astype(np.int32), part.indices.astype(np.int32)
        first_matches(indptr, indices, compile_rules(rules, len(columns)), found)
        return int((rules.classes[found] == other_classes).sum())

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
