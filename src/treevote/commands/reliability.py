"""``treevote reliability``: calibration of the confidence in a parse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from treevote.conll.reader import read, read_parse
from treevote.evaluation.calibration import measured
from treevote.evaluation.counts import convention_of


def reliability(gold: str | Path, system: str | Path) -> dict[str, Any]:
    """Compare the confidence of arcs and labels, of a file that was parsed with ``--confidence``, with gold trees.

    The result is that of `treevote.evaluation.calibration.measured`.
    """
    trees, parse = read(gold), read_parse(system, "auto")
    return measured(trees, parse, convention=convention_of(trees))
