"""The study of the ensemble: its votes are those of a training, and its report is the same bytes every time."""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import fails, invoke, run
from tests.reference.toy_grammar import toy_treebank
from treevote.commands import study as command
from treevote.commands.study import JOBS
from treevote.commands.treebanks import part_of
from treevote.conll.writer import write
from treevote.corpus.treebank import Treebank
from treevote.ensemble.configuration import PRESETS, ensemble_of
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.errors import InputError
from treevote.evaluation.agreement import oracle, right_arcs
from treevote.evaluation.counts import evaluate
from treevote.models.parsers.biaffine.parser import FAMILY, BiaffineTrainer
from treevote.parallel import ONE_JOB, Jobs
from treevote.studies.ensemble import BEST, DEFAULT, EQUAL, GAINS, ORACLE, STEPS

study = functools.partial(
    command.study, test=None, text=None, members=(), settings="default", seed=0, format="auto", jobs=ONE_JOB
)

PARTS = {"train": 8, "dev": 6, "test": 8}


@pytest.fixture(scope="module", autouse=True)
def quick_networks() -> Iterator[None]:
    """Train the neural member in few passes: most time of the studies is its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(FAMILY.members, "biaffine", BiaffineTrainer(passes=1))
        yield


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    found = []
    for number, name in enumerate(("one", "two")):
        folder = tmp_path_factory.mktemp("treebanks") / name
        folder.mkdir()
        for part, (kind, size) in enumerate(PARTS.items()):
            write(toy_treebank(size, seed=10 * number + part, crossing=True), folder / f"xx-ud-{kind}.conllu")
        found.append(folder)
    return found


@pytest.fixture(scope="module")
def report(folders: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("report")
    run("study", "ensemble", *folders, "-o", output)
    return output


def rows_of(report: Path, number: int) -> dict[str, dict[str, Any]]:
    table = json.loads((report / "ensemble.json").read_text("utf-8"))["tables"][number]
    assert all(list(row) == table["columns"] for row in table["rows"])
    return {row["row"]: row for row in table["rows"]}


def treebank(folder: Path, part: str) -> Treebank:
    return toy_treebank(PARTS[part], seed=10 * (folder.name == "two") + list(PARTS).index(part), crossing=True)


def test_votes_are_those_of_a_training(folders: list[Path], report: Path) -> None:
    train, dev, test = (treebank(folders[0], part) for part in PARTS)
    row, chosen = rows_of(report, 0)["one"], rows_of(report, 2)["one"]
    trainers = {EQUAL: EnsembleTrainer(weights="equal"), DEFAULT: EnsembleTrainer(), BEST: ensemble_of(PRESETS["best"])}
    parsers = {name: trainer.train(train, dev) for name, trainer in trainers.items()}
    for name, parser in parsers.items():
        assert row[name] == round(evaluate(test, parser.parse(test)).las, 2)
    assert chosen["members of best vote"] == ", ".join(parsers[BEST].members)
    assert chosen["weights of best vote"] == parsers[BEST].facts["weights"]
    right = oracle([right_arcs(test, parse).arcs for parse in parsers[DEFAULT].parse_members(test).values()])
    assert row[ORACLE] >= round(100 * right[test.is_token].mean(), 2)  # of more members
    assert row[ORACLE] >= max(row[name] for name in STEPS)


def test_rows_are_treebanks_and_their_mean(folders: list[Path], report: Path) -> None:
    las, gains, sizes = (rows_of(report, number) for number in range(3))
    assert list(las) == list(gains) == [*sizes, "mean"] == ["one", "two", "mean"]
    for name in (*STEPS, ORACLE):
        assert las["mean"][name] == pytest.approx((las["one"][name] + las["two"][name]) / 2, abs=0.011)
    for row, own in gains.items():
        for name, (first, later) in GAINS.items():
            assert own[name] == pytest.approx(las[row][later] - las[row][first], abs=0.011)
    for folder in folders:
        expected = [treebank(folder, part).n_tokens for part in PARTS]
        assert [sizes[folder.name][key] for key in ("training tokens", "development tokens", "tokens")] == expected


def test_the_report_is_the_same_bytes_and_members_are_trained_once(
    folders: list[Path], report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study("ensemble", folders[:1], tmp_path, jobs=Jobs(2, "threading"))
    assert [rows_of(tmp_path, number)["one"] for number in range(3)] == [rows_of(report, n)["one"] for n in range(3)]
    assert len([path for path in (report / JOBS).iterdir() if path.name != "plan.json"]) == 2 * 8

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr("treevote.studies.jobs.Parsing.compute", fail)
    before = {path.name: path.read_bytes() for path in report.glob("ensemble.*")}
    again = study("ensemble", folders, report)
    assert {path.name: path.read_bytes() for path in again.paths} == before


@pytest.mark.usefixtures("untrained")
def test_development_sets_are_halved(folders: list[Path], tmp_path: Path) -> None:
    run("study", "ensemble", folders[0], "--test", "dev", "-o", tmp_path)
    dev, row = treebank(folders[0], "dev"), rows_of(tmp_path, 2)["one"]
    assert row["development tokens"] == dev[::2].n_tokens
    assert row["tokens"] == dev[1::2].n_tokens
    assert "every second sentence" in (tmp_path / "ensemble.md").read_text("utf-8")


@pytest.mark.usefixtures("untrained")
@pytest.mark.parametrize(("part", "measured"), [("test", ["dev", "test"]), ("dev", ["dev"])])
def test_sentences_that_are_trained_and_measured_on_are_told(
    part: str, measured: list[str], folders: list[Path], tmp_path: Path
) -> None:
    same = tmp_path / "same"
    same.mkdir()
    for kind in PARTS:
        shutil.copy(part_of(folders[0], "train"), same / f"{kind}.conllu")
    result = invoke("study", "ensemble", same, folders[1], "--test", part, "-o", tmp_path / "out")
    assert result.exit_code == 0
    assert [line for line in result.stderr.splitlines() if "warning" in line] == [
        f"treevote: warning: {same / kind}.conllu: 100 % of its sentences are among the training data: "
        "what is measured on them is too good"
        for kind in measured
    ]


def test_a_part_is_found_by_its_name(tmp_path: Path) -> None:
    for name in ("xx_yy-ud-train.conllu.xz", "dev.conllu", "README.md", "mydev.conllu"):
        (tmp_path / name).touch()
    assert part_of(tmp_path, "train").name == "xx_yy-ud-train.conllu.xz"
    assert part_of(tmp_path, "dev").name == "dev.conllu"
    with pytest.raises(InputError, match="found none"):
        part_of(tmp_path, "test")
    (tmp_path / "other.dev.conllu").touch()
    with pytest.raises(InputError, match=r"expected one file dev\.conllu, .*, found 2"):
        part_of(tmp_path, "dev")


def test_faults_are_told_before_the_work(folders: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert "found none; give a folder with train, dev and test" in fails("study", "ensemble", tmp_path, "-o", output)
    assert "on the part test or dev" in fails("study", "ensemble", *folders, "--test", "x.conllu", "-o", output)
    assert "own; leave out --members" in fails("study", "ensemble", *folders, "--members", "pipeline", "-o", output)
    two = [part_of(folder, "train") for folder in folders]
    other = tmp_path / "other" / folders[0].name
    shutil.copytree(folders[1], other)
    assert f"several folders are called '{folders[0].name}'" in fails(
        "study", "ensemble", folders[0], other, "-o", output
    )
    x_format = tmp_path / "x"
    x_format.mkdir()
    for path in folders[1].iterdir():
        lines = [line.lower() for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
        (x_format / f"{path.stem}.conll").write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    assert "make a study of each format" in fails("study", "ensemble", folders[0], x_format, "-o", output)
    assert "takes one treebank, found 2" in fails("study", "members", *two, "-o", output)
    assert not output.exists()
