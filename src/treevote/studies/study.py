"""A study as data, and the runner of all studies.

A study trains each of its systems under each of its conditions (training and test sentences), lets some of them vote,
puts their scores into tables beside the figures of the paper, and checks the claims of the paper.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from treevote.config import to_mapping
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import is_single_rooted
from treevote.ensemble.configuration import described
from treevote.ensemble.members import members_of
from treevote.ensemble.vote import vote
from treevote.errors import InputError
from treevote.evaluation.counts import Convention, Counts, count_by_sentence
from treevote.evaluation.paired import PERMUTATIONS
from treevote.evaluation.significance import randomization_p
from treevote.evaluation.verdict import LEVEL, Probability, bounded
from treevote.kernels import Bools
from treevote.parallel import ONE_JOB, Jobs
from treevote.protocols import Trainer
from treevote.store.checkpoints import checkpoints
from treevote.studies.jobs import Job, Parsing, Result, compact, run
from treevote.studies.report import Finding, Outcome, Report, Table, Value, outcome, rate

Metric: TypeAlias = Literal["las", "uas"]
METRICS: tuple[Metric, ...] = ("las", "uas")

Conditions: TypeAlias = Mapping[str, tuple[Treebank, Treebank]]
"""Training and test set by name."""

Figures: TypeAlias = Mapping[str, Sequence[Value]]
"""Figures of a paper by row."""


@dataclass(frozen=True)
class Context:
    """The context of a study: treebanks with trees, the folder of the cached jobs, and settings.

    Members, for a study of members, are names of `treevote.ensemble.members`; the convention is that of LAS and UAS.
    ``text`` is unlabelled, for a study that needs it; ``changes`` are settings of members by name; ``dev`` is a
    development set, for a study that learns votes.
    """

    training: Treebank
    test: Treebank
    folder: Path
    members: tuple[str, ...] = ()
    convention: Convention = "ud"
    seed: int = 0
    jobs: Jobs = ONE_JOB
    text: Treebank | None = None
    changes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    dev: Treebank | None = None

    def trainers(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the trainers of members, with the changes of the settings."""
        own: dict[str, Any] = members_of(names)
        return {name: dataclasses.replace(trainer, **self.changes.get(name, {})) for name, trainer in own.items()}

    def run(self, work: Sequence[Job[Result]]) -> list[Result]:
        """Return the results of jobs, see `treevote.studies.jobs.run`."""
        with checkpoints(self.folder, {}, work="study") as steps:
            return run(work, steps, self.jobs)

    def counts(self, parse: Treebank, sentences: Bools | None = None, *, punctuation: bool = True) -> Counts:
        """Compare a parse of the test set, or of some of its sentences, with the gold trees."""
        columns = count_by_sentence(self.test, parse, convention=self.convention, punctuation=punctuation)
        chosen = slice(None) if sentences is None else sentences
        return Counts(**{name: int(column[chosen].sum()) for name, column in columns.items()})

    def p_value(self, first: Treebank, second: Treebank, metric: Metric) -> Probability:
        """Return the p-value of the difference of two parses of the test set, by the randomization test."""
        right = {"las": "arcs", "uas": "heads"}[metric]
        columns = [count_by_sentence(self.test, parse, convention=self.convention) for parse in (first, second)]
        one, other = (np.stack([own[right], own["tokens"]], axis=1)[:, None, :] for own in columns)
        p = float(randomization_p(one, other, PERMUTATIONS, self.seed)[0])
        return bounded(p, p, PERMUTATIONS)


def hold_out(treebank: Treebank) -> tuple[Treebank, Treebank]:
    """Split off every tenth sentence; return the other sentences first."""
    tenth = np.arange(treebank.n_sentences) % 10 == 9
    return (
        dataclasses.replace(treebank.select(~tenth), name=f"{treebank.name} without every tenth sentence"),
        dataclasses.replace(treebank.select(tenth), name=f"every tenth sentence of {treebank.name}"),
    )


@dataclass(frozen=True)
class Results:
    """The parses of the test set by condition and system, and the results of other jobs."""

    context: Context
    conditions: Conditions
    parses: Mapping[str, Mapping[str, Treebank]]
    others: Mapping[Any, Any]

    @property
    def systems(self) -> Mapping[str, Treebank]:
        """The parses under the first condition, for a study that has no other."""
        return next(iter(self.parses.values()))

    def score(self, system: str, metric: Metric = "las", condition: str = "") -> float:
        """Return LAS or UAS."""
        return float(getattr(self.context.counts(self.parses[condition][system]), metric))

    def scores(self, system: str) -> tuple[Value, Value]:
        """Return LAS and UAS as entries of a table."""
        counts = self.context.counts(self.systems[system])
        return rate(counts.las), rate(counts.uas)


Check: TypeAlias = Callable[[Results], tuple[Outcome, str] | None]
"""A predicate of results: the outcome of a claim, and the evidence; None without data for it."""


class Claim(NamedTuple):
    """A claim of a paper: its sentence, its section or table, and how it is checked."""

    sentence: str
    source: str
    check: Check


