"""No test vanishes: a file without tests is an error, and so is one that cannot be imported."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

GOOD = "import pytest\n\n@pytest.mark.parametrize('i', range(3))\ndef test_good(i): ...\n"
MODULE = 'def one():\n    """Return 1.\n\n    >>> one()\n    1\n    """\n    return 1\n'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout of few tests under the configuration of this one."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for file, text in {
        "tests/a/test_one.py": GOOD,
        "tests/a/test_two.py": GOOD + "\n@pytest.mark.slow\ndef test_slow(): ...\n",
        "tests/batch/test_spacy.py": "import no_such_library\n" + GOOD,
        "src/treevote/module.py": MODULE,
        "src/treevote/no_example.py": "ONE = 1\n",
    }.items():
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    text = (
        (ROOT / "conftest.py")
        .read_text("utf-8")
        .replace('test_spacy.py": "spacy"', 'test_spacy.py": "no_such_library"')
    )
    (tmp_path / "conftest.py").write_text(text, "utf-8")
    return tmp_path


def collected(checkout: Path, *arguments: str) -> tuple[int, str]:
    """Return exit code and output of pytest."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "xdist", *arguments]
    few = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # some take longer than these tests
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, env=few)
    return done.returncode, done.stdout + done.stderr


def test_one_file_one_folder_and_all_give_the_same_tests_of_a_file(checkout: Path) -> None:
    def tests(*arguments: str) -> set[str]:
        code, output = collected(checkout, "--collect-only", "-q", *arguments)
        assert code == 0, output
        return {line for line in output.splitlines() if "::" in line}

    of_all = tests()
    assert len(of_all) == 3 + 3 + 1
    for part in ("tests/a", "tests/a/test_two.py", "src/treevote/module.py"):
        assert tests(part) == {name for name in of_all if name.startswith(part)} != set()
    assert tests("tests/a/test_one.py::test_good", "-k", "1") == {"tests/a/test_one.py::test_good[1]"}


def test_a_file_whose_library_is_not_installed_is_named(checkout: Path) -> None:
    code, output = collected(checkout)
    assert code == 0, output
    assert re.search(r"SKIPPED .*tests/batch/test_spacy\.py:1: no_such_library is not installed", output), output
    assert "7 passed" in output


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("tests/a/test_two.py", "def rest_of_a_name(): ...\n"),
        ("tests", "import no_such_module\n" + GOOD),
        ("tests", ""),
    ],
)
def test_a_file_that_gives_no_test_is_an_error(checkout: Path, part: str, text: str) -> None:
    (checkout / "tests" / "a" / "test_two.py").write_text(text, "utf-8")
    code, output = collected(checkout, part)
    assert code == 2, output
    assert "ERROR tests/a/test_two.py" in output
    assert ("No module named 'no_such_module'" in output) == ("import" in text)


@pytest.mark.parametrize("text", ["import no_such_module\n" + MODULE, "ONE = '>>> 1'\n"])
def test_a_module_that_gives_no_example_is_an_error(checkout: Path, text: str) -> None:
    (checkout / "src" / "treevote" / "module.py").write_text(text, "utf-8")
    code, output = collected(checkout)
    assert (code, "ERROR src/treevote/module.py" in output) == (2, True), output


def test_a_folder_that_is_not_searched_is_an_error(checkout: Path) -> None:
    (checkout / "tests" / "a").rename(checkout / "tests" / "build")
    code, output = collected(checkout)
    assert (code, "ERROR tests/build/test_one.py" in output) == (2, True), output


@pytest.mark.slow
def test_processes_of_tests_report_the_same_errors(checkout: Path) -> None:
    assert collected(checkout, "-n", "2")[0] == 0
    (checkout / "tests" / "a" / "test_two.py").write_text("", "utf-8")
    code, output = collected(checkout, "-n", "2")
    assert (code, "ERROR tests/a/test_two.py - No test was collected" in output) == (1, True), output
