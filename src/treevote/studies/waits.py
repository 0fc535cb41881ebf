"""With and without the action WaitLeft (Chang, Do & Roth, Tables 2 and 8)."""

from __future__ import annotations

from treevote.models.pipeline.parser import PipelineTrainer
from treevote.studies.chang import NOTE, PAPER, rows_of
from treevote.studies.tables import Finding, Report, Table, printed
from treevote.studies.workbench import Workbench

SYSTEMS = {
    "without WaitLeft": PipelineTrainer(wait_left=False, wait_right=False, depth=1),
    "with WaitLeft": PipelineTrainer(wait_left=True, wait_right=False, depth=1),
    "with both waits": PipelineTrainer(wait_left=True, wait_right=True, depth=1),
}

FIGURES = {
    "Dependencies": printed("90.27 90.53"),
    "Root": printed("90.73 90.76"),
    "Sentence": printed("39.28 39.74"),
    "Leaf": printed("93.87 93.94"),
}

SWEDISH = {"paper: Swedish LAS": printed("81.48 81.82"), "paper: Swedish UAS": printed("87.95 88.47")}
"""Table 8, which counts all tokens."""


def waits(bench: Workbench) -> Report:
    """Train a parser with each set of actions; none looks ahead."""
    parses = bench.parses(SYSTEMS)
    rows = (*rows_of(bench, list(parses.values()), FIGURES), *((name, *own, None) for name, own in SWEDISH.items()))
    uas = {name: bench.counts(parse).uas for name, parse in parses.items()}
    without, left, both = uas.values()
    p = bench.p_value(parses["without WaitLeft"], parses["with WaitLeft"], "heads")
    return Report(
        (Table("Actions to wait, depth 1", ("", *SYSTEMS), rows, f"{PAPER}, Tables 2 and 8", NOTE),),
        (
            Finding(
                f"WaitLeft increases the accuracy ({PAPER}, section 3.4).",
                left > without,
                f"{without:.2f} UAS without, {left:.2f} with WaitLeft (p = {p:.4f})",
            ),
            Finding(
                f"WaitRight is not needed ({PAPER}, Lemma 4).",
                both <= left,
                f"{left:.2f} UAS with WaitLeft, {both:.2f} with both",
            ),
        ),
    )
