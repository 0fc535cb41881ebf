"""Files that several modules parse, and a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reference.toy_grammar import toy_treebank
from treevote.conll.writer import write
from treevote.ensemble.members import members_of
from treevote.ensemble.parser import save
from treevote.ensemble.trainer import EnsembleTrainer


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("batch") / "model"
    members = members_of(["lr-svm-forward", "lr-svm-backward"])
    save(EnsembleTrainer(members).train(toy_treebank(40, seed=1), toy_treebank(20, seed=2)), path)
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return a folder of twelve small files in two sub-folders."""
    folder = tmp_path / "corpus"
    for i in range(12):
        path = folder / ("one", "two")[i % 2] / f"f{i:02}.conllu"
        path.parent.mkdir(parents=True, exist_ok=True)
        write(toy_treebank(1 + i % 4, seed=i), path)
    return folder
