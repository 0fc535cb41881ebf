"""Selection of the members and weights of an ensemble, on sentences that no member was trained on.

All subsets of the members and all kinds of weights are tried. The heaviest heads are rarely no tree, so the subsets are
ranked by heaviest heads alone, in compiled loops, and only the best of them vote in full, and all members together. The
learned vote (`treevote.ensemble.candidate_model`) is tried on the same.

The best of hundreds of ensembles is best by luck, too, and the fewer its members, the more it loses on other texts. So
of those that are hardly below it the one with most members is chosen, much as decision trees are pruned (Breiman,
Friedman, Olshen & Stone 1984, "Classification and regression trees", section 3.4.3).

Weights that are not equal are fitted to one half of the sentences and measured on the other: every second sentence, and
the rest. Measured on the sentences of their fit, they would seem better than they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import common_labels
from treevote.ensemble.candidate_model import Examples
from treevote.ensemble.vote import arc_weights, vote, winners
from treevote.ensemble.weights import Weights
from treevote.errors import ConfigError, InputError
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.counts import Convention, evaluate
from treevote.kernels import Bools, Longs

MARGIN = 0.05
"""Gain in LAS that a learned vote needs over equal votes of the same members."""

STANDARD_ERRORS = 0.5
"""Tolerance of the selection: an ensemble is near the best one if it is below it by no more than this number of
standard errors of their difference."""

FINALISTS = 24
"""Number of ensembles that vote in full."""

LARGEST = 12
"""Maximum number of members to select from."""

WeightKind = Literal["equal", "accuracy", "pos"]
"""Kinds of weights of systems."""

VoteKind = Literal[WeightKind, "learned"]
"""Kinds of votes: with weights of the systems, or with the probabilities of a model of candidates."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The best members (the best first, which decides ties) and weights, with the scores of neighbouring ensembles.

    LAS is that of the vote, in percent to two decimals: with these members, without each of them (nothing for a single
    one), and with each of the other members too; the weights are of the same kind.
    """

    members: tuple[str, ...]
    weights: VoteKind
    las: float
    without: dict[str, float]
    with_too: dict[str, float]


def fit_weights(kind: WeightKind, gold: Treebank, systems: Sequence[Treebank]) -> Weights:
    """Return weights of a kind, fitted to gold trees.

    Examples
    --------
    >>> gold = Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj", "root"])])
    >>> fit_weights("accuracy", gold, [gold]).overall, fit_weights("equal", gold, [gold, gold]).overall
    ((1.0,), (1.0, 1.0))
    """
    if kind == "equal":
        return Weights.equal(len(systems))
    return (Weights.by_accuracy if kind == "accuracy" else Weights.by_pos)(gold, systems)


def cross_fitted(kind: WeightKind, gold: Treebank, systems: Sequence[Treebank], *, single_root: bool) -> Treebank:
    """Return the vote of systems, each half of the sentences with weights that are fitted to the other half.

    A single sentence has weights that are fitted to itself.

    Examples
    --------
    >>> gold = Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj", "root"]), (["run"], [0], ["root"])])
    >>> cross_fitted("accuracy", gold, [gold], single_root=True).heads.tolist()
    [-1, 2, 0, -1, 0]
    """
    if kind == "equal":
        return vote(systems, single_root=single_root)
    golds, halves = _halves(gold), [_halves(system) for system in systems]
    voted = [
        vote(
            [half[own] for half in halves],
            fit_weights(kind, golds[own - 1], [half[own - 1] for half in halves]),
            single_root=single_root,
        )
        for own in range(len(golds))
    ]
    apart = [np.arange(own, gold.n_sentences, len(golds)) for own in range(len(golds))]
    return Treebank.concatenate(voted).select(np.argsort(np.concatenate(apart)))


def select(
    gold: Treebank, parses: Mapping[str, Treebank], *, single_root: bool, convention: Convention = "ud"
) -> Selection:
    """Choose the members and the kind of weights whose vote is best.

    Of the ensembles near the best one, see ``STANDARD_ERRORS``, the one with most members is chosen; ties go to the
    higher LAS, then to the simplest weights (equal, by accuracy, by part of speech, learned), then to the members that
    are better alone. An ensemble that has the same arcs right as a smaller one is left out.

    Parameters
    ----------
    gold : Treebank
        Sentences with trees that no member was trained on.
    parses : mapping of str to Treebank
        The parse of each member.
    single_root : bool
        See `treevote.ensemble.vote.vote`.
    convention : {"ud", "conllx"}, default="ud"
        Convention of the LAS.

    Raises
    ------
    InputError
        If there is no token to measure on, sentences differ, or a gold head is not known.
    ConfigError
        If there is no member, or more than ``LARGEST``.

    Examples
    --------
    >>> words = ["she", "saw", "stars"]
    >>> gold = Treebank.of([(words, [2, 0, 2], ["nsubj", "root", "obj"])])
    >>> wrong = Treebank.of([(words, [0, 1, 2], ["root", "obj", "obj"])])
    >>> select(gold, {"bad": wrong, "good": gold}, single_root=True).members
    ('good',)
    """
    if not 1 <= len(parses) <= LARGEST:
        raise ConfigError(f"expected 1 to {LARGEST} members to select from, found {len(parses)}; name others")
    if not gold.n_tokens:
        raise InputError("expected sentences to select members on, found none", path=gold.name)
    alone = {name: evaluate(gold, parse, convention=convention).las for name, parse in parses.items()}
    names = sorted(parses, key=lambda name: -alone[name])
    ranked, everyone, tokens = (
        _ranked(gold, [parses[name] for name in names], convention),
        range(len(names)),
        gold.is_token,
    )
    kinds: tuple[VoteKind, ...] = get_args(VoteKind)

    def right_in(chosen: Sequence[int], kind: VoteKind) -> Bools:
        systems = [parses[names[i]] for i in chosen]
        if kind == "learned":
            voted = Examples.of(gold, systems, convention=convention).crossed().vote(single_root=single_root)
        else:
            voted = cross_fitted(kind, gold, systems, single_root=single_root)
        return right_arcs(gold, voted, convention=convention).arcs[tokens]

    def las(chosen: Sequence[int], kind: VoteKind) -> float:
        return round(100 * float(right_in(chosen, kind).mean()), 2)

    tried: dict[tuple[tuple[int, ...], VoteKind], None] = dict.fromkeys(
        [*ranked[:FINALISTS], ((0,), "equal"), (tuple(everyone), "equal")]
    )
    if len(names) > 1 and gold.n_sentences > 1:
        tried |= dict.fromkeys((chosen, "learned") for chosen, _ in [*tried] if len(chosen) > 1)
    ordered = sorted(tried, key=lambda ensemble: (len(ensemble[0]), kinds.index(ensemble[1]), ensemble[0]))
    finalists: dict[bytes, tuple[tuple[int, ...], VoteKind, Bools]] = {}
    for members, kind in ordered:
        right = right_in(members, kind)
        finalists.setdefault(right.tobytes(), (members, kind, right))
    *_, best = max(finalists.values(), key=lambda finalist: np.count_nonzero(finalist[2]))
    chosen, kind, right = max(
        (finalist for finalist in finalists.values() if _is_near(finalist[2], best)),
        key=lambda finalist: (len(finalist[0]), np.count_nonzero(finalist[2])),
    )
    rest = [i for i in everyone if i not in chosen]
    return Selection(
        members=tuple(names[i] for i in chosen),
        weights=kind,
        las=round(100 * float(right.mean()), 2),
        without={names[i]: las([j for j in chosen if j != i], kind) for i in chosen if len(chosen) > 1},
        with_too={names[i]: las(sorted([*chosen, i]), kind) for i in rest},
    )


def _is_near(right: Bools, best: Bools) -> bool:
    """Tell whether an ensemble is near the best one, given the arcs that each has right."""
    lost = np.count_nonzero(best) - np.count_nonzero(right)
    return bool(lost <= STANDARD_ERRORS * np.sqrt(np.count_nonzero(best != right)))


def _ranked(
    gold: Treebank, systems: Sequence[Treebank], convention: Convention
) -> list[tuple[tuple[int, ...], WeightKind]]:
    """Return all ensembles of systems by the number of right arcs among the heaviest heads, best first."""
    heads = np.stack([system.heads for system in systems])
    _, deprels = common_labels(systems)
    right = np.stack([right_arcs(gold, system, convention=convention)[1] for system in systems])
    kinds: tuple[WeightKind, ...] = ("equal", "accuracy", "pos")
    tables = {kind: _cross_fitted_table(kind, gold, systems) for kind in kinds}
    slots = np.arange(heads.shape[1])
    hits = {}
    for size in range(1, len(systems) + 1):
        for chosen in itertools.combinations(range(len(systems)), size):
            rows = list(chosen)
            own_heads, own_deprels, own_right = heads[rows], deprels[rows], right[rows]
            for kind in kinds:
                weight, labelled = arc_weights(own_heads, own_deprels, tables[kind][rows])
                winner = winners(own_heads >= 0, weight, labelled)
                hits[chosen, kind] = int(np.count_nonzero(own_right[winner, slots] & (winner >= 0)))
    return sorted(hits, key=lambda ensemble: -hits[ensemble])


def _halves(treebank: Treebank) -> list[Treebank]:
    """Return every second sentence, and the others; a single sentence alone."""
    n_halves = min(2, treebank.n_sentences)
    return [treebank.select(range(half, treebank.n_sentences, n_halves)) for half in range(n_halves)]


def _cross_fitted_table(kind: WeightKind, gold: Treebank, systems: Sequence[Treebank]) -> Longs:
    """Return the table of weights that are fitted to the other half for each sentence."""
    golds, halves = _halves(gold), [_halves(system) for system in systems]
    tables = [fit_weights(kind, golds[i - 1], [half[i - 1] for half in halves]).table(gold) for i in range(len(golds))]
    return np.where(gold.sentence_of % len(golds) == 0, tables[0], tables[-1])
