"""The verdict of an evaluation: the best system by its main figure, its lead, and which differences are significant.

A difference is significant if both p-values, of the paired bootstrap and of the randomization test, are below `LEVEL`
after Holm's correction for all pairs of systems. With n samples no p-value is below 1 / (n + 1): one that small is a
bound, and is written ``p ≤ 0.0010``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from treevote.evaluation.results import Evaluation, Test
from treevote.evaluation.significance import TOLERANCE

LEVEL = 0.05
"""Differences with a corrected p-value below it are significant."""

_MOST = 3
"""Maximum number of pairs that a sentence names."""


@dataclass(frozen=True, slots=True)
class Probability:
    """A p-value; ``bound``: p is only an upper bound, the least that the number of samples allows."""

    p: float
    bound: bool = False

    @property
    def significant(self) -> bool:
        """Whether it is below `LEVEL`."""
        return self.p < LEVEL

    def __str__(self) -> str:
        """Return ``p = 0.031`` or ``p ≤ 0.0010``."""
        return f"p {'≤' if self.bound else '='} {self.number}"

    @property
    def number(self) -> str:
        """The number alone, never rounded to 0 or across `LEVEL`."""
        text = f"{self.p:.4f}" if self.p < 0.01 else f"{self.p:.3f}" if self.p < 0.1 else f"{self.p:.2f}"
        return text if (float(text) < LEVEL) == self.significant and float(text) else f"{self.p:.2g}"


def bounded(corrected: float, raw: float, samples: int) -> Probability:
    """Return a corrected p-value, a bound if the raw one is the least that so many samples allow."""
    return Probability(corrected, raw * (samples + 1) < 1.5)


def p_values(test: Test, evaluation: Evaluation) -> tuple[Probability, Probability]:
    """Return the corrected p-values of the bootstrap and of the randomization test."""
    comparison = evaluation.comparison
    return (
        bounded(test.bootstrap_holm, test.bootstrap, comparison.samples),
        bounded(test.randomization_holm, test.randomization, comparison.permutations),
    )


def p_of(test: Test, evaluation: Evaluation) -> Probability:
    """Return the larger of the two corrected p-values; of equal ones the exact one."""
    return max(p_values(test, evaluation), key=lambda value: (value.p, not value.bound))


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two systems in points, the one with the higher figure first, with its 95 % interval."""

    better: str
    worse: str
    points: float
    low: float | None
    high: float | None
    p: Probability

    def __str__(self) -> str:
        """Return the names, as ``ours − theirs``."""
        return f"{self.better} − {self.worse}"

    @property
    def interval(self) -> str:
        """Interval and p, for a sentence."""
        ends = "" if self.low is None else f"95 % interval {_signed(self.low)} to {_signed(self.high)}, "
        return f"{ends}{self.p}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an evaluation says, in ``sentences`` and in figures.

    Systems are ranked by the first metric of the evaluation, LAS; those without a figure are left out of the
    ``ranking``. ``leads`` are the first of the ranking against each other system, in its order; ``open`` are all pairs
    whose difference is not significant, the higher system first. ``correction`` is that of the p-values, for a reader.
    """

    metric: str
    correction: str
    ranking: tuple[tuple[str, float], ...]
    leads: tuple[Difference, ...]
    open: tuple[Difference, ...]
    sentences: tuple[str, ...]


def verdict(evaluation: Evaluation) -> Verdict:
    """Return the verdict of an evaluation."""
    metric = evaluation.metrics[0].name
    values = {system.name: system.rates[metric].value for system in evaluation.systems}
    ranking = sorted(((name, value) for name, value in values.items() if value is not None), key=lambda pair: -pair[1])
    pairs = [pair for pair, _ in _ordered(evaluation, metric, ranking)]
    best = ranking[0][0] if ranking else ""
    leads = tuple(pair for pair in pairs if pair.better == best)
    still_open = tuple(pair for pair in pairs if not pair.p.significant)
    n = len(pairs)
    correction = f"Holm’s correction for {n} pairs" if n > 1 else "one pair, no correction"
    found = Verdict(metric, correction, tuple(ranking), leads, still_open, ())
    return dataclasses.replace(found, sentences=tuple(_sentences(evaluation, found, n)))


def differences(evaluation: Evaluation, metric: str, found: Verdict) -> Iterator[tuple[Difference, Test]]:
    """Yield the difference of each pair in a metric, with its test: the system that is higher in the ranking first."""
    return _ordered(evaluation, metric, found.ranking)


def _ordered(
    evaluation: Evaluation, metric: str, ranking: Sequence[tuple[str, float]]
) -> Iterator[tuple[Difference, Test]]:
    ranks = {name: rank for rank, (name, _) in enumerate(ranking)}
    names = [system.name for system in evaluation.systems]
    places = [ranks.get(name, len(ranks) + i) for i, name in enumerate(names)]
    for test in sorted(evaluation.comparison.tests, key=lambda test: sorted((places[test.first], places[test.second]))):
        if test.metric != metric or test.difference is None:
            continue
        first, second, p = names[test.first], names[test.second], p_of(test, evaluation)
        if places[test.first] < places[test.second]:
            yield Difference(first, second, test.difference, test.low, test.high, p), test
        else:
            low, high = (None if end is None else -end for end in (test.high, test.low))
            yield Difference(second, first, -test.difference, low, high, p), test


def _sentences(evaluation: Evaluation, found: Verdict, n_pairs: int) -> list[str]:
    if not found.ranking:
        return ["No word was scored."]
    metric, leads = found.metric, found.leads
    best, value = found.ranking[0]
    if not leads:
        rate = next(system.rates[metric] for system in evaluation.systems if system.name == best)
        ends = "" if rate.low is None else f" (95 % interval {rate.low:.2f} to {rate.high:.2f})"
        return [f"{best} has {value:.2f} {metric}{ends}."]
    lead = leads[0]
    if abs(lead.points) < TOLERANCE and len(leads) == 1:
        return [f"{best} and {lead.worse} have the same {metric}, {value:.2f}."]
    corrected = f"; Holm’s correction for {n_pairs} pairs" if n_pairs > 1 else ""
    ahead = f"{lead.points:.2f} above {lead.worse} ({lead.interval}{corrected})"
    unsure = [pair.worse for pair in leads if not pair.p.significant]
    if not unsure:
        more = "; its lead over every system is significant" if len(leads) > 1 else ""
        said = [f"{best} is best: {value:.2f} {metric}, {ahead}{more}."]
    else:
        what = f"its lead over {_listed(unsure)}" if len(leads) > 1 else "the difference"
        said = [f"{best} has the highest {metric}, {value:.2f}, {ahead}, but {what} is not significant."]
    if others := [f"{pair} ({pair.p})" for pair in found.open if pair.better != best]:
        said.append(f"{'Nor are these differences' if unsure else 'Not significant'}: {_listed(others)}.")
    elif n_pairs > len(found.open) and n_pairs > 1:
        said.append("All other differences are significant." if unsure else "All differences are significant.")
    return said


def _listed(names: list[str]) -> str:
    """Return names as a list in words, the first ones if there are many.

    Examples
    --------
    >>> _listed(["a", "b", "c"]), _listed(list("abcdef"))
    ('a, b and c', 'a, b, c and 3 more')
    """
    if len(names) == 1:
        return names[0]
    if len(names) > _MOST + 1:
        return f"{', '.join(names[:_MOST])} and {len(names) - _MOST} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.2f}".replace("-", "−")
