"""A model; and kernels are compiled before a command runs in a process of its own: it would say that it compiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import run
from tests.paths import TOY
from treevote.commands.warm import warm
from treevote.parallel import ONE_JOB


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    warm(["lr-svm-forward"], jobs=ONE_JOB)


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a model that was trained on the toy treebank."""
    path = tmp_path_factory.mktemp("cli") / "model"
    report = run("train", "--train", TOY, "--dev", TOY, "-o", path, "--search", "greedy")
    assert "lr-structured-forward" in report
    assert "vote" in report
    assert "trained in" in report
    return path
