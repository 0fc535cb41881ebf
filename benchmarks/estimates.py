"""``python -m benchmarks.estimates``: how often the range of LAS without labels holds, and how right confidence is."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from treevote.adaptation.estimate import Source, estimate, pairwise
from treevote.conll.reader import read
from treevote.ensemble.parser import load
from treevote.ensemble.reliability import of as reliability
from treevote.evaluation.counts import convention_of, evaluate


class Row(NamedTuple):
    """A model on a labelled text: LAS, the ends of its range without labels, and the calibration error of labels."""

    model: str
    text: str
    las: float
    low: float
    high: float
    calibration_error: float

    @property
    def holds(self) -> bool:
        """Whether the range has the LAS in it."""
        return self.low <= self.las <= self.high


def rows(models: Sequence[Path], texts: Sequence[Path], *, basis: str = "agreement") -> list[Row]:
    """Parse each text with each model.

    Parameters
    ----------
    models : sequence of path
        Trained with development data.
    texts : sequence of path
        Treebanks of other domains, in the same annotation.
    basis : {"agreement", "confidence"}, default="agreement"
        What the range is made of.
    """
    found = []
    for model in models:
        parser = load(model)
        source = Source.of(parser)
        for text in texts:
            gold = read(text)
            parses = parser.parse_members(gold)
            voted = parser.combine(parses)
            assert voted.label_confidence is not None
            sure = 100 * float(voted.label_confidence[voted.is_token].mean(dtype=np.float64))
            agreed = pairwise(list(parses.values())) if basis == "agreement" else None
            own = estimate(source, agreed, sure)
            assert own is not None
            convention = convention_of(gold)
            las = evaluate(gold, voted, convention=convention).las
            tables: Any = reliability(gold, voted, convention=convention)
            error = tables["label"]["error"]
            found.append(Row(model.name, text.stem, las, own.low, own.high, error))
    return found


def as_text(found: Sequence[Row]) -> str:
    """Return the table, and in how many rows the range holds."""
    lines = [
        f"{row.model:<16} {row.text:<20} {row.las:6.2f} {row.low:6.2f} to {row.high:6.2f} "
        f"{'yes' if row.holds else 'no':<4} {row.calibration_error:.3f}"
        for row in found
    ]
    width = float(np.mean([row.high - row.low for row in found]))
    error = float(np.mean([row.calibration_error for row in found]))
    n = sum(row.holds for row in found)
    last = f"the range holds in {n} of {len(found)}; mean width {width:.2f}, mean calibration error {error:.3f}"
    return "\n".join([f"{'model':<16} {'text':<20} {'LAS':>6} {'range':>16} holds calibration error", *lines, last])


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.estimates", description=__doc__)
    parser.add_argument("--models", type=Path, nargs="+", required=True)
    parser.add_argument("--texts", type=Path, nargs="+", required=True, help="treebanks of other domains")
    parser.add_argument("--basis", choices=("agreement", "confidence"), default="agreement")
    asked = parser.parse_args()
    print(as_text(rows(asked.models, asked.texts, basis=asked.basis)))


if __name__ == "__main__":
    main()
