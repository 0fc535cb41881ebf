"""The depth of the look ahead (Chang, Do & Roth, Tables 3 and 8)."""

from __future__ import annotations

import itertools

from treevote.models.pipeline.parser import PipelineTrainer
from treevote.studies.chang import NOTE, PAPER, rows_of
from treevote.studies.tables import Finding, Report, Table, Value, printed
from treevote.studies.workbench import Workbench

DEPTHS = (1, 2, 3, 4)

FIGURES = {
    "Dependencies": printed("90.53 90.67 90.69 90.79"),
    "Root": printed("90.76 91.51 92.05 92.26"),
    "Sentence": printed("39.74 40.23 40.52 40.68"),
    "Leaf": printed("93.94 93.96 93.94 93.95"),
}

_LAS, _UAS = printed("81.82 82.31"), printed("88.47 89.07")
SWEDISH: tuple[tuple[Value, ...], ...] = (
    ("paper: Swedish LAS", _LAS[0], None, _LAS[1], None),
    ("paper: Swedish UAS", _UAS[0], None, _UAS[1], None),
)
"""Table 8, which counts all tokens."""


def look_ahead(bench: Workbench) -> Report:
    """Parse with each depth."""
    parses = bench.parses({f"depth {depth}": PipelineTrainer(depth=depth) for depth in DEPTHS})
    rows = (*rows_of(bench, list(parses.values()), FIGURES), *SWEDISH)
    uas = [bench.counts(parse).uas for parse in parses.values()]
    best = max(range(1, len(uas)), key=lambda i: uas[i])
    p = bench.p_value(parses["depth 1"], parses[f"depth {DEPTHS[best]}"], "heads")
    return Report(
        (Table("Depth of the look ahead", ("", *parses), rows, f"{PAPER}, Tables 3 and 8", NOTE),),
        (
            Finding(
                f"Looking ahead improves the accuracy ({PAPER}, section 3.4).",
                uas[best] > uas[0],
                f"{uas[0]:.2f} UAS without, {uas[best]:.2f} at depth {DEPTHS[best]} (p = {p:.4f})",
            ),
            Finding(
                f"Increasing the depth usually improves the accuracy ({PAPER}, Table 3).",
                all(deeper >= depth for depth, deeper in itertools.pairwise(uas)),
                "UAS by depth: " + ", ".join(f"{score:.2f}" for score in uas),
            ),
        ),
    )
