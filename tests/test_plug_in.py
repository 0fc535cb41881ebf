"""Another package adds a family of parsers: it trains, is chosen, votes, is stored, and adapts like any other."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.reference.toy_grammar import toy_treebank
from treevote.conll.writer import write

EXAMPLE = ROOT / "docs" / "examples" / "plug_in"
MEMBERS = "lr-svm-forward,chain"


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


def treevote(folder: Path, *arguments: str, plug_in: bool = True) -> subprocess.CompletedProcess[str]:
    paths = [str(folder / "site")] if plug_in else []
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "treevote", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_a_plug_in_is_a_member_like_any_other(installed: Path) -> None:
    paths = "--train", "train.conllu", "--dev", "dev.conllu"
    trained = treevote(installed, "train", *paths, "--members", MEMBERS, "-o", "model")
    assert trained.returncode == 0, trained.stderr
    assert "chain" in trained.stdout
    parsed = treevote(installed, "parse", "model", "text.conllu", "-o", "alone.conllu", "--member", "chain")
    assert parsed.returncode == 0, parsed.stderr
    lines = (installed / "alone.conllu").read_text("utf-8").split("\n\n")[0].split("\n")
    assert [line.split("\t")[6] for line in lines] == [*(str(i) for i in range(2, len(lines) + 1)), "0"]
    assert treevote(installed, "parse", "model", "text.conllu", "-o", "voted.conllu").returncode == 0
    chosen = treevote(installed, "train", *paths, "--members", f"{MEMBERS},lr-svm-backward", "--select", "-o", "best")
    assert "chain" in chosen.stdout, chosen.stderr
    options = "--committee", MEMBERS, "--rounds", "1", "--min-agreement", "0.1", "--force"
    adapted = treevote(installed, "adapt", "model", "text.conllu", *paths, *options, "-o", "adapted")
    assert adapted.returncode == 0, adapted.stderr


def test_without_the_package_the_message_names_the_kind(installed: Path) -> None:
    paths = "--train", "train.conllu", "--members", "chain", "-o", "only"
    assert treevote(installed, "train", *paths).returncode == 0
    refused = treevote(installed, "parse", "only", "text.conllu", plug_in=False)
    assert refused.returncode == 1
    assert "found 'chain-parser'; install the plug-in that trained it" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_plug_in_that_fails_is_named(installed: Path, tmp_path: Path) -> None:
    shutil.copytree(installed / "site", tmp_path / "site")
    for text, said in (
        ("1 / 0", "'chain' (treevote_chain:FAMILY) cannot be loaded: division by zero"),
        (
            "from treevote.models.pipeline.parser import FAMILY",
            "takes a name that is taken (pipeline-parser, pipeline)",
        ),
    ):
        (tmp_path / "site" / "treevote_chain.py").write_text(text)
        failed = treevote(tmp_path, "train", "--train", "x", "--members", "chain", "-o", "model")
        assert failed.returncode == 1
        assert said in failed.stderr
        assert failed.stderr.count("\n") == 1
