"""The verdict of an evaluation: the best system by its main figure, its lead, and which differences are significant.

A difference is significant if both p-values, of the paired bootstrap and of the randomization test, are below `LEVEL`
after Holm's correction for all pairs of systems. With n samples no p-value is below 1 / (n + 1): one that small is a
bound, and is written ``p ≤ 0.0010``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from treevote.evaluation.results import Evaluation, System, Test
from treevote.evaluation.significance import TOLERANCE

LEVEL = 0.05  # differences with a corrected p-value below it are significant
_MOST = 3  # maximum number of pairs that a sentence names


@dataclass(frozen=True, slots=True)
class Probability:
    """A p-value; with ``bound`` it is an upper bound, the least p-value that the number of samples allows."""

    p: float
    bound: bool = False

    @property
    def significant(self) -> bool:
        """Whether it is below `LEVEL`."""
        return self.p < LEVEL

    def __str__(self) -> str:
        """Return ``p = 0.031`` or ``p ≤ 0.0010``."""
        return f"p {self.entry}" if self.bound else f"p = {self.number}"

    @property
    def entry(self) -> str:
        """The number for a table, ``0.031`` or ``≤ 0.0010``."""
        return f"≤ {self.number}" if self.bound else self.number

    @property
    def number(self) -> str:
        """The number alone, never rounded to 0 or across `LEVEL`."""
        digits = ".4f" if self.p < 0.01 else ".3f" if self.p < 0.1 else ".2f"
        texts = (f"{self.p:{digits}}" for digits in (digits, ".2g", ".3g", ".4g", ""))
        return next(text for text in texts if (float(text) < LEVEL) == self.significant and float(text))


def bounded(corrected: float, raw: float, samples: int) -> Probability:
    """Return a corrected p-value, a bound if the raw one is the least that so many samples allow."""
    return Probability(corrected, raw * (samples + 1) < 1.5)


def p_values(test: Test, evaluation: Evaluation) -> tuple[Probability, Probability]:
    """Return the corrected p-values of the bootstrap and of the randomization test."""
    samples, permutations = evaluation.comparison.samples, evaluation.comparison.permutations
    randomization = bounded(test.randomization_holm, test.randomization, permutations)
    return bounded(test.bootstrap_holm, test.bootstrap, samples), randomization


def p_of(test: Test, evaluation: Evaluation) -> Probability:
    """Return the larger of the two corrected p-values; of equal ones the exact one."""
    return max(p_values(test, evaluation), key=lambda value: (value.p, not value.bound))


def interval(low: float | None, high: float | None, p: Probability) -> str:
    """Return interval and p of a difference, for a sentence; p alone if there is no interval, as of one sentence."""
    return str(p) if low is None or high is None else f"95 % interval {signed(low)} to {signed(high)}, {p}"


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
        """Return the names."""
        return f"{self.better} − {self.worse}"

    @property
    def turned(self) -> Difference:
        """The second system minus the first."""
        low, high = (None if end is None else -end for end in (self.high, self.low))
        return Difference(self.worse, self.better, -self.points, low, high, self.p)

    @property
    def interval(self) -> str:
        """Interval and p, for a sentence."""
        return interval(self.low, self.high, self.p)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of an evaluation: the ranking by the first metric, LAS, and the verdict in ``sentences``.

    ``ranking`` has names and figures, the highest first, without systems that have none. ``leads`` are the differences
    of its first and each other system, in its order; ``open`` are the pairs whose difference is not significant.
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
    pairs = [pair for pair, _ in differences(evaluation, metric, ranking)]
    leads = tuple(pair for pair in pairs if pair.better == ranking[0][0])
    still_open = tuple(pair for pair in pairs if not pair.p.significant)
    correction = f"Holm’s correction for {len(pairs)} pairs" if len(pairs) > 1 else "one pair, no correction"
    sentences = _sentences(evaluation, ranking, pairs)
    return Verdict(metric, correction, tuple(ranking), leads, still_open, tuple(sentences))


def ranked(evaluation: Evaluation, found: Verdict) -> list[System]:
    """Return the systems by their score, the best first; those without a score are last."""
    places = {name: place for place, (name, _) in enumerate(found.ranking)}
    return sorted(evaluation.systems, key=lambda system: places.get(system.name, len(places)))


def differences(
    evaluation: Evaluation, metric: str, ranking: Sequence[tuple[str, float]]
) -> Iterator[tuple[Difference, Test]]:
    """Yield the difference of each pair in a metric, with its test: the system that is higher in the ranking first."""
    places = {name: place for place, (name, _) in enumerate(ranking)}
    pairs = []
    for test in evaluation.comparison.tests:
        if test.metric == metric and test.difference is not None:
            first, second = (evaluation.systems[i].name for i in (test.first, test.second))
            at = places.get(first, len(places) + test.first), places.get(second, len(places) + test.second)
            found = Difference(first, second, test.difference, test.low, test.high, p_of(test, evaluation))
            pairs.append((sorted(at), found if at[0] < at[1] else found.turned, test))
    for _, found, test in sorted(pairs, key=lambda pair: pair[0]):
        yield found, test


def _sentences(evaluation: Evaluation, ranking: list[tuple[str, float]], pairs: list[Difference]) -> list[str]:
    if not ranking:
        return ["No word was scored."]
    metric, (best, value) = evaluation.metrics[0].name, ranking[0]
    leads = [pair for pair in pairs if pair.better == best]
    if not leads:
        rate = next(system.rates[metric] for system in evaluation.systems if system.name == best)
        ends = "" if rate.low is None else f" (95 % interval {rate.low:.2f} to {rate.high:.2f})"
        return [f"{best} has {value:.2f} {metric}{ends}."]
    lead = next((pair for pair in leads if abs(pair.points) >= TOLERANCE), None)
    equal = [pair.worse for pair in leads if abs(pair.points) < TOLERANCE]
    if lead is None:
        return [f"{_listed([best, *equal])} have the same {metric}, {value:.2f}."]
    corrected = f"; Holm’s correction for {len(pairs)} pairs" if len(pairs) > 1 else ""
    points = f"{lead.points:.2f}" if round(lead.points, 2) else "less than 0.01"
    ahead = f"{points} above {lead.worse} ({lead.interval}{corrected})"
    unsure = [pair.worse for pair in leads if not pair.p.significant and pair.worse not in equal]
    if equal:
        but = f", but the lead of {best} over {_listed(unsure)} is not significant" if unsure else ""
        sentences = [f"{_listed([best, *equal])} have the highest {metric}, {value:.2f}, {ahead}{but}."]
    elif not unsure:
        more = "; its lead over every system is significant" if len(leads) > 1 else ""
        sentences = [f"{best} is best: {value:.2f} {metric}, {ahead}{more}."]
    else:
        what = f"its lead over {_listed(unsure)}" if len(leads) > 1 else "the difference"
        sentences = [f"{best} has the highest {metric}, {value:.2f}, {ahead}, but {what} is not significant."]
    still_open = [pair for pair in pairs if not pair.p.significant]
    if others := [f"{pair} ({pair.p})" for pair in still_open if pair.better != best]:
        sentences.append(f"{'Nor are these differences' if unsure else 'Not significant'}: {_listed(others)}.")
    elif len(pairs) > max(1, len(still_open)):
        which = "All other" if unsure or equal else "All"
        sentences.append(f"{which} differences are significant.")
    return sentences


def _listed(names: list[str]) -> str:
    """Return names as a list in words, the first ones if there are many.

    >>> _listed(["a", "b", "c"]), _listed(list("abcdef"))
    ('a, b and c', 'a, b, c and 3 more')
    """
    if len(names) > _MOST + 1:
        return f"{', '.join(names[:_MOST])} and {len(names) - _MOST} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def signed(points: float) -> str:
    """Return a difference of percentages with its sign.

    >>> signed(0.5), signed(-1.234), signed(-0.001), signed(0.005)
    ('+0.50', '−1.23', '0.00', '+0.01')
    """
    return "0.00" if abs(points) < 0.005 else f"{points:+.2f}".replace("-", "−")
