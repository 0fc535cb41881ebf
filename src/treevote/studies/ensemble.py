"""The study of the ensemble: what each part of it gives, from a single parser to the best vote, by treebank.

Each member is trained once for a treebank, and all votes share it: its seed follows from its name, so it is the one of
`treevote.ensemble.trainer.EnsembleTrainer`. This class learns the votes, too, given the members' parses: each parses
alone, without heads that the others propose.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import is_single_rooted
from treevote.ensemble.configuration import PRESETS, ensemble_of
from treevote.ensemble.members import DEFAULT_MEMBERS, members_of
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.evaluation.agreement import oracle, right_arcs
from treevote.evaluation.calibration import calibration_error, reliability
from treevote.evaluation.verdict import Probability
from treevote.parallel import ONE_JOB, Jobs
from treevote.store.record import Record
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


@dataclass(frozen=True, eq=False)
class StoredParses:
    """A member of which parses are known: its training learns nothing, and its parse of a sentence is the known one."""

    parses: Treebank
    single_root: bool

    @property
    def trainer(self) -> Self:
        """Its trainer."""
        return self

    @cached_property
    def _number_of(self) -> dict[tuple[Word, ...], int]:
        return {sentence.words: number for number, sentence in enumerate(self.parses.sentences())}

    def train(self, treebank: Treebank, dev: Treebank | None = None, *, seed: int = 0, jobs: Jobs = ONE_JOB) -> Self:
        """Return itself."""
        return self

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the known trees of sentences; KeyError if one is not known."""
        known = self.parses.select([self._number_of[sentence.words] for sentence in treebank.sentences()])
        return treebank.with_trees(known.heads, known.deprels, known.labels)

    def record(self) -> Record:
        """Raise an error: it is not stored."""
        raise NotImplementedError


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
        return {
            name: f"{'selected' if trainer.select else f'weights {trainer.weights}'}: {', '.join(trainer.members)}"
            for name, trainer in _votes().items()
        }

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
    trainers = {name: EnsembleTrainer({name[1]: member}, "equal") for name, member in known.items()}
    work = [
        Parsing(f"{test.name} {name}", trainer, training, both, context.seed, own_dev)
        for (_, name), trainer in trainers.items()
    ]
    single_root = is_single_rooted(training)
    members = {key: StoredParses(found, single_root) for key, found in zip(known, context.run(work), strict=True)}
    on_dev = dataclasses.replace(context, test=dev)
    (_, best), single = max(members.items(), key=lambda member: on_dev.counts(member[1].parse(dev)).las)
    parsers = {
        vote: dataclasses.replace(trainer, members={name: members[vote, name] for name in trainer.members}).train(
            training, dev, seed=context.seed, convention=context.convention
        )
        for vote, trainer in votes.items()
    }
    parses = {MEMBER: single.parse(test), **{vote: parser.parse(test) for vote, parser in parsers.items()}}
    right = oracle([right_arcs(test, own.parse(test), convention=context.convention).arcs for own in members.values()])
    las = {name: context.counts(parse).las for name, parse in parses.items()}
    return EnsembleScores(
        context,
        las | {ORACLE: 100 * float(right[test.is_token].mean())},
        [las[later] - las[first] for first, later in GAINS.values()],
        [context.p_value(parses[first], parses[later], "las") for first, later in GAINS.values()],
        [_error(context, parses[vote]) for vote in CALIBRATED],
        (best, *(str(parsers[vote].facts["weights"]) for vote in CALIBRATED), ", ".join(parsers[BEST].members)),
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