@dataclass(frozen=True)
class Study:
    """A study: its tables (each with its source in the paper), its claims, its systems and its data.

    ``systems`` are trained besides the members, each with the seed of the study plus its number in ``seeds``; members
    are the default ones, none for a study without a choice. ``fewest`` and ``fewest_sentences`` are the minimum numbers
    of members and of training sentences. Votes have voters by name of the vote, none for all members; a vote without
    one of its voters is left out. Conditions are training and test sets by name, ``others`` are other jobs by key. With
    ``paper_settings`` of its members (``--settings paper``) the study is that of the paper.
    """

    summary: str
    paper: str
    tables: Callable[[Results], Iterable[Table]]
    claims: tuple[Claim, ...]
    systems: Mapping[str, Trainer] = field(default_factory=dict)
    seeds: Mapping[str, int] = field(default_factory=dict)
    members: tuple[str, ...] = ()
    fewest: int = 1
    votes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    conditions: Callable[[Context], Conditions] = lambda own: {"": (own.training, own.test)}
    fewest_sentences: int = 1
    others: Callable[[Context], Mapping[Hashable, Job[Any]]] = lambda _: {}
    paper_settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    needs_text: bool = False

    def trainers(self, context: Context) -> dict[str, Any]:
        """Return the trainers of all systems."""
        return {**self.systems, **context.trainers(context.members)}

    def _voters(self, context: Context) -> dict[str, tuple[str, ...]]:
        votes = {name: voters or context.members for name, voters in self.votes.items()}
        known = set(context.members)
        return {name: voters for name, voters in votes.items() if len(voters) > 1 and known.issuperset(voters)}

    def described(self, context: Context) -> dict[str, str]:
        """Return what is run: the settings of each system, and the voters of each vote."""
        trainers, votes = self.trainers(context), self._voters(context)
        systems = {name: described(to_mapping(own)) or type(own).__name__ for name, own in trainers.items()}
        return systems | {name: f"equal weights: {', '.join(voters)}" for name, voters in votes.items()}

    def run(self, context: Context) -> Report:
        """Run the study; InputError if there are too few sentences, or the folder of the jobs cannot be written to."""
        if context.training.n_sentences < self.fewest_sentences:
            problem = f"at least {self.fewest_sentences} sentences to train on, found {context.training.n_sentences}"
            raise InputError(f"expected {problem}", path=context.training.name, remedy="give a larger treebank")
        results = self.results(context)
        tables = [
            dataclasses.replace(table, source=table.source and f"{self.paper}, {table.source}")
            for table in self.tables(results)
        ]
        found = [
            Finding(f"{claim.sentence} ({self.paper}, {claim.source}).", *judged)
            for claim in self.claims
            if (judged := claim.check(results))
        ]
        return Report(tuple(tables), tuple(found))

    def results(self, context: Context) -> Results:
        """Train the systems under all conditions, parse, and vote."""
        conditions, trainers = self.conditions(context), self.trainers(context)
        data = {name: (compact(training), compact(test)) for name, (training, test) in conditions.items()}
        jobs = [
            Parsing(f"{name} {condition}".rstrip(), trainer, *own, context.seed + self.seeds.get(name, 0))
            for condition, own in data.items()
            for name, trainer in trainers.items()
        ]
        trees = iter(context.run(jobs))
        parses = {condition: {name: next(trees) for name in trainers} for condition in conditions}
        single_root = is_single_rooted(context.training)
        for own in parses.values():
            for name, voters in self._voters(context).items():
                own[name] = vote([own[voter] for voter in voters], single_root=single_root).only()
        others = self.others(context)
        found = dict(zip(others, context.run(list(others.values())), strict=True))
        return Results(context, conditions, parses, found)


def _compare(direction: Callable[[float, float], bool] | None, metric: Metric, system: str, *rivals: str) -> Check:
    """Return the comparison of a system with the best of its rivals, by default all members; None without one of them.

    Without ``direction`` the claim is that the difference is not significant.
    """

    def check(results: Results) -> tuple[Outcome, str] | None:
        if not results.systems.keys() >= {system, *rivals}:
            return None
        own = results.score(system, metric)
        others = {name: results.score(name, metric) for name in rivals or results.context.members}
        best = max(others, key=others.__getitem__)
        p = results.context.p_value(results.systems[system], results.systems[best], metric)
        versus = f" against {best}" if len(others) > 1 else ""
        shown = ", ".join(f"{name} {score:.2f}" for name, score in others.items())
        evidence = f"{system} {own:.2f} {metric.upper()}, {shown} ({p}{versus})"
        if direction is None:
            return outcome(p.p > LEVEL), evidence
        if direction is operator.ge:  # not worse: the claim fails only with a significant loss
            return outcome(own >= others[best] or not p.significant), evidence
        return outcome(direction(own, others[best]), p.p), evidence

    return check


better = partial(_compare, operator.gt)
not_worse = partial(_compare, operator.ge)
worse = partial(_compare, operator.lt)
similar = partial(_compare, None)
"""``better(metric, system, *rivals)``: the system scores higher than each rival; not significantly lower than the best
of them; lower than one of them; not significantly different from the best of them."""


def score_table(
    results: Results, title: str, names: Mapping[str, str], figures: Figures, source: str, note: str = ""
) -> Table:
    """Return LAS and UAS of systems, by the name of the row, and of the languages of a paper."""
    scores: Figures = {name: results.scores(system) for name, system in names.items()}
    rows = tuple((name, *own) for name, own in [*scores.items(), *figures.items()])
    return Table(title, ("", "LAS", "UAS"), rows, source, note)
