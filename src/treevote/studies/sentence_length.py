"""Accuracy by the length of the sentence (Chang, Do & Roth 2006, Table 4)."""

from __future__ import annotations

import math

import numpy as np

from treevote.metrics import Counts, count_by_sentence
from treevote.studies.chang import METRICS, PAPER, SYSTEM, scores
from treevote.studies.tables import Finding, Report, Table, Value, printed, rate
from treevote.studies.workbench import Workbench

NOTE = (
    "Punctuation is not scored, but is counted for the length: tokens whose characters are all of the Unicode "
    "categories P. Dependencies are tokens that do not hang on ROOT; the figure for roots is F1."
)

LONGEST = 1 << 31

BINS = {"<11": (1, 10), "11-20": (11, 20), "21-30": (21, 30), "31-40": (31, 40), ">40": (41, LONGEST)}
"""Number of tokens, punctuation included: from, to."""

FIGURES = {
    "Dependencies": printed("93.4 92.4 90.4 90.4 89.7"),
    "Root": printed("96.7 93.7 91.8 89.8 87.9"),
    "Sentence": printed("85.2 56.1 32.5 16.8 8.7"),
    "Leaf": printed("94.6 94.7 93.4 94.0 93.3"),
}

LOSS = 3.7
"""Dependency accuracy that the paper's system loses from its shortest to its longest sentences."""


def sentence_length(bench: Workbench) -> Report:
    """Score the paper's parser, members, and the vote of the members, in the paper's five bins."""
    parses = bench.parses(SYSTEM | bench.trainers)
    if len(bench.members) > 1:
        parses["vote"] = bench.vote(parses[name] for name in bench.members)
    lengths = np.diff(bench.test.offsets) - 1
    sizes = {name: int(((lengths >= low) & (lengths <= high)).sum()) for name, (low, high) in BINS.items()}
    tables, losses = [], {}
    for name, parse in parses.items():
        columns = count_by_sentence(bench.test, parse, convention=bench.convention, punctuation=False)
        cells = [
            Counts(
                **{field: int(column[(low <= lengths) & (lengths <= high)].sum()) for field, column in columns.items()}
            )
            for low, high in (*BINS.values(), (1, LONGEST))
        ]
        rows: list[tuple[Value, ...]] = [("sentences", *sizes.values(), bench.test.n_sentences)]
        columns_of_scores = [scores(counts) for counts in cells]
        for metric in METRICS:
            rows.append((metric, *(own[metric] for own in columns_of_scores)))
            rows.append((f"paper: {metric}", *FIGURES[metric], None))
        rows.append(("LAS", *(rate(counts.las) for counts in cells)))
        tables.append(Table(name, ("", *BINS, "all"), tuple(rows), f"{PAPER}, Table 4", NOTE))
        losses[name] = cells[0].dependency_accuracy - (cells[3] + cells[4]).dependency_accuracy
    known = {name: loss for name, loss in losses.items() if not math.isnan(loss)}
    finding = Finding(
        f"Long sentences are parsed nearly as well as short ones ({PAPER}, Table 4: {LOSS} lost at the most).",
        all(loss <= LOSS for loss in known.values()),
        "from <11 to >30 words the dependency accuracy falls by "
        + ", ".join(f"{loss:.2f} ({name})" for name, loss in known.items()),
    )
    return Report(tuple(tables), (finding,) if known else ())
