"""The README's commands, configuration and Python code run as they stand there, on toy data."""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.reference.toy_grammar import toy_treebank
from treevote.cli import app
from treevote.rendering import write

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the README speaks of, and the model that its first command trains."""
    place = tmp_path_factory.mktemp("readme")
    for name in ("train", "dev", "test", "gold", "udpipe", "malt", "yara"):
        shutil.copy(ROOT / "data" / "toy.conllu", place / f"{name}.conllu")
    write(toy_treebank(40, 9), place / "new-domain.conllu")
    return place


def run(line: str) -> str:
    program, *arguments = shlex.split(line)
    assert program == "treevote"
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0 or (result.exit_code == 3 and "not promoted" in result.output), result.output
    return result.output


def test_set_up_commands_are_those_of_continuous_integration() -> None:
    first, second = blocks("sh")[0].strip().splitlines()
    assert "treevote quickstart" in first
    assert second.endswith("pytest -n auto")
    lines = README.splitlines()
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for command, words in ((first, "treevote quickstart"), (second, "bin/pytest")):
        assert next(line for line in lines if words in line) == command
        assert f"readme_command '{words}'" in script


def test_commands_python_and_configuration(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for line in "".join(blocks("sh")[1:5]).splitlines():
        run(line)
    assert "vote" in run("treevote inspect model")

    for code in blocks("python"):
        exec(compile(code, "README.md", "exec"), {})

    (text,) = blocks("toml")
    (folder / "config.toml").write_text(text, encoding="utf-8")
    run("treevote train --train train.conllu --config config.toml -o configured")
    for name in tomllib.loads(text)["member"]:
        assert name in run("treevote inspect configured")


def test_every_member_and_command_is_named() -> None:
    from treevote.ensemble.members import known_members

    for name in known_members():
        assert f"`{name}`" in README
    for command in app.registered_commands:
        assert command.callback is not None
        assert f"treevote {command.callback.__name__}" in README or f"`{command.callback.__name__}`" in README
