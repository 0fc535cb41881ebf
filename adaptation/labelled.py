"""A few labelled sentences of the target: their weight in training, and what models trained without them say of them.

Some dozens of sentences would drown in a treebank, so each is repeated until all of them are a fixed share of the
labelled tokens. They also measure the adapted model, and recalibrate its confidence, which would be too sure of the
sentences that it was trained on: by folds, each parsed by parsers that were trained on the others, but not on the text.
A committee that has learned from all folds tells of them in its trees, and LAS by folds would be five points too high.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import numpy as np

from treevote.adaptation.data import Data
from treevote.corpus.folds import folds_of, rejoined
from treevote.corpus.treebank import Treebank
from treevote.ensemble.parser import EnsembleParser
from treevote.errors import InputError
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.calibration import table
from treevote.evaluation.counts import Convention
from treevote.kernels import Longs
from treevote.store.manifest import JSON

MAX_COPIES = 20  # of a labelled sentence of the target

BLOCK = 10
"""Number of sentences that are repeated together. Some members divide their training data to see how they do on
sentences that they have not learned from: into consecutive parts, or by every second or tenth sentence. At this
distance the copies of a sentence fall into the same part, but for those of an incomplete last block, or of a block
that a cut goes through."""


def copies_of(n_source: int, n_target: int, share: float) -> int:
    """Return how often the sentences of the target are repeated: from 1 to ``MAX_COPIES``, to be nearest to a share.

    ``n_source`` and ``n_target`` are tokens, the former of all copies; ``share``, in [0, 1), is that of all tokens.
    """
    return int(np.clip(round(share / (1 - share) * n_source / max(1, n_target)), 1, MAX_COPIES))


def repeated(treebank: Treebank, times: int) -> Treebank:
    """Return the sentences so many times, without their text: a `BLOCK` that often, then the next one.

    >>> numbers = Treebank.of([([str(i)], [0], ["root"]) for i in range(11)])
    >>> " ".join(sentence.words[1].form for sentence in repeated(numbers, 2))
    '0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 10 10'
    """
    if times == 1:
        return treebank
    blocks = (np.arange(i, min(i + BLOCK, len(treebank))) for i in range(0, len(treebank), BLOCK))
    return treebank.select(np.concatenate([np.tile(block, times) for block in blocks]))


def labelled(data: Data, share: float, source_copies: int = 1, chosen: Longs | None = None) -> list[Treebank]:
    """Return the labelled sentences of both domains as they are trained on, with their copies.

    ``chosen`` are those of the target, by number from 0; by default all. The number of copies is that for all.
    """
    parts = [repeated(data.source, source_copies)]
    if (target := data.target_train) is not None:
        copies = copies_of(source_copies * data.source.n_tokens, target.n_tokens, share)
        parts.append(repeated(target if chosen is None else target.select(chosen), copies))
    return parts


def require_enough(gold: Treebank, n_folds: int) -> None:
    """Raise an InputError if there are less than two labelled sentences for each fold."""
    if gold.n_sentences < 2 * n_folds:
        problem = f"expected {2 * n_folds} labelled sentences of the new domain or more, found {gold.n_sentences}"
        remedy = "label more, or set target_folds = 0 in a configuration"
        raise InputError(problem, path=gold.name, remedy=remedy)


def parsed_by_folds(gold: Treebank, n_folds: int, train: Callable[[int, Longs], EnsembleParser]) -> dict[str, Treebank]:
    """Return the parse of each member, every sentence by the one that was not trained on it; see `require_enough`.

    ``train`` is called with the number of a fold, from 1, and the sentences to train on.
    """
    require_enough(gold, n_folds)
    found = [
        train(number, others).parse_members(gold.select(held_out))
        for number, (others, held_out) in enumerate(folds_of(gold.n_sentences, n_folds), 1)
    ]
    return {name: rejoined([parses[name] for parses in found]) for name in found[0]}


def recalibrated(
    parser: EnsembleParser, gold: Treebank, parses: Mapping[str, Treebank], *, convention: Convention
) -> EnsembleParser:
    """Return a model with a confidence that is right on the target; one without any gets that of the target alone.

    ``parses`` are those of the labelled sentences ``gold`` by members that were not trained on them.
    """
    systems = [parses[name] for name in parser.members]
    usual = {"familiarity": {**parser.familiarity, "usual": None}}  # the new domain has other words
    judge = parser.judge.recalibrated(gold, systems, convention=convention)
    return dataclasses.replace(parser, judge=judge, facts={**parser.facts, **usual})


def calibration_errors(
    parser: EnsembleParser, gold: Treebank, parses: Mapping[str, Treebank], *, convention: Convention
) -> dict[str, JSON]:
    """Return the expected calibration error of arcs with their labels, without and with recalibration.

    The latter is cross-validated: each half of the sentences by what the other taught; nothing if one has no token.
    """
    halves = list(folds_of(gold.n_sentences, 2))[::-1]
    if not all(gold.select(half).n_tokens for half, _ in halves):
        return {}
    sure, right = [], []
    for fit, held_out in halves:
        taught, other = ({name: parse.select(half) for name, parse in parses.items()} for half in (fit, held_out))
        voted = recalibrated(parser, gold.select(fit), taught, convention=convention).combine(other)
        if voted.label_confidence is None:  # too many members
            return {}
        sure.append(voted.label_confidence[voted.is_token])
        right.append(right_arcs(gold.select(held_out), voted, convention=convention).arcs[voted.is_token])
    errors = {"after": table(np.concatenate(sure), np.concatenate(right))["error"]}
    voted = parser.combine(parses)
    if voted.label_confidence is not None:
        own = right_arcs(gold, voted, convention=convention).arcs
        errors["before"] = table(voted.label_confidence[voted.is_token], own[voted.is_token])["error"]
    return errors
