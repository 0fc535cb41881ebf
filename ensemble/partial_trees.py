"""Training on partial trees: those of a treebank in which some words have no head yet.

Each member completes them for itself: it is trained on the whole trees, parses the partial ones around what is given,
and is trained again on both. This asks nothing of a family but a parse with given arcs (Zhang et al. 2017, "Dependency
Parsing with Partial Annotations: An Empirical Comparison", complete trees in this way for parsers that cannot learn
from forests).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treevote.corpus.given import Given
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_partial, require_labelled_trees
from treevote.ensemble.members import Member
from treevote.ensemble.parser import parse_counted
from treevote.errors import InputError
from treevote.protocols import Parser


def require_whole_trees(treebank: Treebank) -> Treebank:
    """Return the sentences whose trees are whole; InputError if there are none, or they are no trees to learn from."""
    partial = are_partial(treebank)
    whole = treebank.select(~partial).compact() if partial.any() else treebank
    if not len(whole) and len(treebank):
        problem = "expected some whole trees to learn from, found sentences without a part of their heads"
        raise InputError(problem, path=treebank.name, remedy="complete some of them")
    require_labelled_trees(whole)
    return whole


def train_on_partial(train: Callable[[Treebank], Member], treebank: Treebank) -> Member:
    """Train a member on whole trees and on partial ones; without partial ones, on the treebank as it is."""
    whole = require_whole_trees(treebank)
    return train(treebank) if whole is treebank else train(completed(treebank, train(whole)))


def completed(treebank: Treebank, parser: Parser) -> Treebank:
    """Return a treebank whose partial trees are the best trees of a parser that hold them.

    InputError, with the sentence, if there is none.
    """
    partial = are_partial(treebank)
    half_done = treebank.select(partial)
    parse, _ = parse_counted(parser, half_done, Given.of(half_done, "all", single_root=parser.single_root))
    order = np.argsort(np.concatenate([np.flatnonzero(~partial), np.flatnonzero(partial)]))
    return Treebank.concatenate([treebank.select(~partial), parse], treebank.name).select(order).compact()
