"""``treevote vote``: one tree from the files of any parsers."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from treevote.conll.reader import read, read_parse
from treevote.conll.writer import write
from treevote.corpus.given import Given
from treevote.corpus.treebank import Format, Treebank
from treevote.corpus.trees import is_single_rooted
from treevote.corpus.trees import roots as count_roots
from treevote.ensemble.candidate_model import CandidateModel
from treevote.ensemble.judge import Judge, learn
from treevote.ensemble.selection import Selection, VoteKind, cross_fitted, fit_weights
from treevote.ensemble.selection import select as choose
from treevote.ensemble.vote import vote as combine
from treevote.ensemble.weights import Weights
from treevote.errors import ConfigError
from treevote.evaluation.agreement import agreement, arcs_of
from treevote.evaluation.counts import Convention, check_same_sentences, convention_of, count_by_sentence, evaluate
from treevote.evaluation.ill_formed import ill_formed
from treevote.evaluation.names import named, stems
from treevote.evaluation.paired import paired
from treevote.evaluation.results import as_plain
from treevote.kernels import Doubles
from treevote.report.answer import answer

MOST_ORDERS = 6
"""Maximum number of systems whose orders are tried, to notice development parses in a wrong order."""

UNLIKE, GAIN = 15.0, 0.5
"""Points of agreement: a system is unlike itself if it differs more between development and test; another order is the
right one if it halves the difference, by this much at least."""


@dataclass(frozen=True)
class Voted:
    """The written parse, the systems that voted, in the order that decides ties, and facts for a report."""

    parse: Treebank
    single_root: bool
    voters: tuple[str, ...]
    facts: dict[str, Any]


def vote(
    systems: Sequence[str | Path],
    output: str | Path,
    *,
    weights: VoteKind | Literal["agreement"] = "equal",
    select: bool = False,
    gold: str | Path | None = None,
    dev: Sequence[str | Path] = (),
    roots: Literal["one", "several", "auto"] = "auto",
    keep: str | Path | None = None,
    support: bool = False,
    confidence: bool = False,
    format: Format | Literal["auto"] = "auto",
    warn: Callable[[str], None] = lambda sentence: None,
) -> Voted:
    """Write the trees with most votes in place of those of the first system that votes.

    Systems are paths or ``"NAME=FILE"``, the best first: it decides ties, and its text is kept. Weights are learned
    from ``gold``, sentences that are not voted on, and ``dev``, the same as each system parsed them, one file for each;
    ``"equal"`` and ``"agreement"`` need neither. ``select`` chooses the systems with the best vote, their order and
    their weights, see `treevote.ensemble.selection`. The heads and labels of the file ``keep``, the same sentences with
    some heads or none, are kept, and the trees are the heaviest that hold them. Support and confidence are written into
    MISC. ``warn`` is called with warnings about development files that do not belong to the systems.
    """
    if len(systems) < 2:
        raise ConfigError(f"expected two systems or more to vote, found {len(systems)}; one alone has no vote")
    paths, dev_paths = named(systems), list(named(dev).values())
    needed = select or confidence or weights not in ("equal", "agreement")
    if (needed or dev) and (gold is None or len(dev) != len(systems)):
        asked = f"weight by {weights}" if needed else "a vote"
        if select or confidence or weights == "learned":
            asked = "the choice of systems" if select else "confidence" if confidence else "a learned vote"
        raise ConfigError(
            f"{asked} is measured on a development set; give its gold trees with --gold, "
            f"and with --dev the parses of each of the {len(systems)} systems"
        )
    parses = [read_parse(path, format) for path in paths.values()]
    trees = None if gold is None else read(gold, format=format)
    single_root = one_root(parses, trees) if roots == "auto" else roots == "one"
    names, voters = list(paths), list(range(len(parses)))
    known = [read_parse(path, format) for path in dev_paths] if trees is not None else []
    check_same_sentences(parses)
    if trees is not None:
        check_same_sentences([trees, *known])
    facts: dict[str, Any] = {"sentences": parses[0].n_sentences, "tokens": parses[0].n_tokens}
    facts["single_root"] = single_root
    of: list[dict[str, Any]] = [
        {"name": name, "path": path, "ill_formed": as_plain(ill_formed(parse, single_root=single_root))}
        for (name, path), parse in zip(paths.items(), parses, strict=True)
    ]
    given = None if keep is None else given_of(keep, parses[0], single_root=single_root, format=format)
    choice = None
    if trees is None or not known:
        used = parses
        judge = Judge(Weights.by_agreement(parses) if weights == "agreement" else Weights.equal(len(parses)))
    else:
        for warning in (*_misplaced(list(paths.values()), dev_paths, parses, known), *_seen(trees, parses[0])):
            warn(warning)
        convention = convention_of(trees)
        of = [
            own | evaluate(trees, system, convention=convention).attachment
            for own, system in zip(of, known, strict=True)
        ]
        if select:
            choice = choose(trees, dict(zip(names, known, strict=True)), single_root=single_root, convention=convention)
            voters, weights = [names.index(name) for name in choice.members], choice.weights
        used, known_used = ([those[i] for i in voters] for those in (parses, known))
        if weights == "learned":
            judge, voted = learn(weights, trees, known_used, single_root=single_root, convention=convention)
        else:
            if weights == "agreement":  # of the same parses that vote
                by = Weights.by_agreement(used)
                voted = combine(known_used, Weights.by_agreement(known_used), single_root=single_root)
            else:
                by = fit_weights(weights, trees, known_used)
                voted = cross_fitted(weights, trees, known_used, single_root=single_root)
            judge = Judge(by, CandidateModel.fit(trees, known_used, convention=convention) if confidence else None)
        facts["development"] = _development(trees, voted, known, names, convention)
    parse = judge.vote(used, single_root=single_root, given=given)
    shown = judge.weights
    overall, pos = ([None] * judge.n_members, ()) if shown is None else (shown.overall, shown.pos)
    facts |= {"weights": judge.kind, "parts_of_speech": len(pos), "selected": select}
    facts["systems"] = list(_with_votes(of, voters, overall, choice))
    marks = ("support", "label_support") if support else ()
    parse = parse.only(*marks, *(("confidence", "label_confidence") if confidence else ()))
    write(parse, output)
    return Voted(parse, single_root, tuple(names[i] for i in voters), facts)


def given_of(
    path: str | Path, parse: Treebank, *, single_root: bool, format: Format | Literal["auto"] = "auto"
) -> Given | None:
    """Return the heads and labels of a file with the sentences of a parse; InputError if no tree has them."""
    half_done = read(path, format=format, trees="partial-rooted" if single_root else "partial")
    check_same_sentences([parse, half_done])
    return Given.of(half_done, "all", single_root=single_root)


def as_json(voted: Voted, output: str | Path, command: str = "") -> str:
    """Return the report as JSON."""
    return answer("vote", {"output": os.fspath(output), "voters": voted.voters, **voted.facts}, command)


def _development(
    gold: Treebank, voted: Treebank, systems: Sequence[Treebank], names: Sequence[str], convention: Convention
) -> dict[str, Any]:
    """Return the scores of the vote on the development set, and its difference from the best system."""
    columns = [count_by_sentence(gold, parse, convention=convention) for parse in (*systems, voted)]
    right = [int(own["arcs"].sum()) for own in columns[:-1]]
    best = right.index(max(right))
    found = paired(*(np.stack([columns[i]["arcs"], columns[i]["tokens"]], axis=1) for i in (best, -1)))
    gain = {"over": names[best], "las": found.points, "low": found.low, "high": found.high}
    gain |= {"p": found.p.p, "p_is_bound": found.p.bound}
    sizes = {"sentences": gold.n_sentences, "tokens": gold.n_tokens}
    return {**sizes, **evaluate(gold, voted, convention=convention).attachment, "gain": gain}


def _with_votes(
    systems: Sequence[dict[str, Any]], voters: Sequence[int], overall: Sequence[float | None], choice: Selection | None
) -> Iterator[dict[str, Any]]:
    """Yield each system with its place in the vote, its weight, and what the vote loses or would gain by it."""
    for i, own in enumerate(systems):
        place = voters.index(i) + 1 if i in voters else None
        found = own | {"place": place, "weight": overall[place - 1] if place else None}
        if choice is not None:
            other = (choice.without if place else choice.with_too).get(own["name"])
            found["ablation"] = None if other is None else round(choice.las - other if place else other - choice.las, 2)
        yield found


def _seen(gold: Treebank, parse: Treebank) -> Iterator[str]:
    """Yield a warning if the development sentences are those that are voted on."""
    if gold.n_sentences == parse.n_sentences and gold.n_tokens == parse.n_tokens:
        forms = ([own.words[word].form for word in own.tokens.tolist()] for own in (gold, parse))
        if all(one == other for one, other in zip(*forms, strict=True)):
            yield "the sentences of --gold are those that are voted on: what is measured on them is too good"


def _misplaced(
    paths: Sequence[str], dev_paths: Sequence[str], parses: Sequence[Treebank], known: Sequence[Treebank]
) -> Iterator[str]:
    """Yield warnings about development files that seem to be those of other systems.

    The names of the files tell, or their agreement with each other: systems that agree on one text agree on another.
    """
    ours, theirs = stems(paths), stems(dev_paths)
    if set(ours) == set(theirs) and ours != theirs:
        order, other = ", ".join(ours), ", ".join(theirs)
        yield f"by their names the files of --dev are in another order ({other}) than the systems ({order})"
        return
    here, there = _agreement(parses), _agreement(known)
    n = len(parses)
    if 3 <= n <= MOST_ORDERS:
        pairs = np.triu_indices(n, 1)
        costs = {
            order: float(np.abs(here[pairs] - there[np.ix_(order, order)][pairs]).mean())
            for order in itertools.permutations(range(n))
        }
        same, best = tuple(range(n)), min(costs, key=costs.__getitem__)
        if costs[best] < costs[same] / 2 and costs[same] - costs[best] > GAIN:
            yield (
                "by their agreement with each other the files of --dev seem to be in another order than the systems; "
                f"better: {', '.join(dev_paths[i] for i in best)}"
            )
            return
    for i in range(n):
        others = [j for j in range(n) if j != i]
        test, dev = float(here[i, others].mean()), float(there[i, others].mean())
        if abs(test - dev) > UNLIKE:
            yield (
                f"{paths[i]} agrees with the other systems on {test:.0f} % of the tokens, {dev_paths[i]} on "
                f"{dev:.0f} %: they may be of different systems or of different kinds of text"
            )
            return


def _agreement(systems: Sequence[Treebank]) -> Doubles:
    """Return the percentage of tokens with the same arc for each pair of systems, shape (n, n)."""
    arcs, tokens = arcs_of(systems), systems[0].is_token
    n = max(1, int(tokens.sum()))
    table = np.zeros((len(arcs), len(arcs)))
    for i, j in itertools.combinations(range(len(arcs)), 2):
        table[i, j] = table[j, i] = 100 * int(agreement(arcs[i], arcs[j]).arcs[tokens].sum()) / n
    return table


def one_root(systems: Sequence[Treebank], gold: Treebank | None = None) -> bool:
    """Tell whether the systems follow an annotation with one root in each sentence.

    Gold trees settle it. Without them, parses in CoNLL-U have one root unless every system has a sentence with several,
    for a parser may well break a rule of the annotation; parses in CoNLL-X only if no system has such a sentence.
    """
    if gold is not None:
        return is_single_rooted(gold)
    single = [bool((count_roots(system) <= 1).all()) for system in systems]
    return any(single) if convention_of(systems[0]) == "ud" else all(single)
