"""Calibration: bins hold every arc once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote import InputError, loads
from treevote.commands.evaluate import evaluate
from treevote.evaluation.calibration import Bin, calibration_error, confidence_of, reliability, table


@given(st.lists(st.tuples(st.floats(0, 1, width=32), st.booleans()), min_size=1, max_size=50))
def test_bins_hold_every_arc_once(arcs: list[tuple[float, bool]]) -> None:
    confidence = np.array([c for c, _ in arcs], np.float32)
    right = np.array([r for _, r in arcs])
    bins = reliability(confidence, right)
    assert sum(b.arcs for b in bins) == len(arcs)
    assert sum(b.arcs * b.accuracy for b in bins) == pytest.approx(right.sum())
    assert 0 <= calibration_error(bins) <= 1
    assert all(b.arcs > 0 for b in bins)
    tenths = [min(int(10 * c), 9) for c in confidence]
    assert [b.arcs for b in bins] == [tenths.count(tenth) for tenth in sorted(set(tenths))]


def test_precision_of_what_is_sure_is_none_where_nothing_is() -> None:
    found = table(np.array([0.5], np.float32), np.array([True]))
    assert (found["precision"], found["coverage"]) == (None, 0.0)


def test_without_arcs_there_is_no_error() -> None:
    found = table(np.zeros(0), np.zeros(0, np.bool_))
    assert found == {"bins": [], "error": None, "precision": None, "coverage": None}


def test_a_table_by_hand() -> None:
    confidence = np.array([0.21, 0.25, 0.94, 0.95, 0.96, 0.97])
    right = np.array([False, True, False, True, True, False])
    assert table(confidence, right) == {
        "bins": [[2, 0.23, 0.5], [4, 0.955, 0.5]],
        "error": 0.3933,  # (2 * 0.27 + 4 * 0.455) / 6
        "precision": 66.67,
        "coverage": 50.0,
    }
    other = table(np.array([0.12, 0.13, 0.132]), np.array([True, False, False]))
    assert other == {"bins": [[3, 0.127333, 0.333333]], "error": 0.206, "precision": None, "coverage": 0.0}
    assert calibration_error([Bin(1, 0.25, 1.0)]) == 0.75


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("0.5", 0.5), ("1", 1), ("1.01", None), ("2", None), ("-0.01", None), ("nan", None), ("x", None)],
)
def test_a_confidence_is_a_number_from_0_to_1(text: str, number: float | None) -> None:
    parse = loads(f"1\tdogs\t_\t_\t_\t_\t0\troot\t_\tA=2|Confidence={text}\n\n")
    if number is not None:
        assert confidence_of(parse, "Confidence").tolist() == [0, number]
        return
    with pytest.raises(InputError, match=f"expected Confidence=NUMBER in MISC.*found 'Confidence={text}'; correct it"):
        confidence_of(parse, "Confidence")
    with pytest.raises(InputError, match="found none; parse or vote with --confidence"):
        confidence_of(parse, "LabelConfidence")


@pytest.mark.parametrize("punctuation", [True, False])
def test_the_confidence_of_an_evaluation_is_that_of_the_scored_tokens(punctuation: bool, tmp_path: Path) -> None:
    lines = [(1, "Go", 0, "root", 0.9), (2, "now", 1, "advmod", 0.8), (3, "!", 1, "punct", 0.7)]
    rows = [
        f"{i}\t{form}\t_\t_\t_\t_\t{head}\t{label}\t_\tConfidence={p}|LabelConfidence={p}"
        for i, form, head, label, p in lines
    ]
    (tmp_path / "parse.conllu").write_text("\n".join(rows) + "\n\n", "utf-8")
    found = evaluate(tmp_path / "parse.conllu", [tmp_path / "parse.conllu"], punctuation=punctuation)
    assert found.systems[0].reliability is not None
    for table_of in found.systems[0].reliability.values():
        assert sum(arcs for arcs, _, _ in table_of["bins"]) == found.scored == 2 + punctuation
