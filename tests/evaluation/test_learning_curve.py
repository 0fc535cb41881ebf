"""Laws of learning curves."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from tests.command_line import fails, run
from tests.reference.toy_grammar import toy_treebank
from treevote.conll.writer import write
from treevote.evaluation.learning_curve import LEVEL, MORE, Round, forecast
from treevote.kernels import Doubles
from treevote.report.learning_curve import incomparable


def curve(sizes: list[int], level: float, exponent: float) -> list[Round]:
    return [Round(f"{n}", n, 10 * n, 100 - level * n**-exponent) for n in sizes]


@given(st.lists(st.integers(10, 5000), min_size=3, max_size=8, unique=True), st.floats(1, 90), st.floats(0.01, 0.9))
def test_a_power_of_the_size_is_found_without_doubt(sizes: list[int], level: float, exponent: float) -> None:
    found = forecast(curve(sizes, level, exponent))
    assert found is not None
    n = max(sizes)
    assert found.gain == pytest.approx(level * (n**-exponent - (n + MORE) ** -exponent), abs=1e-4)
    assert found.high - found.low == pytest.approx(0, abs=1e-4)


@given(st.lists(st.floats(40, 95), min_size=3, max_size=6), st.randoms())
def test_the_order_of_rounds_is_nothing_and_the_range_holds_the_gain(las: list[float], random: object) -> None:
    rounds = [Round(f"{i}", 100 * (i + 1), 1000 * (i + 1), value) for i, value in enumerate(las)]
    found, other = forecast(rounds), forecast(rounds[::-1])
    assert found is not None
    assert other is not None
    assert found.gain == pytest.approx(other.gain)
    assert found.low <= found.gain <= found.high
    assert found.high - found.low <= 100, "LAS is from 0 to 100"


@given(st.lists(st.floats(40, 95), min_size=3, max_size=6))
def test_the_range_is_that_of_the_gain_along_small_changes_of_the_line(las: list[float]) -> None:
    def gain(line: Doubles) -> float:
        exponent, level = line
        return float(np.exp(level) * (sizes[-1] ** -exponent - (sizes[-1] + MORE) ** -exponent))

    sizes, errors = 100.0 * np.arange(1, len(las) + 1), np.log(100 - np.array(las))
    line, spread = np.polyfit(-np.log(sizes), errors, 1, cov="unscaled")
    slope = np.array([gain(line + step) - gain(line - step) for step in np.eye(2) * 1e-6]) / 2e-6
    freedom = len(las) - 2
    variance = ((errors - np.polyval(line, -np.log(sizes))) ** 2).sum() / freedom
    width = t.ppf((1 + LEVEL) / 2, freedom) * np.sqrt(variance * slope @ spread @ slope)
    found = forecast(
        [Round(f"{i}", int(n), 1000 * i, value) for i, (n, value) in enumerate(zip(sizes, las, strict=True))]
    )
    assert found is not None
    now = min(100, float(np.exp(line[1]) * sizes[-1] ** -line[0]))
    wanted = np.clip(gain(line) + width * np.array([0, -1, 1]), now - 100, now)
    assert found[:3] == pytest.approx(wanted.tolist(), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("sizes", [[100], [100, 200], [100, 100, 200]])
def test_fewer_than_three_sizes_have_no_forecast(sizes: list[int]) -> None:
    assert forecast(curve(sizes, 50, 0.3)) is None


def test_inspect_shows_the_curve_of_the_rounds(tmp_path: Path) -> None:
    models = []
    for n in (20, 40, 80):
        toy = toy_treebank(n, 1)
        noise = np.random.default_rng(1).integers(0, len(toy.labels), len(toy.tokens))
        deprels = np.where(toy.is_token & (noise == 0), 0, toy.deprels).astype(np.int32)  # labels that nobody can learn
        write(toy.with_trees(toy.heads, deprels, toy.labels), tmp_path / f"{n}.conllu")
        models.append(tmp_path / f"model-{n}")
        run("train", tmp_path / f"{n}.conllu", "--members", "lr-svm-forward", "--folds", 2, "-o", models[-1])
    said = run("inspect", models[-1], "--rounds", *models[:2])
    assert "The next 100 sentences are worth" in said
    assert "folds of their own training data" in said
    run("inspect", models[-1], "--rounds", *models[:2], "--report", tmp_path / "curve.html")
    assert all(str(one) in (tmp_path / "curve.html").read_text("utf-8") for one in models)
    found = json.loads(run("inspect", models[-1], "--rounds", *models[:2], "--json"))["curve"]
    assert [one["sentences"] for one in found["rounds"]] == [20, 40, 80]
    assert found["forecast"]["sentences"] == 100
    assert "folds of their own training data" in found["incomparable"]
    assert "No forecast" in run("inspect", models[1], "--rounds", models[0])
    run("train", tmp_path / "20.conllu", "--members", "lr-svm-forward", "-o", tmp_path / "bare")
    assert "was not measured" in fails("inspect", models[0], "--rounds", tmp_path / "bare")
    shutil.rmtree(models[0])
    assert "model-20" in fails("inspect", models[1], "--rounds", models[0])


def test_models_compare_if_their_sentences_and_the_kind_of_their_tags_are_the_same() -> None:
    measured = {"development": {"sha256": "a"}, "scores": {}}
    predicted = measured | {"reading": {"tags": "predicted"}}
    assert not incomparable({"one": measured, "two": measured})
    assert not incomparable({"one": predicted, "two": predicted})
    assert "gold tags" in incomparable({"one": measured, "two": predicted})
    assert "one development set" in incomparable({"one": measured, "two": measured | {"development": {"sha256": "b"}}})
