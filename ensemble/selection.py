"""Selection of the members and weights of an ensemble, on sentences that no member was trained on; their diversity.

All subsets of the members and all kinds of weights are tried. The heaviest heads are rarely no tree, so the subsets are
ranked by heaviest heads alone, in compiled loops, and only the best of them vote in full, and all members together. The
learned vote (`treevote.ensemble.candidate_model`) is tried on the same.

The best of hundreds of ensembles owes part of its score to chance. On other texts it loses this part, a small ensemble
more than a large one, and one with other votes more than one with a learned vote. So of the ensembles that are hardly
below it a learned vote is preferred, then the one with most members, much as decision trees are pruned (Breiman,
Friedman, Olshen & Stone 1984, "Classification and regression trees", section 3.4.3).

Weights that are not equal are fitted to one half of the sentences and measured on the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from treevote.corpus.folds import folds_of, rejoined
from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import common_labels
from treevote.ensemble.candidate_model import Examples
from treevote.ensemble.vote import arc_weights, vote, winners
from treevote.ensemble.weights import Weights
from treevote.errors import ConfigError, InputError
from treevote.evaluation.agreement import agreement, arcs_of, oracle, right_arcs, uniquely_correct
from treevote.evaluation.counts import Convention, evaluate
from treevote.kernels import Bools, Longs

MARGIN = 0.05  # gain in LAS that a learned vote needs over equal votes of the same members
STANDARD_ERRORS = 0.5  # of the difference: an ensemble that is below the best one by no more is near it
FINALISTS = 24  # number of ensembles that vote in full
LARGEST = 12  # maximum number of members to select from

WeightKind = Literal["equal", "accuracy", "pos"]  # weights of the systems
VoteKind = Literal[WeightKind, "learned"]  # or the probabilities of a model of candidates


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


class _Voted(NamedTuple):
    """The vote of an ensemble: its members and weights, and a mask of the tokens whose arcs are right."""

    members: Sequence[int]
    kind: VoteKind
    right: Bools

    @property
    def n_right(self) -> int:
        return int(np.count_nonzero(self.right))

    @property
    def las(self) -> float:
        return round(100 * float(self.right.mean()), 2)

    def is_near(self, best: _Voted) -> bool:
        """Tell whether the ensemble is near the best one, see ``STANDARD_ERRORS``."""
        n_different = np.count_nonzero(best.right != self.right)
        return bool(best.n_right - self.n_right <= STANDARD_ERRORS * np.sqrt(n_different))


def fit_weights(kind: WeightKind, gold: Treebank, systems: Sequence[Treebank]) -> Weights:
    """Return weights of a kind, fitted to gold trees."""
    if kind == "equal":
        return Weights.equal(len(systems))
    return (Weights.by_accuracy if kind == "accuracy" else Weights.by_pos)(gold, systems)


def cross_fitted(kind: WeightKind, gold: Treebank, systems: Sequence[Treebank], *, single_root: bool) -> Treebank:
    """Return the vote of systems, each half of the sentences with weights that are fitted to the other half."""
    if kind == "equal":
        return vote(systems, single_root=single_root)
    return rejoined(
        [
            vote([system.select(held_out) for system in systems], weights, single_root=single_root)
            for weights, held_out in _by_halves(kind, gold, systems)
        ]
    )


def _by_halves(kind: WeightKind, gold: Treebank, systems: Sequence[Treebank]) -> Iterator[tuple[Weights, Longs]]:
    """Yield weights fitted to each half of the sentences, and the other half; a single sentence has its own."""
    alone = np.arange(gold.n_sentences)
    for fit, held_out in folds_of(gold.n_sentences, 2) if gold.n_sentences > 1 else [(alone, alone)]:
        yield fit_weights(kind, gold.select(fit), [system.select(fit) for system in systems]), held_out


def select(
    gold: Treebank, parses: Mapping[str, Treebank], *, single_root: bool, convention: Convention = "ud"
) -> Selection:
    """Choose the members and the kind of weights whose vote is best, by name and parse of sentences of held-out data.

    Of the ensembles near the best one, see ``STANDARD_ERRORS``, a learned vote is preferred, then most members; ties go
    to the higher LAS, then to the simplest weights (equal, by accuracy, by part of speech, learned), then to the
    members that are better alone. An ensemble that has the same arcs right as a smaller one is left out. InputError if
    there is no token, sentences differ, or a gold head is not known; ConfigError for no member, or more than
    ``LARGEST``.
    """
    if not 1 <= len(parses) <= LARGEST:
        raise ConfigError(f"expected 1 to {LARGEST} members to select from, found {len(parses)}; name others")
    if not gold.n_tokens:
        raise InputError("expected sentences to select members on, found none", path=gold.name)
    alone = {name: evaluate(gold, parse, convention=convention).las for name, parse in parses.items()}
    names = sorted(parses, key=lambda name: -alone[name])
    ranked = _ranked(gold, [parses[name] for name in names], convention)
    everyone, kinds = tuple(range(len(names))), get_args(VoteKind)

    def voted(members: Sequence[int], kind: VoteKind) -> _Voted:
        systems = [parses[names[i]] for i in members]
        if kind == "learned":
            parse = Examples.of(gold, systems, convention=convention).crossed().vote(single_root=single_root)
        else:
            parse = cross_fitted(kind, gold, systems, single_root=single_root)
        return _Voted(members, kind, right_arcs(gold, parse, convention=convention).arcs[gold.is_token])

    tried: set[tuple[tuple[int, ...], VoteKind]] = {*ranked[:FINALISTS], ((0,), "equal"), (everyone, "equal")}
    if len(names) > 1 and gold.n_sentences > 1:
        tried |= {(members, "learned") for members, _ in tried if len(members) > 1}
    finalists: dict[bytes, _Voted] = {}  # the simplest of those that have the same arcs right
    for members, kind in sorted(tried, key=lambda each: (len(each[0]), kinds.index(each[1]), each[0])):
        finalist = voted(members, kind)
        finalists.setdefault(finalist.right.tobytes(), finalist)
    best = max(finalists.values(), key=lambda finalist: finalist.n_right)
    chosen = max(
        (finalist for finalist in finalists.values() if finalist.is_near(best)),
        key=lambda finalist: (finalist.kind == "learned", len(finalist.members), finalist.n_right),
    )
    inside, kind = chosen.members, chosen.kind
    return Selection(
        members=tuple(names[i] for i in inside),
        weights=kind,
        las=chosen.las,
        without={names[i]: voted([j for j in inside if j != i], kind).las for i in inside if len(inside) > 1},
        with_too={names[i]: voted(sorted([*inside, i]), kind).las for i in everyone if i not in inside},
    )


def _ranked(
    gold: Treebank, systems: Sequence[Treebank], convention: Convention
) -> list[tuple[tuple[int, ...], WeightKind]]:
    """Return all ensembles of systems by the number of right arcs among the heaviest heads, best first."""
    heads, (_, deprels) = np.stack([system.heads for system in systems]), common_labels(systems)
    right = np.stack([right_arcs(gold, system, convention=convention)[1] for system in systems])
    kinds: tuple[WeightKind, ...] = ("equal", "accuracy", "pos")
    tables = {kind: _table_by_halves(kind, gold, systems) for kind in kinds}
    slots, hits = np.arange(heads.shape[1]), {}
    for size in range(1, len(systems) + 1):
        for chosen in itertools.combinations(range(len(systems)), size):
            rows = list(chosen)
            own_heads, own_deprels, own_right = heads[rows], deprels[rows], right[rows]
            for kind in kinds:
                weight, labelled = arc_weights(own_heads, own_deprels, tables[kind][rows])
                winner = winners(own_heads >= 0, weight, labelled)
                hits[chosen, kind] = int(np.count_nonzero(own_right[winner, slots] & (winner >= 0)))
    return sorted(hits, key=lambda ensemble: -hits[ensemble])


def _table_by_halves(kind: WeightKind, gold: Treebank, systems: Sequence[Treebank]) -> Longs:
    """Return the table of weights of each sentence, fitted to the other half."""
    table = np.zeros((len(systems), len(gold.tokens)), np.int64)
    for weights, held_out in _by_halves(kind, gold, systems):
        own = np.isin(gold.sentence_of, held_out)
        table[:, own] = weights.table(gold)[:, own]
    return table


def diversity(gold: Treebank, parses: Mapping[str, Treebank], *, convention: Convention = "ud") -> dict[str, Any]:
    """Compare systems by name on the same gold trees; all rates are percentages of the tokens, to two decimals.

    The oracle has right what at least one of the k systems has. InputError for none, other sentences, or an unknown
    gold head.
    """
    right = [right_arcs(gold, parse, convention=convention) for parse in parses.values()]
    heads, arcs = [of.heads for of in right], [of.arcs for of in right]
    tokens, analyses = gold.is_token, arcs_of(list(parses.values()))

    def share(mask: Bools) -> float:
        return round(100 * int(np.count_nonzero(mask)) / max(1, gold.n_tokens), 2)

    return {
        "names": list(parses),
        "las": list(map(share, arcs)),
        "uas": list(map(share, heads)),
        "alone": list(map(share, uniquely_correct(arcs))),
        # shape (k, k): tokens to which two give different heads or labels
        "disagreement": [[share(tokens & ~agreement(one, other).arcs) for other in analyses] for one in analyses],
        "oracle_las": share(oracle(arcs)),
        "oracle_uas": share(oracle(heads)),
    }
