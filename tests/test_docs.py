"""The commands, scripts and configurations of the documentation run as they stand there, on toy data."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import treevote
from tests.pages import blocks, call, run, write_files, write_treebank
from tests.paths import ROOT
from tests.reference.toy_grammar import toy_treebank
from treevote import Treebank
from treevote.models.text.tokenization import tokenizer
from treevote.models.text.tokenization.training import training

DOCS = ROOT / "docs"
CLUSTER = DOCS / "recipes" / "cluster.md"
ENGINES = DOCS / "recipes" / "engines.md"
"""Run by `tests.batch.test_recipes`, each recipe on its engine."""
PIPELINES = DOCS / "recipes" / "pipelines.md"
OWN = (CLUSTER, ENGINES, PIPELINES)
PAGES = sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts and page not in OWN)
PIPES = (
    DOCS / "recipes" / "files.md"
)  # starts several processes; `tests/commands/test_cli.py` reads standard input, too
RUN = [
    pytest.param(page, id=page.stem, marks=pytest.mark.slow if page == PIPES else ())
    for page in PAGES
    if any(language in ("sh", "python", "toml") for language, _ in blocks(page))
]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="some lines are for a POSIX shell")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that pages speak of, and the model that they start from."""
    folder = tmp_path_factory.mktemp("docs")
    with chdir(folder):
        write_files()
        call("treevote train --train train.conllu --dev dev.conllu -o model")
    return folder


@pytest.fixture
def folder(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of these files, the current folder."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", RUN)
def test_blocks_run(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.stem == "count":
        pytest.importorskip("pandas")
    for name, seed in (("web.conllu", 1), ("wiki.conllu", 2)):  # in place of the Turkish treebanks
        write_treebank(toy_treebank(60, seed), folder / name)
    found = [
        SimpleNamespace(name=name, locate=lambda name=name: folder / name) for name in ("web.conllu", "wiki.conllu")
    ]
    monkeypatch.setattr(importlib.metadata, "files", lambda _: found)
    monkeypatch.setattr(tokenizer, "training", _one_epoch)
    for language, text in blocks(page):
        run(language, text)


def _one_epoch(train: Treebank, dev: Treebank | None, options: Mapping[str, object]) -> Any:
    """Train a tokenizer quickly."""
    return training(train, dev, {**options, "epochs": 1})


def test_blocks_for_a_cluster_run(folder: Path) -> None:
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with distributed.LocalCluster(**options) as local:
        for language, text in blocks(CLUSTER):
            run(language, text.replace("tcp://host:8786", local.scheduler_address))
    assert (folder / "adapted").exists()
    assert (folder / "folded").exists()


def test_blocks_for_pipelines_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("spacy")
    pytest.importorskip("pandas")
    import treevote.spacy_component  # noqa: F401  # where the extra is not installed, there is no entry point

    monkeypatch.setattr(tokenizer, "training", _one_epoch)
    call("treevote train --train train.conllu -o from-text --from-text --fast")
    for language, text in blocks(PIPELINES):
        run(language, text)


def test_every_page_is_in_a_table_of_contents() -> None:
    contents = (DOCS / "index.md").read_text(encoding="utf-8").splitlines()
    for page in (*PAGES, *OWN):
        name = page.relative_to(DOCS).with_suffix("").as_posix()
        assert name == "index" or name in contents


def test_every_public_name_is_once_on_the_page_of_the_python_interface() -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\.\. auto\w+:: (\w+)$", page, re.MULTILINE)
    assert sorted([*shown, "__version__"]) == sorted(treevote.__all__)
