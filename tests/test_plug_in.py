"""Another package adds a family of parsers: it trains, is chosen, votes, is stored, and adapts like any other."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import fails, invoke, run
from tests.paths import ROOT
from tests.reference.toy_grammar import toy_treebank
from treevote.conll.writer import write
from treevote.ensemble.members import built_in_families, plug_ins

EXAMPLE = ROOT / "docs" / "examples" / "plug_in"
MEMBERS = "lr-svm-forward,chain"
DATACLASS = "import dataclasses\n@dataclasses.dataclass\nclass T:\n    pass\n"
DATA = "--train", "train.conllu", "--dev", "dev.conllu"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the installed package, in ``site``, and treebanks."""
    if importlib.util.find_spec("pip") is None or importlib.util.find_spec("setuptools") is None:
        pytest.skip("needs pip and setuptools to install a package without a network")
    folder = tmp_path_factory.mktemp("plug-in")
    shutil.copytree(EXAMPLE, folder / "source")
    options = "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(folder / "site")
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(folder / "source")], check=True)
    for name, size, seed in (("train", 60, 1), ("dev", 20, 2), ("text", 80, 3)):
        write(toy_treebank(size, seed), folder / f"{name}.conllu")
    return folder


@pytest.fixture
def folder(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make that folder the current one, and forget what was imported and registered, before and after."""
    monkeypatch.chdir(installed)
    monkeypatch.delitem(sys.modules, "treevote_chain", raising=False)
    plug_ins.cache_clear()
    yield installed
    plug_ins.cache_clear()


def test_a_plug_in_is_a_member_like_any_other(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(folder / "site")
    assert "chain" in run("train", *DATA, "--members", MEMBERS, "-o", "model")
    run("parse", "model", "text.conllu", "-o", "alone.conllu", "--member", "chain")
    lines = Path("alone.conllu").read_text("utf-8").split("\n\n")[0].split("\n")
    assert [line.split("\t")[6] for line in lines] == [*(str(i) for i in range(2, len(lines) + 1)), "0"]
    run("parse", "model", "text.conllu", "-o", "voted.conllu")
    assert "chain" in run("train", *DATA, "--members", f"{MEMBERS},lr-svm-backward", "--select", "-o", "best")
    options = "--committee", MEMBERS, "--rounds", "1", "--min-agreement", "0.1", "--force"
    run("adapt", "model", "text.conllu", *DATA, *options, "-o", "adapted")


def test_a_model_without_its_plug_in_is_refused_by_its_kind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.syspath_prepend(folder / "site")
        run("train", "--train", "train.conllu", "--members", "chain", "-o", "only")
    plug_ins.cache_clear()
    said = fails("parse", "only", "text.conllu")
    assert "found 'chain-parser'; install the plug-in that trained it" in said


def test_what_another_version_of_a_plug_in_made_is_not_taken_for_its_own(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder / "site", tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    (metadata,) = (tmp_path / "site").glob("*.dist-info/METADATA")
    run("train", "--train", "train.conllu", "--members", MEMBERS, "-o", tmp_path / "model")
    diagnosis = "doctor", "train.conllu", "--members", MEMBERS, "--folds", "2", "--work", tmp_path / "work"
    study = "study", "members", "train.conllu", "--test", "dev.conllu", "--members", MEMBERS, "-o", tmp_path / "study"
    parse = "parse", tmp_path / "model", "text.conllu", "--output-dir", tmp_path / "parses"
    for again in (False, True):
        run(*diagnosis)
        run(*study)
        assert ("same model and input was there" in invoke(*parse).stderr) == again
    package = "package", tmp_path / "model", "--name", "toy", "--licence", "MIT", "-o", tmp_path / "dist"
    run(*package)
    with zipfile.ZipFile(tmp_path / "dist" / "treevote_toy-1.0-py3-none-any.whl") as wheel:
        assert b"Requires-Dist: treevote-chain>=1.0\n" in wheel.read("treevote_toy-1.0.dist-info/METADATA")
    jobs = len(list((tmp_path / "study" / "jobs").iterdir()))
    metadata.write_text(metadata.read_text().replace("Version: 1.0", "Version: 1.1"))
    plug_ins.cache_clear()
    assert "holds a diagnosis that differs in versions of plug-ins" in fails(*diagnosis)
    run(*study)
    assert len(list((tmp_path / "study" / "jobs").iterdir())) == jobs + 1
    assert "same model and input was there" not in invoke(*parse).stderr
    metadata.write_text(metadata.read_text().replace("Version: 1.1", "Version: of today!"))
    plug_ins.cache_clear()
    run(*package)
    with zipfile.ZipFile(tmp_path / "dist" / "treevote_toy-1.0-py3-none-any.whl") as wheel:
        assert b"Requires-Dist: treevote-chain\n" in wheel.read("treevote_toy-1.0.dist-info/METADATA")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 / 0", "'chain' (treevote_chain:FAMILY) cannot be loaded: division by zero"),
        (
            "import sys; sys.exit(0)",
            "'chain' (treevote_chain:FAMILY) cannot be loaded: it exits; update it, or uninstall it",
        ),
        (
            "FAMILY = [], int, int, {}",
            "expected a family with a name as its kind, and a dataclass as its trainer; update",
        ),
        (
            "FAMILY = 'k', int, int, {'x': 1}",
            "expected a family with a name as its kind, and a dataclass as its trainer",
        ),
        (f"{DATACLASS}FAMILY = 'k', T, T, ['x']", "expected the members of a family by name"),
        (f"{DATACLASS}FAMILY = 'k', T, T, {{'x': 1}}", "expected the trainer of a family as the class of its members"),
        (
            "from treevote.models.parsers.pipeline.parser import FAMILY",
            "takes a name that is taken (pipeline-parser, pipeline)",
        ),
    ],
)
def test_a_plug_in_that_fails_stops_nothing_but_its_own_members(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    shutil.copytree(folder / "site", tmp_path / "site")
    (tmp_path / "site" / "treevote_chain.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path / "site")
    (tmp_path / "c.toml").write_text('[member.lr-svm-forward]\ncutoff = 2\n\n[member.mine]\nlike = "pipeline"\n')
    assert "[member.mine]" in run("config", "--config", tmp_path / "c.toml")
    run("train", *DATA, "--members", "lr-svm-forward", "-o", tmp_path / "model")
    assert plug_ins.cache_info().misses == 0
    result = invoke("config", "--members", "all")
    assert (result.exit_code, result.stderr.count("\n")) == (0, 1)
    assert result.stderr.startswith("treevote: warning: ")
    assert said in result.stderr
    assert list(tomllib.loads(result.stdout)["member"]) == [
        name for family in built_in_families().values() for name in family.members
    ]
    plug_ins.cache_clear()
    assert said in fails("train", "--train", "x", "--members", "chain", "-o", "model")
