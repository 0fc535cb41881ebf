"""Checks of an adaptation: fitness of the text before, promotion of the adapted model after."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, TypeAlias

from treevote.adaptation.distance import Distance
from treevote.evaluation.significance import TOLERANCE
from treevote.settings import Interval, Settings

Percent: TypeAlias = Annotated[float, Interval(0, 100)]


@dataclass(frozen=True)
class Guard(Settings):
    """Limits for the loss of an adapted model, in points of LAS, and for the text, in percent.

    Attributes
    ----------
    source_margin : float
        Maximum loss of LAS on the development set of the source.
    target_margin : float
        Maximum loss of LAS on labelled sentences of the target.
    estimate_margin : float
        Maximum loss of estimated LAS on the target, where there are no labelled sentences.
    min_estimate : float
        Least estimated LAS of the source model on the target; lower for a text in another language, for instance.
    min_bigram_information : float
        Least bigram information of the tags, see `treevote.adaptation.distance.Distance`.
    max_repeated : float
        Maximum percentage of the sentences of the text that occur in the training data.
    """

    source_margin: Percent = 1.5
    target_margin: Percent = 0.0
    estimate_margin: Percent = 1.0
    min_estimate: Percent = 50.0
    min_bigram_information: float = 0.0
    max_repeated: Percent = 90.0


@dataclass(frozen=True, slots=True)
class DomainScores:
    """LAS of a model in percent, None without data."""

    source: float | None = None
    target: float | None = None
    estimate: float | None = None  # mean confidence on the target

    @property
    def shown(self) -> dict[str, float | None]:
        """The scores to two decimals."""
        return {name: None if las is None else round(las, 2) for name, las in asdict(self).items()}


def unfit(distance: Distance, before: DomainScores, guard: Guard) -> list[str]:
    """Return the reasons against learning from a text at all; none if it is fit."""
    reasons = []
    if distance.bigram_information < guard.min_bigram_information:
        reasons.append(
            "the tags of the text do not follow each other as those of the training data do (bigram "
            f"information {distance.bigram_information:.1f} %, theirs is 100 %): it may have its words in random "
            "order, be in another language, or have other tags"
        )
    if distance.repeated > guard.max_repeated:
        reasons.append(
            f"{distance.repeated:.0f} % of the sentences of the text are in the training data: they teach nothing new"
        )
    if before.estimate is not None and before.estimate < guard.min_estimate:
        reasons.append(
            f"the estimated LAS of the model on this text is only {before.estimate:.2f} (an estimate; the minimum is "
            f"{guard.min_estimate:.2f}): it may be in another language, or no running text"
        )
    return reasons


def verdict(before: DomainScores, after: DomainScores, guard: Guard) -> list[str]:
    """Return the reasons against the adapted model; none if it is to be promoted.

    >>> verdict(DomainScores(source=90.0), DomainScores(source=85.0), Guard())
    ['on the old domain it has 85.00 LAS, 5.00 less than before: more than the 1.50 that may be lost']
    """
    reasons = []
    if (after.source, after.target, after.estimate) == (None, None, None):
        reasons.append("nothing was measured: give a development set of the old or of the new domain")
    target = ("on the new domain it has", before.target, after.target, guard.target_margin)
    if after.target is None:
        estimates = before.estimate, after.estimate, guard.estimate_margin
        target = ("on the new domain it expects of itself, which is an estimate,", *estimates)
    source = ("on the old domain it has", before.source, after.source, guard.source_margin)
    for what, old, new, margin in (source, target):
        loss = 0.0 if old is None or new is None else round(old - new, 2)  # as it is shown
        if loss > margin + TOLERANCE:
            lost = f"{loss:.2f} less than before: more than the {margin:.2f} that may be lost"
            reasons.append(f"{what} {new:.2f} LAS, {lost}")
    return reasons
