"""Scores of a model before and after an adaptation: measured on labelled sentences, else a range.

Retraining on each other's parses makes parsers agree, right or wrong, so an adapted model is judged by the one before
(`treevote.ensemble.estimate`): it is as good, but for the arcs that changed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from treevote.adaptation.annotation import agreement, mean_confidence
from treevote.adaptation.data import Data, has_tagger, tagged
from treevote.adaptation.guard import DomainScores
from treevote.adaptation.scheme import InstanceSelection
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import per_sentence
from treevote.ensemble.annotator_trainer import right_tags
from treevote.ensemble.estimate import Estimate, SourceScores, all_agree, estimate
from treevote.ensemble.familiarity import ENOUGH_VOTES
from treevote.ensemble.parser import EnsembleParser
from treevote.evaluation.agreement import agreement as agreement_of
from treevote.evaluation.agreement import arcs_of
from treevote.evaluation.counts import Convention, count_by_sentence, evaluate
from treevote.evaluation.intervals import moments, share
from treevote.evaluation.paired import paired
from treevote.kernels import Bools, Longs
from treevote.store.manifest import JSON

HELD_OUT = 20  # every 20th sentence of the text is held out from training, for the estimates
MAX_HELD_OUT = 2_000  # the sentences of a sample stay in memory
BY_FOLDS = "target by folds"  # domain of the labelled sentences that are trained on, each parsed without itself
TAGS = ("UPOS", "AllTags")  # the metrics of tags that are compared

# Lowest and highest gain in right arcs among those that an adaptation changed, as a share of them: set by hand after
# six adaptations, whose gains were 0 to 0.09.
GAINS = -0.1, 0.3

# Counts by sentence of `treevote.evaluation.counts.count_by_sentence`; with a tagger, right tags by metric.
Scores: TypeAlias = dict[str, Longs]


def held_out(numbers: Longs) -> Bools:
    """Return a mask of the held-out sentences of a text, by their numbers from 0."""
    mask: Bools = (numbers % HELD_OUT == HELD_OUT - 1) & (numbers < HELD_OUT * MAX_HELD_OUT)
    return mask


def sample_of(parts: Iterable[Treebank], chosen: Callable[[Longs], Bools] = held_out) -> Treebank:
    """Return the chosen sentences of a text, given part by part: the mask of their numbers; the held-out ones."""
    sample, first = [], 0
    for part in parts:
        numbers = np.flatnonzero(chosen(first + np.arange(part.n_sentences)))
        sample.append(dataclasses.replace(part.select(numbers), source=None))
        first += part.n_sentences
    return Treebank.concatenate(sample)


def expected(parser: EnsembleParser, text: Callable[[], Iterable[Treebank]]) -> Estimate | None:
    """Return the range of LAS on a text, from ``MAX_HELD_OUT`` sentences at equal distances, or all if they are fewer.

    It is the range that ``treevote parse`` tells, or that of the confidence for a parser with one member, or with
    members that hardly ever differ. None for a text that is too short, as there.
    """
    step = max(1, -(-sum(part.n_sentences for part in text()) // MAX_HELD_OUT))
    parse = _voted(parser, sample_of(text(), lambda numbers: numbers % step == 0))
    if parse.n_tokens < ENOUGH_VOTES:
        return None
    agreed = all_agree(parse)
    percent = None if agreed is None else 100 * float(agreed[parse.is_token].mean())
    return estimate(SourceScores.of(parser), percent, _mean_confidence(parse), parse.n_tokens, parse.n_sentences)


def las_of(scores: Scores) -> float:
    """Return the labelled attachment score in percent."""
    return 100 * int(scores["arcs"].sum()) / max(1, int(scores["tokens"].sum()))


class Measurement(NamedTuple):
    """Accuracy of a model."""

    las: DomainScores  # for the guard
    scores: dict[str, Scores]  # by "source", "target" and BY_FOLDS, where there are labelled sentences
    sample: Treebank  # its parse of the sample of the target


def measure(
    parser: EnsembleParser, gold: Data, seen: Data, by_folds: Treebank | None, convention: Convention
) -> Measurement:
    """Measure a model on the labelled sentences of both domains, and parse a sample of the target.

    ``gold`` are the data as they are given, ``seen`` those with the tags of the model, ``by_folds`` is the parse of the
    labelled sentences of the target that are trained on.
    """
    labelled = {"source": gold.source_dev, "target": gold.target_dev}
    scores = {name: score(parser, own, convention) for name, own in labelled.items() if own is not None}
    if by_folds is not None and seen.target_train is not None:
        scores[BY_FOLDS] = count_by_sentence(seen.target_train, by_folds, convention=convention)
    las = {name: las_of(found) for name, found in scores.items()}
    voted = _voted(parser, sample_of(seen.text()))
    target = las.get("target", las.get(BY_FOLDS))
    return Measurement(DomainScores(las.get("source"), target, _mean_confidence(voted)), scores, voted)


def _voted(parser: EnsembleParser, sample: Treebank) -> Treebank:
    """Return a vote whose confidence does not depend on the unknown words: an adaptation makes them known."""
    return parser.judge.vote(list(parser.parse_members(sample).values()), single_root=parser.single_root)


def _mean_confidence(parse: Treebank) -> float | None:
    """Return the mean confidence of the arcs with labels in percent."""
    if parse.label_confidence is None or not parse.n_tokens:
        return None
    return round(100 * float(parse.label_confidence[parse.is_token].mean(dtype=np.float64)), 2)


def score(parser: EnsembleParser, gold: Treebank, convention: Convention) -> Scores:
    """Return the scores of a model on labelled sentences, and those of its tags if it has a tagger."""
    given = tagged(parser, gold)
    parse = parser.parse(given)
    counts = count_by_sentence(gold, parse, convention=convention)
    if has_tagger(parser):
        counts |= {metric: per_sentence(right, gold.offsets) for metric, right in right_tags(gold, given).items()}
    return counts


def compared(before: Mapping[str, Scores], after: Mapping[str, Scores], seed: int) -> list[JSON]:
    """Return LAS, UAS and ``TAGS`` of two models on each domain, the difference with its interval, and p."""
    rows: list[JSON] = []
    for domain in before:
        metrics = {"LAS": "arcs", "UAS": "heads"} | {name: name for name in TAGS if name in before[domain]}
        for metric, right in metrics.items():
            sides = (before[domain], after[domain])
            found = paired(*(np.stack([own[right], own["tokens"]], axis=1) for own in sides), seed=seed)
            figures = {"before": found.before, "after": found.after, "difference": found.points}
            figures |= {"low": found.low, "high": found.high}
            rounded = {name: None if value is None else round(value, 2) for name, value in figures.items()}
            n_tokens = int(before[domain]["tokens"].sum())
            p = {"p": round(found.p.p, 6), "p_is_bound": found.p.bound}
            rows.append({"domain": domain, "metric": metric, "tokens": n_tokens, **rounded, **p})
    return rows


def of_labels(counts: Scores) -> Estimate | None:
    """Return LAS on labelled sentences with its 95 % interval; counts are those of one parse, by sentence."""
    rate = share(moments(counts["arcs"], counts["tokens"]))
    if rate.low is None or rate.high is None:
        return None
    return Estimate(round(rate.low, 2), round(rate.high, 2), "labels")


def after_changes(before: Estimate, changed: float) -> Estimate:
    """Return the range for an adapted model: that of the model before, and the possible gain of the changed arcs.

    ``changed`` is the percentage of tokens with another head or label than before.
    """
    low, high = (end + gain * changed for end, gain in zip(before[:2], GAINS, strict=True))
    return Estimate(round(max(low, 0.0), 2), round(min(high, 100.0), 2), "changes")


def estimates(expected: Estimate | None, before: Measurement, after: Measurement) -> list[JSON]:
    """Return the range of LAS on the target of each model, and whether it holds where the truth is known.

    ``expected`` is the range of the model before the adaptation, without labels. Labelled sentences that are trained on
    are preferred; else the adapted model is judged by the one before, since its own confidence and agreement rise
    whether it is right or not. ``"error"`` is the middle of the range less the LAS on labelled sentences that are not
    trained on; ``"holds"`` tells whether the range has that LAS in it.
    """
    found: dict[str, Estimate | None] = {"before": expected, "after": None}
    if expected is not None and before.sample.n_tokens:
        same = agreement_of(*arcs_of([before.sample, after.sample])).arcs[before.sample.is_token]
        found["after"] = after_changes(expected, 100 * float(1 - same.mean()))
    rows: list[JSON] = []
    for (side, without_labels), measured in zip(found.items(), (before, after), strict=True):
        labels = measured.scores.get(BY_FOLDS)
        best = without_labels if labels is None else of_labels(labels)
        if best is None:
            continue
        row: dict[str, JSON] = {"model": side, "las": best.las, **best._asdict(), "error": None, "holds": None}
        if "target" in measured.scores:
            truth = round(las_of(measured.scores["target"]), 2)  # as the range is
            row |= {"error": round(best.las - truth, 2), "holds": best.low <= truth <= best.high}
        rows.append(row)
    return rows


def committee_scores(
    committee: EnsembleParser, target: Treebank, selection: InstanceSelection, convention: Convention
) -> dict[str, JSON]:
    """Return LAS of each member on labelled sentences of the target, and of the vote where sentences are selected."""
    parses = committee.parse_members(target)
    voted = committee.combine(parses)
    kept = selection.of(target.lengths, agreement(list(parses.values())), mean_confidence(voted))
    own, of_vote = target.select(kept), voted.select(kept)
    selected = evaluate(own, of_vote, convention=convention).attachment if kept.any() else {"las": None, "uas": None}
    return {
        "members": {name: evaluate(target, parse, convention=convention).attachment for name, parse in parses.items()},
        "vote": evaluate(target, voted, convention=convention).attachment,
        "selected": {"sentences": own.n_sentences, "tokens": own.n_tokens, **selected},
    }
