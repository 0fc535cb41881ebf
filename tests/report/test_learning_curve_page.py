"""Laws of the page of a learning curve."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.command_line import run
from treevote.evaluation.learning_curve import Round, forecast
from treevote.report.learning_curve import plot, write_page
from treevote.report.plots import BOTTOM, LEFT, RIGHT, TOP

pytest.importorskip("jinja2")

HOSTILE = "<script>alert(1)</script>&\"'\x1b\u202e"


def facts(rounds: Sequence[tuple[str, int, float]]) -> dict[str, Any]:
    return {
        name: {"training": {"sentences": n, "tokens": 20 * n}, "scores": {"vote": {"las": las}}}
        for name, n, las in rounds
    }


@given(st.lists(st.tuples(st.integers(1, 10_000), st.floats(0, 100)), min_size=1, max_size=8))
def test_all_rounds_and_the_forecast_are_in_the_field_and_in_order(points: list[tuple[int, float]]) -> None:
    rounds = [Round(str(i), n, 20 * n, las) for i, (n, las) in enumerate(sorted(points))]
    found = forecast(rounds)
    drawn = plot(rounds, found)
    assert len(drawn.lines) == (1 if found is None else 2)
    spots = [spot for line in drawn.lines for spot in line]
    heights = [y for spot in spots for y in (spot.y, spot.low, spot.high) if y is not None]
    assert all(LEFT <= spot.x <= RIGHT for spot in spots)
    assert all(TOP <= y <= BOTTOM for y in heights)
    assert [spot.value for spot in drawn.lines[0]] == [one.las for one in rounds]
    assert [spot.x for spot in spots] == sorted(spot.x for spot in spots)
    higher = sorted(drawn.lines[0], key=lambda spot: spot.value)
    assert [spot.y for spot in higher] == sorted((spot.y for spot in higher), reverse=True)


def test_names_are_text_and_nothing_is_fetched(tmp_path: Path) -> None:
    page = tmp_path / "curve.html"
    write_page(facts([(HOSTILE, 50, 66.1), ("b", 100, 72.3), ("c", 200, 77.0)]), page, command=f"inspect {HOSTILE}")
    text = page.read_text("utf-8")
    assert "<script" not in text
    assert text.count("&lt;script&gt;alert(1)") == 2
    assert "\u202e" not in text
    assert "default-src &#39;none&#39;" in text
    assert "The next 100 sentences are worth" in text
    write_page(facts([("a", 50, 80.0), ("b", 100, 79.0), ("c", 200, 78.5)]), page)
    assert "worth −0.46 LAS" in page.read_text("utf-8")
    assert "falling" not in page.read_text("utf-8")  # the error of these rounds does not fall
    for best in range(3):
        las = [100.0 if i == best else 90.0 for i in range(3)]
        write_page(facts([("a", 50, las[0]), ("b", 100, las[1]), ("c", 200, las[2])]), page)
        assert "No forecast: a round without an error" in page.read_text("utf-8")
    write_page(facts([("a", 50, 66.1)]), page)
    assert "No forecast" in page.read_text("utf-8")


def test_a_page_without_rounds_is_refused(tmp_path: Path) -> None:
    assert "--rounds" in run("inspect", tmp_path / "model", "--report", tmp_path / "curve.html", code=1)
