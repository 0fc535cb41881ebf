"""Gates: conditions on an evaluation that a script can rely on, each with its outcome in one sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from reprlib import repr as short

from treevote.errors import ConfigError, require_known
from treevote.evaluation.results import Evaluation
from treevote.evaluation.significance import TOLERANCE
from treevote.evaluation.verdict import p_of


@dataclass(frozen=True, slots=True)
class Gate:
    """The outcome of a condition for one system: what was asked for, whether it holds, and a sentence with figures."""

    condition: str
    system: str
    passed: bool
    sentence: str


def thresholds(given: list[str], *, metric: str = "") -> dict[str, float]:
    """Return the figures of ``LAS=87``, or ``87`` of ``metric``; ConfigError if one is not 0 to 100, or given twice."""
    found: dict[str, float] = {}
    for text in given:
        name, sign, figure = text.rpartition("=")
        name = name.strip() if sign else metric
        try:
            number = float(figure)
        except ValueError:
            number = math.nan
        if not name or not 0 <= number <= 100:
            wanted = f"{'NUMBER or ' if metric else ''}METRIC=NUMBER with a number from 0 to 100, such as LAS=87"
            raise ConfigError(f"expected {wanted}, found {short(text)}")
        if name in found:
            raise ConfigError(f"{name} is given twice; give one number for it")
        found[name] = number
    return found


def fail_under(evaluation: Evaluation, least: Mapping[str, float], *, but: str | None = None) -> Iterator[Gate]:
    """Yield whether each system but one, a further baseline, has at least these figures; ConfigError for no metric."""
    for metric, number in least.items():
        require_known("metric", metric, [known.name for known in evaluation.metrics])
        for system in evaluation.systems:
            if system.name == but:
                continue
            value = system.rates[metric].value
            if value is None:
                passed, found = False, f"no {metric}"
            else:
                as_shown = round(value, 2) if number < 100 else value  # 100 are all, and not nearly all
                passed = max(value, as_shown) >= number - TOLERANCE
                shown = f"{value:.2f}" if passed or round(value, 2) < 100 else "nearly 100"
                found = f"{shown} {metric}, {'at least' if passed else 'less than'} the {number:g} asked for"
            yield Gate(f"{metric} ≥ {number:g}", system.name, passed, f"{system.name} has {found}")


def max_loss(evaluation: Evaluation, most: Mapping[str, float], baseline: str, *, significant: bool) -> Iterator[Gate]:
    """Yield whether each system loses at most the given points against a baseline.

    With ``significant`` a loss fails only if the difference is significant, see `treevote.evaluation.verdict`.
    ConfigError if there is no such baseline, or the differences of the metric are not tested.
    """
    names = [system.name for system in evaluation.systems]
    require_known("system", baseline, names)
    base = names.index(baseline)
    for metric, number in most.items():
        require_known("metric", metric, [known.name for known in evaluation.metrics])
        tested = [test for test in evaluation.comparison.tests if test.metric == metric]
        if significant and not tested:
            raise ConfigError(f"differences in {metric} are not tested; leave out --significant, or choose LAS or UAS")
        for place, system in enumerate(evaluation.systems):
            if place == base:
                continue
            condition = f"{metric} ≥ {baseline} − {number:g}"
            old, new = evaluation.systems[base].rates[metric].value, system.rates[metric].value
            if old is None or new is None:
                yield Gate(condition, system.name, False, f"{system.name} has no {metric}")
                continue
            loss, chance = round(old - new, 2), ""
            exact = old - new if abs(old - new) > TOLERANCE else 0.0
            passed = (min(loss, exact) if number else exact) <= number + TOLERANCE  # as it is shown, or is; 0 is none
            if tested:
                p = p_of(next(test for test in tested if {test.first, test.second} == {base, place}), evaluation)
                passed = passed or (significant and not p.significant)
                chance = f" ({p})"
            change = f"{'loses' if exact >= 0 else 'gains'} {f'{abs(loss):.2f}' if loss else 'less than 0.01'}"
            change = change if exact else "loses no"
            sentence = f"{system.name} {change} {metric} against {baseline}{chance}; {number:g} may be lost"
            sentence += ", or more if it is not significant" if significant else ""
            yield Gate(condition, system.name, passed, sentence)


def well_formed(evaluation: Evaluation, *, but: str | None = None) -> Iterator[Gate]:
    """Yield whether every sentence of each system but one, a further baseline, is a tree."""
    for system in evaluation.systems:
        if system.name != but:
            found = [f"{finding.sentences:,} with {finding.name}" for finding in system.ill_formed]
            faulty = f"{system.name} has sentences that are no trees: {', '.join(found)}"
            sentence = faulty if found else f"{system.name} has trees only"
            yield Gate("trees only", system.name, not found, sentence)
