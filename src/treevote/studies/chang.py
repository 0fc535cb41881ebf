"""What the studies of Chang, Do & Roth (2006) share: their metrics, and how they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from treevote.metrics import Counts
from treevote.models.pipeline.parser import PipelineTrainer
from treevote.studies.tables import Value, rate
from treevote.studies.workbench import Workbench
from treevote.treebank import Treebank

PAPER = "Chang, Do & Roth, A pipeline model for bottom-up dependency parsing"
"""The longer version of "A pipeline framework for dependency parsing" (2006), which has the same tables."""

SYSTEM = {"pipeline, depth 4": PipelineTrainer(depth=4)}
"""The parser of the paper's Tables 4 and 5."""

METRICS = {
    "Dependencies": "dependency_accuracy",
    "Root": "root_accuracy",
    "Sentence": "complete",
    "Leaf": "leaf_accuracy",
}
"""Metrics of section 3.3, and the properties of `treevote.metrics.Counts`."""

NOTE = (
    "Punctuation is not scored but in LAS and UAS: tokens whose characters are all of the Unicode categories P. "
    "Dependencies are tokens that do not hang on ROOT; the figure for roots is F1."
)


def scores(counts: Counts) -> dict[str, float | None]:
    """Return the metrics of section 3.3."""
    return {metric: rate(getattr(counts, attribute)) for metric, attribute in METRICS.items()}


def rows_of(
    bench: Workbench, parses: Sequence[Treebank], figures: Mapping[str, tuple[Decimal, ...]]
) -> tuple[tuple[Value, ...], ...]:
    """Return a row for each metric with a column for each parse, those of the paper below, and LAS and UAS.

    Parameters
    ----------
    bench : Workbench
    parses : sequence of Treebank
        Of the test set.
    figures : mapping
        For each metric the figures of the paper; there may be fewer than parses, or none.
    """
    without = [scores(bench.counts(parse, punctuation=False)) for parse in parses]
    rows: list[tuple[Value, ...]] = []
    for metric, own in figures.items():
        rows.append((metric, *(score[metric] for score in without)))
        if own:
            rows.append((f"paper: {metric}", *own, *[None] * (len(parses) - len(own))))
    counts = [bench.counts(parse) for parse in parses]
    rows.append(("LAS", *(rate(count.las) for count in counts)))
    rows.append(("UAS", *(rate(count.uas) for count in counts)))
    return tuple(rows)
