"""Whoever reads a model while another takes its place, or after its writer was killed, finds one of the two, whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from treevote.errors import ModelError
from treevote.files import exchange
from treevote.files.exchange import put_in_place, restore, standing
from treevote.store.folder import check_target, load, save, sizes
from treevote.store.record import Record

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no fork")

WAYS = ["one step", "two steps"]

KILLED = """
import os, signal, sys
from pathlib import Path
from tests.files.test_exchange import model
from treevote.files import exchange
from treevote.store.folder import check_target, load, save, sizes

way, target = sys.argv[1], Path(sys.argv[2])
if way == "two steps":
    exchange.exchanged = lambda one, other: False
STEPS = ("open", "os.", "shutil.")

def killed_at(step):
    child = os.fork()
    if not child:
        seen = 0
        def count(event, arguments):
            nonlocal seen
            if event.startswith(STEPS):
                seen += 1
                if seen == step:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(count)
        save(model(1), target)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])

step = 0
while True:
    save(model(0), target)
    assert os.listdir(target.parent) == [target.name], os.listdir(target.parent)
    step += 1
    killed = killed_at(step)
    found = load(target)
    check_target(target)
    sizes(target)
    print(found.facts["number"], int(found.arrays["a"][0]), int(found.arrays["b"][0]))
    if not killed:
        break
"""


def model(number: int) -> Record:
    arrays = {name: np.full(40, number) for name in "ab"}
    return Record("p", {"number": number}, arrays, {"labels": [str(number)]})


def run(code: str, *arguments: object) -> str:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("way", WAYS)
def test_a_save_that_is_killed_at_any_step_leaves_a_whole_model_and_the_next_one_nothing_else(
    tmp_path: Path, way: str
) -> None:
    found = run(KILLED, way, tmp_path / "model").splitlines()
    assert len(found) > 20
    assert set(found) == {"0 0 0", "1 1 1"}
    assert found == sorted(found), "once the new model is there it stays"


SAVING = """
import os, sys
from tests.files.test_exchange import model
from treevote.files import exchange
from treevote.store.folder import save
if sys.argv[1] == "two steps":
    exchange.exchanged = lambda one, other: False
os.fsync = lambda descriptor: None  # faster
for number in range(200):
    save(model(number), sys.argv[2])
"""


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_a_reader_never_meets_a_gap_or_a_mixture(tmp_path: Path, way: str, verify: bool) -> None:
    save(model(0), tmp_path / "model")
    met = set()
    with subprocess.Popen([sys.executable, "-c", SAVING, way, str(tmp_path / "model")]) as writer:
        while writer.poll() is None:
            found = load(tmp_path / "model", verify=verify)
            number = found.facts["number"]
            assert all((array == number).all() for array in found.arrays.values())
            assert found.texts["labels"] == [str(number)]
            assert "manifest.json" in sizes(tmp_path / "model")
            met.add(number)
    assert writer.returncode == 0
    assert len(met) > 1
    assert os.listdir(tmp_path) == ["model"]


def test_a_model_that_is_damaged_is_refused_although_nobody_replaces_it(tmp_path: Path) -> None:
    save(model(0), tmp_path / "model")
    (tmp_path / "model" / "a.npy").unlink()
    with pytest.raises(ModelError, match=r"a\.npy: expected a file, found none"):
        load(tmp_path / "model")


def folders(around: Path) -> tuple[Path, Path]:
    for name in ("new", "folder"):
        (around / name).mkdir()
        (around / name / "content").write_text(name)
    return around / "new", around / "folder"


@pytest.mark.parametrize("way", WAYS)
def test_two_folders_exchange_their_names(tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    new, folder = folders(tmp_path)
    if way == "two steps":
        monkeypatch.setattr(exchange, "exchanged", lambda one, other: False)
    put_in_place(new, folder)
    assert (folder / "content").read_text() == "new"
    assert (new / "content").read_text() == "folder"
    assert sorted(os.listdir(tmp_path)) == ["folder", "new"]


def test_what_was_left_aside_is_found_and_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new, folder = folders(tmp_path)
    rename = os.rename
    monkeypatch.setattr(exchange, "exchanged", lambda one, other: False)
    monkeypatch.setattr(exchange, "restore", lambda folder: None)  # killed

    def killed(one: Path, other: Path) -> None:
        if one == new:
            raise OSError
        rename(one, other)

    monkeypatch.setattr(os, "rename", killed)
    with pytest.raises(OSError):  # noqa: PT011
        put_in_place(new, folder)
    monkeypatch.undo()
    assert not folder.exists()
    assert (standing(folder) / "content").read_text() == "folder"
    restore(folder)
    assert standing(folder) == folder
    assert (folder / "content").read_text() == "folder"


def test_what_cannot_be_cleared_away_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, folder = folders(tmp_path)
    exchange._aside(folder).mkdir()

    def refused(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "rmdir", refused)
    restore(folder)
    assert (standing(folder) / "content").read_text() == "folder"


def test_a_model_left_aside_can_be_replaced(tmp_path: Path) -> None:
    save(model(0), tmp_path / "model")
    (tmp_path / "model").rename(exchange._aside(tmp_path / "model"))
    check_target(tmp_path / "model")
    assert load(tmp_path / "model").facts["number"] == 0
    save(model(1), tmp_path / "model")
    assert load(tmp_path / "model").facts["number"] == 1
    assert os.listdir(tmp_path) == ["model"]


def test_relative_names_are_exchanged_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        Path(name, name).mkdir(parents=True)
    if exchange.exchanged("a", Path("b")):  # the disk can
        assert [os.listdir(name) for name in ("a", "b")] == [["b"], ["a"]]
    with pytest.raises(OSError, match="nothing"):
        exchange.exchanged("a", "nothing")
