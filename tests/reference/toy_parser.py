"""A parser with a fast training, and the content of its parses for comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.reference.toy_grammar import toy_treebank
from treevote.corpus.treebank import Treebank
from treevote.models.learning.learners.sgd_maxent import SGDMaxEnt
from treevote.models.parsers.transition.parser import TransitionTrainer

TRAINING = toy_treebank(60, 1, crossing=True)
TEST = toy_treebank(40, 2)
FEW = ("s0.upos", "s1.upos", "q0.upos", "s0.upos+s1.upos", "s0.upos+s1.upos+q0.upos", "s0.form", "distance", "s0.rval")
SMALL = TransitionTrainer(templates=FEW, cutoff=1)


def arcs(treebank: Treebank) -> list[tuple[int, str]]:
    """Return head and label of all tokens."""
    return [
        arc for tree in treebank.sentences() for arc in list(zip(tree.heads.tolist(), tree.deprels, strict=True))[1:]
    ]


def accuracy(gold: Treebank, parse: Treebank) -> float:
    """Return the labelled attachment score over all tokens, 0..1."""
    right = [arc == own for arc, own in zip(arcs(gold), arcs(parse), strict=True)]
    return sum(right) / len(right)


def trees(parse: Treebank) -> list[tuple[list[int], tuple[str, ...]]]:
    return [(sentence.heads.tolist(), sentence.deprels) for sentence in parse.sentences()]


def shown_some(classes: list[int], n_features: int) -> Any:
    """Return a learner that was shown some classes only, and whose weights favour none of them."""
    learner: Any = SGDMaxEnt()
    learner.classes_ = np.array(classes)
    learner.coef_ = np.full((len(classes), n_features), -5.0, np.float32)
    learner.coef_[0] = -4
    learner.intercept_ = np.full(len(classes), -100.0, np.float32)
    learner.n_features_in_ = n_features
    return learner
