"""Gates: thresholds, losses against a baseline, trees only; and their exit code."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.command_line import fails, invoke, run
from tests.paths import TOY
from tests.reference.toy_grammar import toy_treebank
from treevote.conll.writer import write
from treevote.errors import ConfigError
from treevote.evaluation.gates import Gate, fail_under, max_loss, thresholds


@pytest.fixture
def worse(tmp_path: Path) -> Path:
    """A parse with some wrong labels."""
    path = tmp_path / "worse.conllu"
    path.write_text(TOY.read_text("utf-8").replace("\tnsubj\t", "\tobj\t"), "utf-8")
    return path


def test_thresholds() -> None:
    assert thresholds(["LAS=87", "complete labelled=30.5"]) == {"LAS": 87.0, "complete labelled": 30.5}
    assert thresholds(["0.3", "UAS=1"], metric="LAS") == {"LAS": 0.3, "UAS": 1.0}
    assert thresholds(["LAS=0", "UAS=100"]) == {"LAS": 0.0, "UAS": 100.0}
    for text in ("LAS", "87", "LAS=x", "=87", "LAS=100.5", "LAS=-0.5", "LAS=nan", "LAS=inf"):
        with pytest.raises(ConfigError, match="expected METRIC=NUMBER"):
            thresholds([text])
    with pytest.raises(ConfigError, match="expected NUMBER or METRIC=NUMBER"):
        thresholds(["-1"], metric="LAS")
    with pytest.raises(ConfigError, match="LAS is given twice"):
        thresholds(["LAS=87", "LAS=88"])


def test_a_system_below_a_threshold_fails(worse: Path) -> None:
    assert "LAS" in run("evaluate", TOY, TOY, "--fail-under", "LAS=100", "UAS=100")
    said = run("evaluate", TOY, worse, TOY, "--fail-under", "LAS=99.5", "UAS=100", code=3)
    lines = [line.removeprefix("treevote: gate ") for line in said.splitlines()]
    assert [line.split()[:2] for line in lines[:2]] == [["failed:", "worse"], ["holds:", "toy"]]
    assert all(line.startswith("holds: ") for line in lines[1:])
    assert lines[0].endswith("LAS, less than the 99.5 asked for")


def test_a_gate_compares_the_figures_that_are_shown(worse: Path) -> None:
    las = float(run("evaluate", TOY, worse, "--fail-under", "LAS=100", code=3).partition(" has ")[2].split()[0])
    for figure, code in ((las, 0), (las + 0.01, 3)):
        said = run("evaluate", TOY, worse, "--fail-under", f"LAS={figure:.2f}", code=code)
        assert code == 0 or f"has {las:.2f} LAS, less than the {figure:g} asked for" in said
    for loss, code in ((100 - las, 0), (100 - las - 0.01, 3)):
        run("evaluate", TOY, worse, "--against", TOY, "--max-loss", f"{loss:.2f}", code=code)


def test_a_system_that_loses_against_the_baseline_fails(worse: Path, tmp_path: Path) -> None:
    for arguments in ([f"old={TOY}", worse, "--against", "old"], [worse, "--against", TOY], [TOY, "--against", worse]):
        better = arguments[0] == TOY
        said = run("evaluate", TOY, *arguments, code=0 if better else 3)
        assert better or "gate failed: worse loses" in said
    assert run("evaluate", TOY, worse, "--against", TOY, "--max-loss", "100")
    run("evaluate", TOY, worse, "--against", TOY, "--max-loss", "UAS=0")
    one = tmp_path / "one.conllu"
    one.write_text(TOY.read_text("utf-8").replace("\tnsubj\t", "\tobj\t", 1), "utf-8")
    run("evaluate", TOY, one, "--against", TOY, code=3)
    run("evaluate", TOY, one, "--against", TOY, "--significant")  # one label is no significant loss
    run("evaluate", TOY, worse, "--against", TOY, "--significant", code=3)


@pytest.mark.parametrize(
    ("new", "change", "most"),
    [
        (89.5, "loses 0.50", 0.5),
        (89.99, "loses 0.01", 0.01),
        (89.994, "loses 0.01", 0.01),
        (89.996, "loses less than 0.01", 0.01),  # 0 would be none at all
        (90.004, "gains less than 0.01", 0.0),
        (90.0, "loses no", 0.0),
        (89.664, "loses 0.34", 0.336),
        (90.01, "gains 0.01", -0.01),
        (90.5, "gains 0.50", -0.5),
    ],
)
def test_a_gate_says_the_loss_that_it_compares(new: float, change: str, most: float) -> None:
    rates = {name: SimpleNamespace(value=value) for name, value in (("old", 90.0), ("new", new), ("none", None))}
    systems = [SimpleNamespace(name=name, rates={"LAS": rate}) for name, rate in rates.items()]
    metrics, comparison = [SimpleNamespace(name="LAS")], SimpleNamespace(tests=[])
    evaluation: Any = SimpleNamespace(systems=systems, metrics=metrics, comparison=comparison)
    for number in (most, most - 0.01):
        condition, sentence = f"LAS ≥ old − {number:g}", f"new {change} LAS against old; {number:g} may be lost"
        assert list(max_loss(evaluation, {"LAS": number}, "old", significant=False)) == [
            Gate(condition, "new", number == most, sentence),
            Gate(condition, "none", False, "none has no LAS"),
        ]


@pytest.mark.parametrize("value", [33.333333, 66.666667, 87.0])
def test_a_score_is_not_under_itself_whatever_its_decimals(value: float) -> None:
    system = SimpleNamespace(name="a", rates={"LAS": SimpleNamespace(value=value)})
    evaluation: Any = SimpleNamespace(systems=[system], metrics=[SimpleNamespace(name="LAS")])
    for number, passed in ((value, True), (round(value, 2), True), (value + 0.01, False)):
        (gate,) = fail_under(evaluation, {"LAS": number})
        assert gate.passed == passed
    system.rates["LAS"].value = 99.996
    assert [*fail_under(evaluation, {"LAS": 100})] == [
        Gate("LAS ≥ 100", "a", False, "a has nearly 100 LAS, less than the 100 asked for")
    ]
    system.rates["LAS"].value = None
    assert [*fail_under(evaluation, {"LAS": 0})] == [Gate("LAS ≥ 0", "a", False, "a has no LAS")]


def test_trees_that_are_no_trees_can_be_an_error(tmp_path: Path) -> None:
    broken = tmp_path / "broken.conllu"
    broken.write_text(TOY.read_text("utf-8").replace("\t0\troot", "\t1\troot"), "utf-8")
    run("evaluate", TOY, broken)
    assert "sentences that are no trees" in run("evaluate", TOY, broken, "--well-formed", code=3)
    run("evaluate", TOY, TOY, "--well-formed", "--against", broken)


def test_a_baseline_among_the_systems_is_checked_like_them(worse: Path) -> None:
    said = run("evaluate", TOY, TOY, f"old={worse}", "--against", "old", "--fail-under", "LAS=99.5", code=3)
    assert "gate failed: old has" in said
    run("evaluate", TOY, TOY, "--against", worse, "--fail-under", "LAS=99.5")
    for baseline in ("worse", worse, worse.parent / ".." / worse.parent.name / worse.name, f"other={worse}"):
        assert "is the only system" in fails("evaluate", TOY, worse, "--against", baseline, "--fail-under", "LAS=99")


def test_without_the_report_there_is_no_answer(worse: Path, tmp_path: Path) -> None:
    done = invoke("evaluate", TOY, worse, "--report", tmp_path)
    assert (done.exit_code, done.stdout) == (1, "")


def test_gates_are_there_in_json(worse: Path) -> None:
    answer = json.loads(run("evaluate", TOY, TOY, "--against", worse, "--fail-under", "UAS=1", "--json"))
    assert [(gate["condition"], gate["passed"]) for gate in answer["gates"]] == [
        ("UAS ≥ 1", True),
        ("LAS ≥ worse − 0", True),
    ]


def test_what_cannot_be_checked_is_told(worse: Path) -> None:
    assert "unknown metric 'LSA'; did you mean 'LA'" in fails("evaluate", TOY, TOY, "--fail-under", "LSA=80")
    assert "unknown baseline 'nothing'" in fails("evaluate", TOY, worse, "--against", "nothing")
    assert "differences in root are not tested" in fails(
        "evaluate", TOY, worse, "--against", TOY, "--max-loss", "root=1", "--significant"
    )
    assert "need a baseline" in run("evaluate", TOY, worse, "--max-loss", "1", code=1)
    assert "--json and --csv exclude each other" in run("evaluate", TOY, TOY, "--json", "--csv", code=1)


def test_the_table_in_latex_has_the_best_in_bold_and_a_star_where_others_are_significantly_worse(worse: Path) -> None:
    lines = run("evaluate", TOY, worse, f"my_best={TOY}", "--latex").splitlines()
    assert lines[1] == "\\begin{tabular}{lrrrrrr}"
    assert [line.split(" & ")[:2] for line in lines[5:7]] == [
        ["my\\_best", "\\textbf{100.00}"],
        ["worse", lines[6].split(" & ")[1]],
    ]
    assert lines[6].split(" & ")[1].endswith("$^{*}$")
    assert not lines[6].split(" & ")[1].startswith("\\textbf")
    assert lines[-1].startswith("% * significantly worse than the best")


def test_a_star_is_that_of_the_metric_whatever_the_ranking(tmp_path: Path) -> None:
    gold = toy_treebank(80, seed=3)
    chains = np.where(gold.is_token & (gold.sentence_of % 3 == 0), gold.positions - 1, gold.heads).astype(np.int32)
    labels = np.where(gold.is_token, (gold.deprels + 1) % len(gold.labels), -1).astype(np.int32)
    write(gold, tmp_path / "gold.conllu")
    write(gold.with_trees(chains, gold.deprels, gold.labels), tmp_path / "a.conllu")  # the best in LAS
    write(gold.with_trees(gold.heads, labels, gold.labels), tmp_path / "b.conllu")  # the best in UAS
    systems = tmp_path / "a.conllu", tmp_path / "b.conllu"
    lines = run("evaluate", tmp_path / "gold.conllu", *systems, "--latex").splitlines()
    las, uas = zip(*(line.split(" & ")[1:3] for line in lines[5:7]), strict=True)
    assert [figure.startswith("\\textbf{") for figure in (*las, *uas)] == [True, False, False, True]
    assert [figure.endswith("$^{*}$") for figure in (*las, *uas)] == [False, True, True, False]


def test_systems_are_listed_by_their_score(worse: Path) -> None:
    rows = run("evaluate", TOY, worse, f"best={TOY}").split("convention")[1].splitlines()[1:3]
    assert [row.split()[0] for row in rows] == ["best", "worse"]
