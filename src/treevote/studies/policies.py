"""Policies of the focus point: how many actions each needs, and how well each parses (Chang, Do & Roth, Table 1)."""

from __future__ import annotations

from treevote.models.pipeline.configuration import Policy
from treevote.models.pipeline.oracle import count_actions
from treevote.models.pipeline.parser import PipelineTrainer
from treevote.studies.chang import METRICS, NOTE, PAPER, rows_of
from treevote.studies.tables import Finding, Report, Table, Value
from treevote.studies.workbench import Workbench

POLICIES: tuple[Policy, ...] = ("start-over", "stay", "step-back")

SHIFTS, LEFT, RIGHT = (156_545, 117_819, 43_374), 26_351, 27_918
"""Actions of the paper, by policy; a Left and a Right is taken for each arc whatever the policy."""


def policies(bench: Workbench) -> Report:
    """Count the actions of the gold action predictor on the test set, and train a parser with each policy."""
    parses = bench.parses({policy: PipelineTrainer(policy=policy, depth=1) for policy in POLICIES})
    rows: list[tuple[Value, ...]] = []
    shifts = {}
    for policy, paper in zip(POLICIES, SHIFTS, strict=True):
        counts = count_actions(bench.test, policy, wait_left=False)
        shifts[policy] = counts["shift"]
        share = counts["shift"] / max(1, counts["left"] + counts["right"])
        actions = (counts["shift"], counts["left"], counts["right"], counts["rounds"], round(share, 2))
        rows.append((policy, *actions, paper, LEFT, RIGHT, round(paper / (LEFT + RIGHT), 2)))
    columns = ("", "Shift", "Left", "Right", "rounds", "Shifts for an arc")
    papers = ("paper: Shift", "paper: Left", "paper: Right", "paper: Shifts for an arc")
    uas = {policy: bench.counts(parse).uas for policy, parse in parses.items()}
    rival = max(POLICIES[:2], key=lambda policy: uas[policy])
    p = bench.p_value(parses["step-back"], parses[rival], "heads")
    return Report(
        (
            Table(
                "Actions of the gold action predictor",
                (*columns, *papers),
                tuple(rows),
                f"{PAPER}, Table 1, section 23 of the Penn Treebank",
                "Without WaitLeft, as in the paper. Trees of the test set that are not projective are lifted first.",
            ),
            Table(
                "Parsers, depth 1",
                ("", *POLICIES),
                rows_of(bench, list(parses.values()), dict.fromkeys(METRICS, ())),
                note=NOTE,
            ),
        ),
        (
            Finding(
                f"Step Back needs the fewest actions ({PAPER}, section 2.1).",
                shifts["step-back"] < min(shifts["stay"], shifts["start-over"]),
                ", ".join(f"{policy} {number:,} Shifts" for policy, number in shifts.items()),
            ),
            Finding(
                f"Step Back also gives the best dependency accuracy ({PAPER}, section 2.1).",
                uas["step-back"] > uas[rival],
                ", ".join(f"{policy} {score:.2f} UAS" for policy, score in uas.items())
                + f" (p = {p:.4f} against {rival})",
            ),
        ),
    )
