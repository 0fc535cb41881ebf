"""Where the library of an extra is missing, its feature ends with one sentence, and everything else works."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import write_files

RUN = """
import importlib.metadata, json, sys
from typer.testing import CliRunner
files = importlib.metadata.files
hidden, commands = json.loads(sys.argv[1])
class Hidden:
    def find_spec(name, *_):
        if name in hidden:
            raise ModuleNotFoundError(f"No module named {name!r}")
    def files(name):
        if name in hidden:
            raise importlib.metadata.PackageNotFoundError(name)
        return files(name)
sys.meta_path.insert(0, Hidden)
importlib.metadata.files = Hidden.files
from treevote.cli import application
for command in commands:
    result = CliRunner().invoke(application(), command.split())
    print(json.dumps([command, result.exit_code, result.stderr]))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
"""
"""Runs commands without some packages; prints exit code and standard error of each."""

FEATURES = {
    ("distributed", "dask"): (
        "train --train train.conllu --fast -o out --cluster tcp://127.0.0.1:1",
        "parse model test.conllu -o out --cluster tcp://127.0.0.1:1",
    ),
    ("jinja2", "report"): (
        "evaluate test.conllu parsed.conllu --report out",
        "adapt model new-domain.conllu --train train.conllu -o out --report out.html",
        "quickstart -o out",
    ),
    ("starlette", "serve"): ("serve model",),
    ("turkish-treebanks", "quickstart"): ("quickstart -o out",),
    ("ufal.udpipe", "text"): ("train --train train.conllu -o out --from-text", "quickstart --from-text -o out"),
    ("uvicorn", "serve"): ("serve model",),
}
"""Packages, their extras, and commands that need them."""

CALLS = {
    ("pandas", "pandas"): "treevote.Treebank.of([]).to_frame()",
    ("spacy", "spacy"): "import treevote.spacy_component",
}
"""Packages, their extras, and Python that needs them."""

OTHERS = (
    "train --train train.conllu --dev dev.conllu -o model --members lr-svm-forward,pipeline",
    "parse model test.conllu -o parsed.conllu --confidence",
    "evaluate test.conllu parsed.conllu",
    "vote parsed.conllu gold.conllu -o voted.conllu",
    "show parsed.conllu --sentence 1",
    "inspect model",
    "adapt model new-domain.conllu --train train.conllu --dev dev.conllu --rounds 1 --min-agreement 0 --force -o new",
)
"""Commands that need none."""


def run(folder: Path, hidden: tuple[str, ...], commands: tuple[str, ...]) -> list[tuple[str, int, str]]:
    """Return each command with its exit code and what it wrote to standard error."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps([hidden, commands])], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a model, made while no package of an extra could be imported."""
    folder = tmp_path_factory.mktemp("extras")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_files()
    for command, code, said in run(folder, tuple(package for package, _ in (*FEATURES, *CALLS)), OTHERS):
        assert code == 0, (command, said)
    return folder


@pytest.mark.parametrize(("package", "extra"), FEATURES)
def test_a_command_without_its_package_is_one_sentence(package: str, extra: str, folder: Path) -> None:
    for command, code, said in run(folder, (package,), FEATURES[package, extra]):
        *_, last = said.splitlines()
        assert code == 1, command
        assert last.startswith("treevote: ")
        assert package in last
        assert last.endswith(f"; pip install 'treevote[{extra}]'")
        assert list(folder.glob("out*")) == [], command


@pytest.mark.parametrize(("package", "extra"), CALLS)
def test_a_call_without_its_package_is_one_sentence(package: str, extra: str) -> None:
    code = f"import sys, treevote; sys.modules[{package!r}] = None\n{CALLS[package, extra]}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("treevote.errors.ConfigError: ")
    assert last.endswith(f"; pip install 'treevote[{extra}]'")
