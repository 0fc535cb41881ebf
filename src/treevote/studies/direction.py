"""Direction: where heads stand, and what is gained by reading backward (Sagae & Tsujii 2007, section 5)."""

from __future__ import annotations

import numpy as np

from treevote.ensemble.members import members_of
from treevote.evaluation.agreement import right_arcs
from treevote.kernels import Bools
from treevote.studies.members import FOUR, PAPER
from treevote.studies.tables import Finding, Report, Table, Value, percent, printed
from treevote.studies.workbench import Workbench
from treevote.treebank import Treebank

PAIRS = {"MaxEnt": (FOUR[0], FOUR[1]), "SVM": (FOUR[2], FOUR[3])}
"""Forward and backward member with the same learner."""

HEAD_FINAL = 80
"""Percent of heads to the right in the language where the paper found backward to be better."""

TURKISH, HUNGARIAN = printed("2.7 2.6"), printed("0.0")


def direction(bench: Workbench) -> Report:
    """Set the share of heads to the right beside the gain of backward over forward, overall and by direction."""
    parses = bench.parses(members_of(FOUR))
    training, test = bench.training, bench.test
    left, right = (percent(mask.sum(), training.n_tokens) for mask in heads_on_either_side(training))
    las = {name: bench.counts(parse).las for name, parse in parses.items()}
    gains = {learner: round(las[backward] - las[forward], 2) for learner, (forward, backward) in PAIRS.items()}

    hits = {name: right_arcs(test, parse, convention=bench.convention)[1] for name, parse in parses.items()}
    sides = dict(zip(("head to the left", "head to the right"), heads_on_either_side(test), strict=True))
    rows: list[tuple[Value, ...]] = [
        (title, int(mask.sum()), *(percent((hits[name] & mask).sum(), mask.sum()) for name in FOUR))
        for title, mask in (sides | {"all": test.is_token}).items()
    ]

    chance = {
        learner: bench.p_value(parses[forward], parses[backward], "arcs")
        for learner, (forward, backward) in PAIRS.items()
    }
    return Report(
        (
            Table(
                "Heads and the gain of backward over forward",
                ("", "heads to the left %", "heads to the right %", "gain MaxEnt (LAS)", "gain SVM (LAS)"),
                (
                    (training.name, left, right, gains["MaxEnt"], gains["SVM"]),
                    ("paper: Turkish", "less than 4", "over 80", *TURKISH),
                    ("paper: Hungarian", None, None, *HUNGARIAN, None),
                    ("paper: eight other languages", None, None, "just below 0", None),
                ),
                f"{PAPER}, section 5, development data of CoNLL 2007",
                "Shares are of all tokens of the training set; what is missing to 100 hangs on ROOT.",
            ),
            Table("LAS by the side on which the head stands", ("", "tokens", *FOUR), tuple(rows)),
        ),
        (
            Finding(
                f"Backward is better where over {HEAD_FINAL} % of the heads are to the right, elsewhere just below "
                f"forward ({PAPER}, section 5).",
                (gains["MaxEnt"] > 0) == (right is not None and right > HEAD_FINAL),
                f"{right} % of the heads are to the right, backward MaxEnt gains "
                f"{gains['MaxEnt']:+.2f} LAS (p = {chance['MaxEnt']:.4f}) and backward SVM {gains['SVM']:+.2f} "
                f"(p = {chance['SVM']:.4f})",
            ),
        ),
    )


def heads_on_either_side(treebank: Treebank) -> tuple[Bools, Bools]:
    """Return masks of the slots whose head is to the left, and to the right; ROOT is on neither side.

    Examples
    --------
    >>> toy = Treebank.of([(["a", "dog", "barks", "!"], [2, 3, 0, 3], ["det", "nsubj", "root", "punct"])])
    >>> [mask.tolist() for mask in heads_on_either_side(toy)]
    [[False, False, False, False, True], [False, True, True, False, False]]
    """
    position = np.arange(len(treebank.heads)) - np.repeat(treebank.offsets[:-1], np.diff(treebank.offsets))
    return (treebank.heads > 0) & (treebank.heads < position), treebank.heads > position
