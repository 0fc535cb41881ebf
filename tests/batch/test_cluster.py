"""A cluster gives the bytes of one machine, also if a worker dies; a cluster that cannot work is told in a sentence."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import distributed
import pytest

from tests.command_line import content, fails, run
from tests.reference.toy_grammar import toy_treebank
from treevote import parallel
from treevote.commands.parse_folder import parse_folder
from treevote.conll.writer import write
from treevote.errors import ConfigError
from treevote.parallel import Jobs, _require_same_versions, cluster
from treevote.version import __version__


@pytest.fixture(scope="module")
def local() -> Iterator[Any]:
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with distributed.LocalCluster(**options) as started:  # type: ignore[no-untyped-call]
        yield started


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_a_cluster_does_not_matter(model: Path, corpus: Path, tmp_path: Path, local: Any) -> None:
    address = local.scheduler_address
    parse_folder(model, [corpus], tmp_path / "one")
    run("parse", model, corpus, "--output-dir", tmp_path / "two", "--cluster", address)
    assert files(tmp_path / "one") == files(tmp_path / "two")
    inputs = sorted(corpus.rglob("*.conllu"))
    run("parse", model, *inputs, "-o", tmp_path / "one.conllu")
    run("parse", model, *inputs, "-o", tmp_path / "two.conllu", "--cluster", address)
    assert (tmp_path / "one.conllu").read_bytes() == (tmp_path / "two.conllu").read_bytes()


@pytest.mark.slow
def test_training_with_folds_does_not_depend_on_a_cluster(tmp_path: Path, local: Any) -> None:
    write(toy_treebank(20, seed=1), tmp_path / "train.conllu")
    members = "lr-svm-forward,lr-svm-backward"
    command = "train", "--train", tmp_path / "train.conllu", "--members", members, "--folds", 2
    run(*command, "-o", tmp_path / "one")
    run(*command, "-o", tmp_path / "two", "--cluster", local.scheduler_address)
    assert content(tmp_path / "one") == content(tmp_path / "two")


@pytest.mark.slow
def test_a_worker_that_dies_costs_its_tasks_only(model: Path, corpus: Path, tmp_path: Path, local: Any) -> None:
    parse_folder(model, [corpus], tmp_path / "one")
    killed: list[int] = []

    def kill(name: str, done: int, total: int) -> None:
        if not killed:
            killed.append(local.workers[0].pid)
            os.kill(killed[0], signal.SIGKILL)

    with cluster(local.scheduler_address):
        parse_folder(model, [corpus], tmp_path / "two", jobs=Jobs(-1, progress=kill), task_bytes=200)
    assert killed
    assert files(tmp_path / "one") == files(tmp_path / "two")


class Client:
    """The facts of a cluster."""

    def __init__(self, **versions: dict[str, str]) -> None:
        self.versions = versions

    def run(self, function: Callable[[], dict[str, str]]) -> dict[str, dict[str, str]]:
        assert function()["treevote"] == __version__
        return self.versions


def test_workers_with_another_version_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine-1.0.dist-info").mkdir()
    (tmp_path / "mine-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.4\nName: mine\nVersion: 1.0\n")
    (tmp_path / "mine-1.0.dist-info" / "entry_points.txt").write_text("[treevote.members]\nmine = mine:FAMILY\n")
    monkeypatch.syspath_prepend(tmp_path)
    own = {"treevote": __version__}
    for client, said in (
        (Client(), "has no workers"),
        (Client(a={"treevote": "0.0.1"}), "the worker a has treevote 0.0.1, this command has version"),
        (Client(a={}), "the worker a has no treevote"),
        (Client(a=own), "the worker a has no mine, this command has version 1.0; install the same version everywhere"),
        (Client(a={**own, "mine": "2.0"}), "the worker a has mine 2.0, this command has version 1.0"),
    ):
        with pytest.raises(ConfigError, match=said):
            _require_same_versions(client, "tcp://host")
    _require_same_versions(Client(a={**own, "mine": "1.0", "other": "3"}), "tcp://host")


def test_no_scheduler_is_told(model: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "CONNECT_WITHIN", 0.5)
    where = "--cluster", "tcp://127.0.0.1:1"
    assert "no Dask scheduler answers" in fails("parse", model, corpus, "--output-dir", tmp_path / "out", *where)
    assert "no Dask scheduler answers" in fails("parse", model, corpus / "one" / "f00.conllu", *where)
