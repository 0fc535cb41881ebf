"""Configuration files: tables that no member has, and files of the other command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import fails, run
from tests.paths import TOY
from treevote.adaptation.configuration import Configuration as OfAdapt
from treevote.config import settings_of
from treevote.ensemble.configuration import KEYS, Configuration


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "members = ['lr-svm-forward']\n[member.lr-svm-foward]\ncutoff = 3",
            "[member.lr-svm-foward] is no member; did you mean 'lr-svm-forward'? correct the name,",
        ),
        (
            "members = ['default']\n[member.zz]\nlike = 'pipeline'",
            "[member.zz] is no member; correct the name",
        ),
        ("members = ['pipeline']\n[member.pipeline]\nlike = 'pipeline'\n[member.b]", "[member.b] is no member;"),
    ],
)
def test_a_table_of_no_member_is_a_fault(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(text)
    assert f"{path}: {said}" in fails("config", "--config", path)
    assert run("config", "--config", path, "--members", "pipeline")


def test_a_table_for_others_or_for_other_members_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(
        "members = ['default', 'b', 'b']\n[member.a]\nwidth = 3\n[member.b]\nlike = 'a'\n[member.graph-mira]\norder = 1"
    )
    whole = run("config", "--config", tmp_path / "c.toml")
    assert "[member.b-2]" in whole
    assert whole == run("config", "--config", "-", stdin=whole.encode())
    (tmp_path / "c.toml").write_text("members = ['pipeline']\n[member.a]\nwidth = 3")
    assert "width = 3" in run("config", "--config", tmp_path / "c.toml", "--members", "a")
    assert "[member.a] is no member" in fails("config", "--config", tmp_path / "c.toml")


@pytest.mark.parametrize(("command", "other"), [("train", "adapt"), ("adapt", "train")])
def test_a_configuration_of_the_other_command_is_told(command: str, other: str, tmp_path: Path) -> None:
    assert settings_of(Configuration).keys() - {"seed"} == {*KEYS["train"]}
    assert settings_of(OfAdapt).keys() - {"seed"} == {*KEYS["adapt"]}
    path = tmp_path / "c.toml"
    path.write_text(run("config", other))
    said = f"{path}: expected a configuration of treevote {command}, found one of treevote {other}; give it to that"
    assert said in fails("config", command, "--config", path)
    path.write_text(run("config", command))
    assert run("config", command, "--config", path) == path.read_text()


def test_standard_input_is_one_file() -> None:
    assert "standard input is named for two inputs" in fails("doctor", "-", "--config", "-")


def test_an_option_that_no_member_has_is_named_as_it_was_written(tmp_path: Path) -> None:
    said = fails("train", "--train", TOY, "-o", tmp_path / "model", "--members", "graph-mira", "--beam", 3)
    assert "none of the members has a setting 'width' (--beam); leave it out, or name other members" in said
