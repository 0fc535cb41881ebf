"""Scores of a model before and after an adaptation: measured on labelled sentences, else estimated."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from treevote.adaptation.agreement import agreement
from treevote.adaptation.data import has_tagger, tagged
from treevote.adaptation.guard import Measured
from treevote.adaptation.instance_selection import InstanceSelection
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import per_sentence
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.reader_trainer import right_tags
from treevote.evaluation.counts import Convention, count_by_sentence
from treevote.evaluation.paired import paired
from treevote.kernels import Bools, Longs
from treevote.store.manifest import JSON

HELD_OUT = 20
"""Every 20th sentence of the text is held out from training, for the estimates."""

MOST_HELD_OUT = 2_000
"""Maximum number of held-out sentences; they stay in memory."""


BY_FOLDS = "target by folds"
"""Domain of the labelled sentences of the target that are trained on, each parsed without itself."""

TAGS = ("UPOS", "AllTags")
"""The metrics of tags that are compared, of those of `treevote.ensemble.reader_trainer`."""


def held_out(numbers: Longs) -> Bools:
    """Return a mask of the held-out sentences of a text, by their numbers from 0.

    Examples
    --------
    >>> np.flatnonzero(held_out(np.arange(50))).tolist()
    [19, 39]
    """
    mask: Bools = (numbers % HELD_OUT == HELD_OUT - 1) & (numbers < HELD_OUT * MOST_HELD_OUT)
    return mask


def sample_of(parts: Iterable[Treebank]) -> Treebank:
    """Return the held-out sentences of a text, given part by part."""
    held, first = [], 0
    for part in parts:
        chosen = np.flatnonzero(held_out(first + np.arange(part.n_sentences)))
        held.append(dataclasses.replace(part.select(chosen), source=None))
        first += part.n_sentences
    return Treebank.concatenate(held)


@dataclass(frozen=True)
class Scored:
    """Scores of a model on labelled sentences: counts by sentence, and its mean confidence in percent, if it has any.

    Counts are those of `treevote.evaluation.counts.count_by_sentence`, and for a model with a tagger the tokens with
    the right tags, by metric.
    """

    counts: dict[str, Longs]
    confidence: float | None

    @property
    def las(self) -> float:
        """Labelled attachment score in percent."""
        return 100 * int(self.counts["arcs"].sum()) / max(1, int(self.counts["tokens"].sum()))


def measure(
    parser: EnsembleParser, source: Treebank | None, target: Treebank | None, sample: Treebank, convention: Convention
) -> tuple[Measured, dict[str, Scored]]:
    """Measure a model on the labelled sentences of both domains, and estimate its score on a sample of the target.

    A model with a tagger predicts the tags of the labelled sentences; the sample has tags already. The estimate is the
    mean confidence of the model on the unlabelled sample. Return also the scores in full, by ``"source"`` and
    ``"target"``, of the domains that have labelled sentences.
    """
    labelled = {"source": source, "target": target}
    scored = {name: score(parser, gold, convention) for name, gold in labelled.items() if gold is not None}
    las = {name: round(found.las, 2) for name, found in scored.items()}
    estimate = None
    if sample.n_tokens:
        estimate = _confidence(parser, sample, parser.parse(sample) if parser.confidence is not None else sample)
    return Measured(las.get("source"), las.get("target"), estimate), scored


def score(parser: EnsembleParser, gold: Treebank, convention: Convention) -> Scored:
    """Return the scores of a model on labelled sentences, and those of its tags if it has a tagger."""
    given = tagged(parser, gold)
    parse = parser.parse(given)
    counts = count_by_sentence(gold, parse, convention=convention)
    if has_tagger(parser):
        counts |= {metric: per_sentence(right, gold.offsets) for metric, right in right_tags(gold, given).items()}
    return Scored(counts, _confidence(parser, gold, parse))


def scored_parse(gold: Treebank, parse: Treebank, convention: Convention) -> Scored:
    """Return the scores of a parse, without those of tags."""
    return Scored(count_by_sentence(gold, parse, convention=convention), None)


def _confidence(parser: EnsembleParser, treebank: Treebank, parse: Treebank) -> float | None:
    """Return the mean confidence of a parse in percent: an estimate of its LAS."""
    if parser.confidence is None or not treebank.n_tokens:
        return None
    assert parse.label_confidence is not None
    return round(100 * float(parse.label_confidence[parse.is_token].mean(dtype=np.float64)), 2)


def compared(before: Mapping[str, Scored], after: Mapping[str, Scored], seed: int) -> list[JSON]:
    """Return the scores of two models on each domain, the difference with its interval, and p.

    They are LAS and UAS, and of models with a tagger those of ``TAGS``.
    """
    rows: list[JSON] = []
    for domain in before:
        metrics = {"LAS": "arcs", "UAS": "heads"} | {name: name for name in TAGS if name in before[domain].counts}
        for metric, right in metrics.items():
            columns = [
                np.stack([scored.counts[right], scored.counts["tokens"]], axis=1)
                for scored in (before[domain], after[domain])
            ]
            found = paired(columns[0], columns[1], seed=seed)
            figures = {"before": found.before, "after": found.after, "difference": found.points}
            figures |= {"low": found.low, "high": found.high}
            rounded = {name: None if value is None else round(value, 2) for name, value in figures.items()}
            n_tokens = int(before[domain].counts["tokens"].sum())
            rows.append(
                {"domain": domain, "metric": metric, "tokens": n_tokens, **rounded}
                | {"p": round(found.p.p, 6), "p_is_bound": found.p.bound}
            )
    return rows


def estimates(sides: Mapping[str, tuple[Measured, Mapping[str, Scored]]]) -> list[JSON]:
    """Return the estimates of each model, by its side, and their error where the truth is known.

    The error is that on the labelled sentences of the target: mean confidence there minus LAS.
    """
    rows: list[JSON] = []
    for side, (measured, scored) in sides.items():
        if measured.estimate is None:
            continue
        error = None
        if "target" in scored and (confidence := scored["target"].confidence) is not None:
            error = round(confidence - scored["target"].las, 2)
        rows.append({"model": side, "las": measured.estimate, "error": error})
    return rows


def committee_scores(
    committee: EnsembleParser, target: Treebank, selection: InstanceSelection, convention: Convention
) -> dict[str, JSON]:
    """Return LAS of each member on labelled sentences of the target, and of the vote where sentences are selected."""
    parses = committee.parse_members(target)
    voted = committee.combine(parses)
    sure = np.ones(target.n_sentences)
    if voted.confidence is not None and target.n_sentences:
        sums = np.add.reduceat(voted.confidence.astype(np.float64), target.offsets[:-1])
        sure = sums / np.maximum(target.lengths, 1)
    kept = selection.of(target.lengths, agreement(list(parses.values())), sure)
    counts = count_by_sentence(target, voted, convention=convention)

    def rates(own: Mapping[str, Longs], mask: Bools) -> dict[str, float | None]:
        tokens = int(own["tokens"][mask].sum())
        return {
            name: round(100 * int(own[right][mask].sum()) / tokens, 2) if tokens else None
            for name, right in (("las", "arcs"), ("uas", "heads"))
        }

    everything = np.ones(target.n_sentences, np.bool_)
    return {
        "members": {
            name: rates(count_by_sentence(target, parse, convention=convention), everything)
            for name, parse in parses.items()
        },
        "vote": rates(counts, everything),
        "selected": {
            "sentences": int(kept.sum()),
            "tokens": int(counts["tokens"][kept].sum()),
            **rates(counts, kept),
        },
    }
