"""Two small models, one that reads text and one that does not, and a client of a server with both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import treevote
from tests.pages import write_treebank
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_parser import SMALL
from tests.reference.toy_text import QUICK
from treevote.ensemble.annotator_trainer import AnnotatorTrainer
from treevote.serve.app import Server
from treevote.serve.catalogue import Catalogue
from treevote.serve.limits import Limits


@pytest.fixture(scope="session")
def text_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serve")
    for name, size in (("train", 80), ("dev", 40)):
        write_treebank(toy_treebank(size, seed=size), folder / f"{name}.conllu")
    treevote.train(
        folder / "train.conllu",
        folder / "dev.conllu",
        output=folder / "toy-text-250101",
        members=["lr-svm-forward", "lr-svm-backward"],
        annotator=AnnotatorTrainer(tokenizer=QUICK),
    )
    return folder / "toy-text-250101"


@pytest.fixture(scope="session")
def tagged_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serve") / "tagged"
    treevote.save(treevote.EnsembleTrainer({"forward": SMALL}).train(toy_treebank(60, 1)), folder)
    return folder


@pytest.fixture(scope="session")
def catalogue(text_model: Path, tagged_model: Path) -> Catalogue:
    return Catalogue.of([str(text_model), f"plain-one={tagged_model}"])


@pytest.fixture(scope="session")
def client(catalogue: Catalogue) -> Iterator[TestClient]:
    with TestClient(Server(catalogue, Limits()).application()) as client:
        yield client
