"""What the labelled sentences of the target say of an adapted model that is trained on them.

Parsers that were trained on the other folds parse each fold. Their vote is scored, and the confidence of the adapted
model is recalibrated on it: on the sentences that it was trained on itself it would be too sure.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import numpy as np

from treevote.adaptation.labelled import folds_of
from treevote.corpus.treebank import Treebank
from treevote.ensemble.parser import EnsembleParser
from treevote.errors import InputError
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.calibration import calibration_error, reliability
from treevote.evaluation.counts import Convention
from treevote.kernels import Bools, Floats, Longs
from treevote.store.manifest import JSON


def parsed_by_folds(gold: Treebank, n_folds: int, train: Callable[[int, Longs], EnsembleParser]) -> dict[str, Treebank]:
    """Return the parse of each member, every sentence by the one that was not trained on it.

    Parameters
    ----------
    gold : Treebank
        As the parsers see it, shape (n_sentences,).
    n_folds : int
    train : callable
        Called with the number of a fold, from 1, and the sentences to train on.

    Raises
    ------
    InputError
        If there are less than two sentences for each fold.
    """
    if gold.n_sentences < 2 * n_folds:
        raise InputError(
            f"expected {2 * n_folds} labelled sentences of the new domain or more, found {gold.n_sentences}",
            path=gold.name,
            remedy="label more, or set target_folds = 0 in a configuration",
        )
    found, held = [], []
    for number, (others, held_out) in enumerate(folds_of(gold.n_sentences, n_folds), 1):
        found.append(train(number, others).parse_members(gold.select(held_out)))
        held.append(held_out)
    back = np.argsort(np.concatenate(held))
    return {name: Treebank.concatenate([parses[name] for parses in found]).select(back) for name in found[0]}


def recalibrated(
    parser: EnsembleParser, gold: Treebank, parses: Mapping[str, Treebank], *, convention: Convention
) -> EnsembleParser:
    """Return a model with a confidence that is right on the target.

    Parameters
    ----------
    parser : EnsembleParser
        Its confidence was fitted to the source; without any, one is fitted to the target alone.
    gold : Treebank
        Labelled sentences of the target.
    parses : mapping of str to Treebank
        The same as each member parsed them, without having been trained on them.
    convention : {"ud", "conllx"}
    """
    systems = [parses[name] for name in parser.members]
    judge = parser.judge.recalibrated(gold, systems, convention=convention)
    return dataclasses.replace(parser, judge=judge)


def calibration_errors(
    parser: EnsembleParser, gold: Treebank, parses: Mapping[str, Treebank], *, convention: Convention
) -> dict[str, JSON]:
    """Return the expected calibration error of arcs with their labels, without and with recalibration.

    The latter is cross-validated: each half of the sentences (every other one, and the rest) by what the other half
    taught. Parameters are those of `recalibrated`. Return nothing if a half has no token.
    """
    even = np.arange(gold.n_sentences) % 2 == 0
    halves = [np.flatnonzero(even), np.flatnonzero(~even)]
    if not all(gold.select(half).n_tokens for half in halves):
        return {}
    sure, right = [], []
    for fit, held_out in (halves, halves[::-1]):
        taught, other = ({name: parse.select(half) for name, parse in parses.items()} for half in (fit, held_out))
        voted = recalibrated(parser, gold.select(fit), taught, convention=convention).combine(other)
        if voted.label_confidence is None:  # too many members
            return {}
        sure.append(voted.label_confidence[voted.is_token])
        right.append(right_arcs(gold.select(held_out), voted, convention=convention).arcs[voted.is_token])
    errors: dict[str, JSON] = {"after": _error(np.concatenate(sure), np.concatenate(right))}
    voted = parser.combine(parses)
    if voted.label_confidence is not None:
        own = right_arcs(gold, voted, convention=convention).arcs
        errors["before"] = _error(voted.label_confidence[voted.is_token], own[voted.is_token])
    return errors


def _error(confidence: Floats, right: Bools) -> float:
    return round(calibration_error(reliability(confidence, right)), 4)
