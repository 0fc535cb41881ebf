"""From projective trees to decision lists, one for each pass.

The pairs that the list of pass k learns from are those that are potentially adjacent once the passes before have run.
With ``links="gold"`` these find all they can find, as in the paper; with ``links="found"`` they are the lists that were
learnt, with their faults, so that each list learns from what it will meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, vstack

from treevote.kernels import Ints
from treevote.models.rules.decision_list import DecisionList
from treevote.models.rules.linkage import NONE, Linkage, unlinked
from treevote.models.rules.passes import Text, apply_pass, collect, gold_pass, judge_of
from treevote.protocols import Progress
from treevote.treebank import Treebank


@dataclass(frozen=True)
class ListOptions:
    """How lists are learnt; see `treevote.models.learners.greedy_prepend.GreedyPrepend`."""

    min_gain: int
    max_rules: int
    max_length: int
    free_length: int


def instances(linkage: Linkage, text: Text, gold: Treebank) -> tuple[csr_matrix, Ints]:
    """Return the pairs that are potentially adjacent.

    Parameters
    ----------
    linkage : Linkage
    text : Text
    gold : Treebank
        The trees of the same sentences.

    Returns
    -------
    X : csr_matrix of int8, shape (n_pairs, n_features)
    y : ndarray of int32, shape (n_pairs,)
        Their classes.
    """
    empty = np.empty(0, np.int32)
    n_pairs, n_found = collect(linkage, text, gold.heads, gold.deprels, empty, empty, empty)
    sizes, classes, found = (np.empty(n, np.int32) for n in (n_pairs, n_pairs, n_found))
    collect(linkage, text, gold.heads, gold.deprels, sizes, classes, found)
    indptr = np.zeros(n_pairs + 1, np.int64)
    np.cumsum(sizes, out=indptr[1:])
    X = csr_matrix((np.ones(n_found, np.int8), found, indptr), shape=(n_pairs, text.table.n_features))
    return X, classes


def learn_list(X: csr_matrix, classes: Ints, weight: int, options: ListOptions) -> DecisionList:
    """Learn a decision list in which a link counts ``weight`` times as much as no link."""
    from treevote.models.learners.greedy_prepend import (
        GreedyPrepend,  # imports scikit-learn, which parsing does without
    )

    learner = GreedyPrepend(
        min_gain=options.min_gain,
        max_rules=options.max_rules,
        max_length=options.max_length,
        free_length=options.free_length,
    )
    learner.fit(X, classes, np.where(classes == NONE, 1, weight))
    return learner.rules_._replace(classes=learner.classes_[learner.rules_.classes].astype(np.int32))


def learn_passes(
    gold: Treebank,
    text: Text,
    weights: Sequence[int],
    repeats: int,
    follow_gold: bool,
    options: ListOptions,
    progress: Progress | None,
) -> tuple[DecisionList, ...]:
    """Learn the lists of all passes.

    Parameters
    ----------
    gold : Treebank
        Projective trees.
    text : Text
        The same sentences.
    weights : sequence of int
        For each pass how much a link counts.
    repeats : int
        How often the passes will be gone through. Of gold links a list sees every time, of found ones the first.
    follow_gold : bool
    options : ListOptions
    progress : Progress, optional
    """
    linkage = unlinked(len(gold.tokens))
    stages: list[list[tuple[csr_matrix, Ints]]] = [[] for _ in weights]
    if follow_gold:
        for _ in range(repeats):
            for stage in stages:
                stage.append(instances(linkage, text, gold))
                gold_pass(linkage, text, gold.heads, gold.deprels)
    lists: list[DecisionList] = []
    for step, weight in enumerate(weights):
        seen = stages[step] or [instances(linkage, text, gold)]
        stages[step] = []
        X, classes = vstack([X for X, _ in seen], "csr"), np.concatenate([classes for _, classes in seen])
        lists.append(_learnt(X, classes, weight, options))
        if not follow_gold:
            apply_pass(linkage, text, judge_of(lists[-1], text.table), step)
        if progress is not None:
            progress("passes", step + 1, len(weights))
    return tuple(lists)


def _learnt(X: csr_matrix, classes: Ints, weight: int, options: ListOptions) -> DecisionList:
    if len(classes):
        return learn_list(X, classes, weight, options)
    one = np.zeros(1, np.int32)  # nothing is left to link: the list is the rule that says so
    return DecisionList(one[:0], np.zeros(2, np.int32), one + NONE, one, one, one)
