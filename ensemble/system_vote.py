"""The vote of any parsers: weights and selection measured on a development set, and the gain over the best of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from treevote.corpus.given import Given
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import is_single_rooted, roots
from treevote.ensemble.candidate_model import CandidateModel
from treevote.ensemble.judge import Judge, learn
from treevote.ensemble.selection import VoteKind, cross_fitted, fit_weights, select
from treevote.ensemble.vote import vote
from treevote.ensemble.weights import Weights
from treevote.evaluation.counts import Convention, convention_of, count_by_sentence, evaluate
from treevote.evaluation.ill_formed import ill_formed
from treevote.evaluation.paired import paired
from treevote.evaluation.results import as_plain


@dataclass(frozen=True)
class SystemVote:
    """The trees of a vote, the systems that voted, in the order that decides ties, and facts for a report."""

    parse: Treebank
    voters: tuple[str, ...]
    facts: dict[str, Any]


def vote_systems(
    systems: Mapping[str, Treebank],
    development: tuple[Treebank, Sequence[Treebank]] | None = None,
    *,
    weights: VoteKind | Literal["agreement"] = "equal",
    selected: bool = False,
    single_root: bool,
    given: Given | None = None,
    confidence: bool = False,
) -> SystemVote:
    """Vote over the parses of the same sentences, by name; the words and the text are those of the first voter.

    The development set is gold trees of other sentences, and their parses in the order of the systems. Weights other
    than ``"equal"`` and ``"agreement"``, a selection and confidence need one. The trees hold all ``given`` arcs.
    """
    names, parses = list(systems), list(systems.values())
    facts: dict[str, Any] = {"sentences": parses[0].n_sentences, "tokens": parses[0].n_tokens}
    facts["single_root"] = single_root
    rows: list[dict[str, Any]] = [
        {"name": name, "ill_formed": as_plain(ill_formed(parse, single_root=single_root))}
        for name, parse in systems.items()
    ]
    voters, choice = list(range(len(parses))), None
    if development is None:
        judge = Judge(Weights.by_agreement(parses) if weights == "agreement" else Weights.equal(len(parses)))
    else:
        gold, dev_parses = development
        convention = convention_of(gold)
        scores = [evaluate(gold, parse, convention=convention).attachment for parse in dev_parses]
        rows = [row | score for row, score in zip(rows, scores, strict=True)]
        if selected:
            by_name = dict(zip(names, dev_parses, strict=True))
            choice = select(gold, by_name, single_root=single_root, convention=convention)
            voters, weights = [names.index(name) for name in choice.members], choice.weights
        parses, dev_voters = ([of[i] for i in voters] for of in (parses, dev_parses))
        if weights == "learned":
            judge, voted = learn(weights, gold, dev_voters, single_root=single_root, convention=convention)
        elif weights == "agreement":  # of the same parses that vote
            judge = Judge(Weights.by_agreement(parses))
            voted = vote(dev_voters, Weights.by_agreement(dev_voters), single_root=single_root)
        else:
            judge = Judge(fit_weights(weights, gold, dev_voters))
            voted = cross_fitted(weights, gold, dev_voters, single_root=single_root)
        if confidence and judge.model is None:
            judge = replace(judge, model=CandidateModel.fit(gold, dev_voters, convention=convention))
        facts["development"] = _development(gold, voted, dev_parses, names, convention)
    overall, pos = ([None] * len(parses), ()) if judge.weights is None else (judge.weights.overall, judge.weights.pos)
    facts |= {"weights": judge.kind, "parts_of_speech": len(pos), "selected": selected}
    for i, row in enumerate(rows):
        place = voters.index(i) + 1 if i in voters else None
        row |= {"place": place, "weight": overall[place - 1] if place else None}
        if choice is not None:
            other = (choice.without if place else choice.with_too).get(row["name"])
            row["ablation"] = None if other is None else round(choice.las - other if place else other - choice.las, 2)
    facts["systems"] = rows
    return SystemVote(judge.vote(parses, single_root=single_root, given=given), tuple(names[i] for i in voters), facts)


def _development(
    gold: Treebank, voted: Treebank, systems: Sequence[Treebank], names: Sequence[str], convention: Convention
) -> dict[str, Any]:
    """Return the scores of the vote on the development set, and its difference from the best system."""
    columns = [count_by_sentence(gold, parse, convention=convention) for parse in (*systems, voted)]
    right = [int(counts["arcs"].sum()) for counts in columns[:-1]]
    best = right.index(max(right))
    difference = paired(*(np.stack([columns[i]["arcs"], columns[i]["tokens"]], axis=1) for i in (best, -1)))
    gain = {"over": names[best], "las": difference.points, "low": difference.low, "high": difference.high}
    gain |= {"p": difference.p.p, "p_is_bound": difference.p.bound}
    sizes = {"sentences": gold.n_sentences, "tokens": gold.n_tokens}
    return {**sizes, **evaluate(gold, voted, convention=convention).attachment, "gain": gain}


def one_root(systems: Sequence[Treebank], gold: Treebank | None = None) -> bool:
    """Tell whether the systems follow an annotation with one root in each sentence.

    Gold trees settle it. Without them, parses in CoNLL-U have one root unless every system has a sentence with several,
    for a parser may well break a rule of the annotation; parses in CoNLL-X only if no system has such a sentence.
    """
    if gold is not None:
        return is_single_rooted(gold)
    single = [bool((roots(system) <= 1).all()) for system in systems]
    return any(single) if convention_of(systems[0]) == "ud" else all(single)
