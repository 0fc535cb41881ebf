"""The README's commands and Python code run as they stand there, on toy data."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pages import blocks, call, run, write_files
from tests.paths import ROOT
from treevote.cli import COMMANDS

PAGE = ROOT / "README.md"
README = PAGE.read_text(encoding="utf-8")
SET_UP, *BLOCKS = blocks(PAGE)


def test_set_up_commands_are_those_of_continuous_integration_and_of_contributing() -> None:
    first, second = SET_UP[1].strip().splitlines()
    assert "treevote quickstart" in first
    assert second.endswith("pytest -n auto")
    lines = README.splitlines()
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    tests = second.rpartition(" && ")[2]
    assert f"\n{tests}\n" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert """bin/pytest') -m 'slow or not slow'""" in script
    for command, words in ((first, "treevote quickstart"), (second, "bin/pytest")):
        assert next(line for line in lines if words in line) == command
        assert f"readme_command '{words}'" in script


def test_commands_and_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_files()
    for language, text in BLOCKS:  # without those in "bash", which take long
        run(language, text)
    assert "vote" in call("treevote inspect my-model")


def test_every_member_learner_and_template_set_is_in_its_page_and_every_command_is_named() -> None:
    from treevote.ensemble.members import built_in_families
    from treevote.models.learning.learners.registry import LEARNERS
    from treevote.models.parsers.pipeline import template_sets as pipeline
    from treevote.models.parsers.transition import template_sets as transition

    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    for name in (name for family in built_in_families().values() for name in family.members):
        assert f"`{name}`" in page, f"add a row for {name} to the table of members in docs/configuration.md"
    for name in (*LEARNERS, *pipeline.TEMPLATE_SETS, *transition.TEMPLATE_SETS):
        assert f"`{name}`" in page, f"name the learner or the set of templates {name} in docs/configuration.md"
    for name in COMMANDS:
        assert f"treevote {name}" in README or f"`{name}`" in README, f"name the command {name} in README.md"


def test_links_lead_to_files() -> None:
    for link in re.findall(r"\]\(([^)#]+)", README):
        assert (ROOT / link).is_file()
