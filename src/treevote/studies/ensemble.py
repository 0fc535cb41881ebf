"""The study of the ensemble: what each part of it gives, from a single parser to the best vote, by treebank.

Each member is trained once for a treebank, and all votes share it: its seed follows from its name, so it is the one of
`treevote.ensemble.trainer.EnsembleTrainer`. Votes are learned as there, from the members' parses: each
parses alone, without heads that the others propose.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import is_single_rooted
from treevote.ensemble.configuration import PRESETS, ensemble_of
from treevote.ensemble.judge import learn
from treevote.ensemble.members import DEFAULT_MEMBERS, members_of
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.evaluation.agreement import oracle, right_arcs
from treevote.evaluation.calibration import calibration_error, reliability
from treevote.evaluation.verdict import Probability
from treevote.studies.jobs import Parsing, compact
from treevote.studies.report import Report, Table, Value, rate
from treevote.studies.study import Context

FORMER_MEMBERS = ("graph-mira", "lr-maxent-forward", "pipeline", "lr-svm-backward")
"""The default ensemble before structured training."""

MEMBER, FORMER, EQUAL, DEFAULT, BEST = "best member", "former members", "default members", "default vote", "best vote"
STEPS = (MEMBER, FORMER, EQUAL, DEFAULT, BEST)  # a single parser and votes, each with one part more than the one before

ORACLE, WHOLE = "oracle", "all steps"
GAINS = {later: (first, later) for first, later in itertools.pairwise(STEPS)} | {WHOLE: (FORMER, BEST)}
"""The two systems that are compared for a gain."""

CALIBRATED = {DEFAULT: "ECE, default vote", BEST: "ECE, best vote"}
"""Votes whose confidence is measured, and the columns."""

LEGENDS = {
    MEMBER: "LAS of the member of any vote that is best on the development set",
    FORMER: f"LAS of the equal vote of {', '.join(FORMER_MEMBERS)}",
    EQUAL: f"LAS of the equal vote of {', '.join(DEFAULT_MEMBERS)}",
    DEFAULT: "LAS of their vote by treevote train: learned where that is better on the development set, else equal",
    BEST: "LAS of the vote by treevote train --best: the default members and two neural ones, learned",
    ORACLE: "LAS if each token had the right arc wherever any member has it",
}
LEGENDS |= {
    name: f"expected calibration error of the confidence in arcs with labels of the {vote}"
    for vote, name in CALIBRATED.items()
}


class EnsembleScores(NamedTuple):
    """Results on a treebank: LAS, gains and their p, calibration error, and the chosen members and weights."""

    context: Context
    las: Mapping[str, float]
    gains: list[float]
    p: list[Probability]
    error: list[float]
    chosen: tuple[str, ...]


@dataclass(frozen=True)
class EnsembleStudy:
    """The study, with the interface of `treevote.studies.study.Study`, but of several contexts; it has own members."""

    summary: str = "what each part of the ensemble gives, on folders of treebanks"
    members: tuple[str, ...] = ()
    fewest: int = 1
    needs_text: bool = False
    paper_settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def described(self) -> dict[str, str]:
        """Return the weights and members of each vote."""
        return {name: f"weights {own.weights}: {', '.join(own.members)}" for name, own in _votes().items()}

    def run(self, contexts: Sequence[Context]) -> Report:
        """Run the study on treebanks, each with a development set; InputError if a folder cannot be written to."""
        measured, titles = [_measured(context) for context in contexts], [context.test.name for context in contexts]
        return Report((_scores(titles, measured), _gains(titles, measured), _choices(titles, measured)))


def _votes() -> dict[str, EnsembleTrainer]:
    return {
        FORMER: EnsembleTrainer(members_of(FORMER_MEMBERS), weights="equal"),
        EQUAL: EnsembleTrainer(members_of(DEFAULT_MEMBERS), weights="equal"),
        DEFAULT: ensemble_of(PRESETS["default"]),
        BEST: ensemble_of(PRESETS["best"]),
    }


def _measured(context: Context) -> EnsembleScores:
    dev, test, votes = context.dev, context.test, _votes()
    assert dev is not None
    training, own_dev = compact(context.training), compact(dev)
    both = compact(Treebank.concatenate([dev, test]))
    known = {(vote, name): member for vote, trainer in votes.items() for name, member in trainer.members.items()}
    work = [
        Parsing(f"{test.name} {name}", EnsembleTrainer({name: member}, "equal"), training, both, context.seed, own_dev)
        for (_, name), member in known.items()
    ]
    on_dev, on_test = dict[tuple[str, str], Treebank](), dict[tuple[str, str], Treebank]()
    for key, found in zip(known, context.run(work), strict=True):
        for own, treebank, part in (on_dev, dev, found[: len(dev)]), (on_test, test, found[len(dev) :]):
            own[key] = treebank.with_trees(part.heads, part.deprels, part.labels)
    of_dev = dataclasses.replace(context, test=dev)
    single = max(on_dev, key=lambda key: of_dev.counts(on_dev[key]).las)
    parses, kinds = {MEMBER: on_test[single]}, dict[str, str]()
    single_root, convention = is_single_rooted(training), context.convention
    for vote, trainer in votes.items():
        systems, known_systems = ([of[vote, name] for name in trainer.members] for of in (on_test, on_dev))
        judge, _ = learn(trainer.weights, dev, known_systems, single_root=single_root, convention=convention)
        parses[vote], kinds[vote] = judge.vote(systems, single_root=single_root), judge.kind
    right = oracle([right_arcs(test, parse, convention=convention).arcs for parse in on_test.values()])
    las = {name: context.counts(parse).las for name, parse in parses.items()}
    return EnsembleScores(
        context,
        las | {ORACLE: 100 * float(right[test.is_token].mean())},
        [las[later] - las[first] for first, later in GAINS.values()],
        [context.p_value(parses[first], parses[later], "las") for first, later in GAINS.values()],
        [_error(context, parses[vote]) for vote in CALIBRATED],
        (single[1], kinds[DEFAULT], kinds[BEST], ", ".join(votes[BEST].members)),
    )


def _error(context: Context, parse: Treebank) -> float:
    assert parse.label_confidence is not None
    tokens, right = parse.is_token, right_arcs(context.test, parse, convention=context.convention).arcs
    return calibration_error(reliability(parse.label_confidence[tokens], right[tokens]))


def _scores(titles: Sequence[str], measured: Sequence[EnsembleScores]) -> Table:
    names = (*STEPS, ORACLE)
    scores = [[*(own.las[name] for name in names), *own.error] for own in measured]
    rows = tuple(
        (title, *map(rate, row[: len(names)]), *(Decimal(f"{error:.3f}") for error in row[len(names) :]))
        for title, row in zip([*titles, "mean"], [*scores, np.mean(scores, axis=0).tolist()], strict=True)
    )
    return Table("LAS", ("", *names, *CALIBRATED.values()), rows, legends=LEGENDS)


def _gains(titles: Sequence[str], measured: Sequence[EnsembleScores]) -> Table:
    gains, p = [own.gains for own in measured], [[value.entry for value in own.p] for own in measured]
    means, counted = np.mean(gains, axis=0).tolist(), []
    for i in range(len(GAINS)):
        signs = [np.sign(own.gains[i]) for own in measured if own.p[i].significant]
        counted.append(f"{signs.count(1)} up, {signs.count(-1)} down")
    rows = tuple(
        (title, *itertools.chain.from_iterable(zip(map(rate, row), beside, strict=True)))
        for title, row, beside in zip([*titles, "mean"], [*gains, means], [*p, counted], strict=True)
    )
    return Table(
        "Gain in LAS over the step before",
        ("", *(column for name in GAINS for column in (name, f"p ({name})"))),
        rows,
        note="The last row has the mean gain, and how many treebanks gain and lose with p < 0.05.",
        legends={
            **{later: f"LAS more than {first}" for first, later in itertools.pairwise(STEPS)},
            WHOLE: f"LAS of {BEST} more than {FORMER}",
            "p": "probability of a difference of at least this size if the two were equally good, by the "
            "randomization test over sentences, not corrected for several treebanks",
        },
    )


def _choices(titles: Sequence[str], measured: Sequence[EnsembleScores]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for title, (context, *_, chosen) in zip(titles, measured, strict=True):
        assert context.dev is not None
        rows.append((title, context.training.n_tokens, context.dev.n_tokens, context.test.n_tokens, *chosen))
    columns = (
        *("", "training tokens", "development tokens", "tokens", "best member"),
        *("weights of default vote", "weights of best vote", "members of best vote"),
    )
    legends = {
        "tokens": "number of tokens that scores are measured on",
        "members of best vote": "in the order in which ties are decided; a member with a number is trained with "
        "another seed",
    }
    return Table("Treebanks and choices", columns, tuple(rows), legends=legends)


ensemble = EnsembleStudy()
