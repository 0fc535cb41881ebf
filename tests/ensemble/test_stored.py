"""A stored parser: it travels as path and checksum, and a process loads it once, however many threads call it."""

from __future__ import annotations

import copy
import os
import pickle
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.adaptation.test_adapt import before
from treevote.ensemble import stored as storing
from treevote.ensemble.parser import save
from treevote.ensemble.stored import StoredParser
from treevote.errors import ModelError
from treevote.version import __version__


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stored") / "model"
    save(before(), path)
    return path


def test_a_parser_travels_as_path_and_checksum(model: Path, tmp_path: Path) -> None:
    stored = StoredParser.of(model)
    travelled = pickle.dumps(stored)
    assert len(travelled) < 600
    arrived: StoredParser = pickle.loads(travelled)
    assert arrived == stored
    assert arrived() is stored()
    assert arrived.travelled
    assert not any(copied(stored).travelled for copied in (copy.copy, copy.deepcopy))


def test_a_worker_refuses_what_is_not_the_same(model: Path, tmp_path: Path) -> None:
    other = tmp_path / "model"
    shutil.copytree(model, other)
    arrived: StoredParser = pickle.loads(pickle.dumps(StoredParser.of(other)))
    shutil.rmtree(other)
    with pytest.raises(ModelError, match=r"a worker on .*there is no such model folder"):
        arrived()
    shutil.copytree(model, other)
    with pytest.raises(ModelError, match=r"a worker on .*expected the model with checksum 0000"):
        StoredParser(str(other), "0" * 64, travelled=True)()
    with pytest.raises(ModelError, match=f"expected treevote 0.0.1, found {__version__}"):
        StoredParser(arrived.path, arrived.sha256, None, "0.0.1", True)()
    manifest = other / "manifest.json"
    manifest.write_bytes(manifest.read_bytes()[:-9])
    with pytest.raises(ModelError, match="damaged"):
        StoredParser.of(other)()
    with pytest.raises(ModelError, match="no such model folder"):
        StoredParser.of(tmp_path / "none")


def listed_loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let no model be in memory, and a path stand for each; return the list of those that are loaded from now on."""
    loads: list[str] = []

    def load(path: str) -> object:
        loads.append(path)
        return path

    monkeypatch.setattr(storing, "load", load)
    monkeypatch.setattr(storing, "checksum", lambda path: path)
    monkeypatch.setattr(storing, "_PLACES", {})
    return loads


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=st.lists(st.integers(0, storing.MAX_LOADED), min_size=12, max_size=30))
def test_the_model_least_recently_used_leaves_for_another(calls: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    loads = listed_loads(monkeypatch)
    expected: list[str] = []
    for i, call in enumerate(calls):
        StoredParser(str(call), str(call))()
        before = [*dict.fromkeys(calls[:i][::-1])]
        if call not in before[: storing.MAX_LOADED]:
            expected.append(str(call))
    assert loads == expected


def test_a_model_that_is_held_stays_beside_the_others_until_it_is_released(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = listed_loads(monkeypatch)
    held, *others = (StoredParser(name, name) for name in "habcde")
    held.hold()
    for each in (*others, *others[-4:], held, others[0]):
        each()
    assert "".join(loads) == "habcdea"  # four others stay
    held.release()
    held()
    assert loads[-1] == "h"
    loads.clear()
    for each in (*others, held):
        each()
    assert "h" in loads


def test_a_model_is_there_while_another_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def load(path: str) -> object:
        if path == "slow":
            begun.set()
            assert go_on.wait(60)
        return path

    monkeypatch.setattr(storing, "load", load)
    monkeypatch.setattr(storing, "checksum", lambda path: path)
    monkeypatch.setattr(storing, "_PLACES", {})
    with ThreadPoolExecutor(2) as pool:
        slow = pool.submit(StoredParser("slow", "slow"))
        try:
            assert begun.wait(60)
            assert pool.submit(StoredParser("other", "other")).result(60)
        finally:
            go_on.set()
        assert slow.result(60)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_while_a_thread_loads_a_model_goes_on(model: Path) -> None:
    code = """
import os, sys, threading, treevote
from treevote.ensemble import stored
go_on, begun, load = threading.Event(), threading.Event(), stored.load
def slow(path):
    begun.set()
    go_on.wait(60)
    return load(path)
stored.load = slow
thread = threading.Thread(target=treevote.StoredParser.of(sys.argv[1]))
thread.start()
begun.wait(60)
child = os.fork()
if not child:
    stored.load = load
    os._exit(0 if treevote.StoredParser.of(sys.argv[1])().members else 1)
print(os.waitpid(child, 0)[1])
go_on.set()
thread.join()
"""
    command = [sys.executable, "-W", "ignore", "-c", code, str(model)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "0\n"
