"""Partial trees, in which some words have no head yet: each member learns from those that the others complete.

All members are trained on the whole trees and parse the partial ones around what is given. Then each is trained again,
on the whole trees and on the partial ones as the vote of the other members completes them: an error of its own has no
vote there, and no two members learn from quite the same trees. This asks nothing of a family but a parse with given
arcs (Zhang et al. 2017, "Dependency Parsing with Partial Annotations: An Empirical Comparison", complete trees by a
parser itself, for parsers that cannot learn from forests; in Zhou & Li 2005, "Tri-training: exploiting unlabeled data
using three classifiers", two classifiers that agree label data for the third).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from treevote.corpus.given import Given
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_partial, require_labelled_trees
from treevote.ensemble.judge import Judge
from treevote.ensemble.members import Member
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.vote import vote
from treevote.ensemble.weights import Weights
from treevote.errors import InputError


def require_whole_trees(treebank: Treebank) -> Treebank:
    """Return the sentences whose trees are whole; InputError if there are none, or they are no trees to learn from."""
    partial = are_partial(treebank)
    whole = treebank.select(~partial).compact() if partial.any() else treebank
    if not len(whole) and len(treebank):
        problem = "expected some whole trees to learn from, found sentences without a part of their heads"
        raise InputError(problem, path=treebank.name, remedy="complete some of them")
    require_labelled_trees(whole)
    return whole


def completed(treebank: Treebank, members: Mapping[str, Member]) -> dict[str, Treebank]:
    """Return the treebank for each member, with the best trees that hold its partial ones.

    They are the vote of the other members, or the trees of the member itself if there is no other. InputError, with the
    sentence, if no tree holds what is given.
    """
    partial = are_partial(treebank)
    half_done = treebank.select(partial)
    ensemble = EnsembleParser(dict(members), Judge(Weights.equal(len(members))), {})
    given = Given.of(half_done, "all", single_root=ensemble.single_root)
    parses = ensemble.parse_members(half_done, given)
    order = np.argsort(np.concatenate([np.flatnonzero(~partial), np.flatnonzero(partial)]))
    found: dict[str, Treebank] = {}
    for name in members:
        others = [parse for other, parse in parses.items() if other != name] or [parses[name]]
        trees = vote(others, single_root=ensemble.single_root, given=given)
        parts = [treebank.select(~partial), half_done.with_trees(trees.heads, trees.deprels, trees.labels)]
        found[name] = Treebank.concatenate(parts, treebank.name).select(order).compact()
    return found
