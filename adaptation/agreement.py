"""Agreement of parsers on sentences, evidence of correctness (Sagae & Tsujii 2007, section 4.1); mean confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.ensemble.unknown_words import share_of_tokens
from treevote.evaluation.agreement import unanimous
from treevote.evaluation.counts import check_same_sentences
from treevote.kernels import Doubles


def agreement(systems: Sequence[Treebank]) -> Doubles:
    """Return for each sentence the share of its tokens to which all systems give the same head and label.

    There is no agreement on a token without a head; InputError if the sentences differ.
    """
    check_same_sentences(systems)
    return share_of_tokens(unanimous(systems), systems[0])


def mean_confidence(parse: Treebank) -> Doubles:
    """Return the mean confidence of the arcs of each sentence; 1 without a model of confidence."""
    if parse.confidence is None or not parse.n_sentences:
        return np.ones(parse.n_sentences)
    sums = np.add.reduceat(parse.confidence.astype(np.float64), parse.offsets[:-1])
    return np.asarray(sums / np.maximum(parse.lengths, 1))


def homogeneity_warning(committee: Mapping[str, Any]) -> str | None:
    """Return the reason for which the members of a committee (trainers by name) are too similar; None if they are not.

    Parsers that differ only in their learner make the same errors: they should read from different sides, or be of
    different families.

    >>> from treevote.ensemble.members import members_of
    >>> homogeneity_warning(members_of(["lr-maxent-forward", "lr-svm-forward"]))
    'lr-maxent-forward and lr-svm-forward read from the same side and are of one family'
    >>> homogeneity_warning(members_of(["lr-svm-forward", "lr-svm-backward"])) is None
    True
    >>> homogeneity_warning(members_of(["lr-svm-forward"])) is None
    True
    """
    sides = {name: (type(trainer), getattr(trainer, "direction", None)) for name, trainer in committee.items()}
    if len(sides) < 2 or len(set(sides.values())) > 1:
        return None
    _, side = next(iter(sides.values()))
    return f"{' and '.join(sides)} {'read from the same side and ' if side else ''}are of one family"
