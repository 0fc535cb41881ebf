"""Temporary files: removed by their process, and by the next writer if it was killed; never while in use."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from treevote.files import temporaries
from treevote.files.temporaries import lock, remove_pending, temporary

_HOLD = "import sys\nfrom treevote.files.temporaries import temporary\n" + (
    "with temporary(sys.argv[1], folder=sys.argv[2] == 'True') as path:\n"
    "    print(path, flush=True)\n    sys.stdin.read()\n"
)
_LOCK = (
    "import sys\nfrom treevote.files.temporaries import lock\n"
    "with lock(sys.argv[1]) as held:\n    print(held, flush=True)\n    sys.stdin.read()\n"
)


@pytest.mark.parametrize("folder", [False, True])
@pytest.mark.skipif(sys.platform == "win32", reason="no locks")
def test_the_next_writer_removes_what_a_killed_one_left_and_nothing_else(tmp_path: Path, folder: bool) -> None:
    target = tmp_path / "target"
    command = [sys.executable, "-c", _HOLD, str(target), str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        left = Path(holder.stdout.readline().strip())
        if folder:
            (left / "part").write_text("x")
        with temporary(tmp_path / "other"), temporary(target, folder=folder) as own:
            assert left.exists(), "it is in use"
            assert os.path.exists(own)
        holder.kill()
        holder.wait()
    assert left.exists()
    with temporary(tmp_path / "other", folder=folder):
        assert left.exists(), "it belongs to another target"
    with temporary(target, folder=folder):
        assert not left.exists()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", [False, True])
def test_a_link_under_the_name_of_a_leftover_is_not_followed(tmp_path: Path, folder: bool) -> None:
    kept = tmp_path / "kept"
    if folder:
        kept.mkdir()
    else:
        kept.write_text("x")
    with temporary(tmp_path / "target") as path:
        name = path[:-8] + "00000000"
    os.symlink(kept, name)
    with temporary(tmp_path / "target"):
        assert kept.exists()
        assert os.path.islink(name)


@pytest.mark.skipif(sys.platform == "win32", reason="no locks")
@pytest.mark.parametrize("folder", [False, True])
def test_a_process_keeps_its_own_where_locks_do_not_exclude_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: bool
) -> None:
    monkeypatch.setattr("fcntl.flock", lambda *_: None)  # as where it stands for the lock of a process
    with temporary(tmp_path / "target", folder=folder) as first, temporary(tmp_path / "target") as second:
        assert os.path.exists(first)
        assert os.path.exists(second)


def test_what_another_writer_takes_for_a_leftover_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([False, True])
    monkeypatch.setattr(temporaries, "_lock", lambda _: next(answers))
    with temporary(tmp_path / "target") as path:
        first, second = sorted(tmp_path.iterdir(), key=lambda made: made == Path(path))
        assert second == Path(path)
    assert list(tmp_path.iterdir()) == [first], "it is removed by who has locked it"


def test_names_stay_short_whatever_the_target(tmp_path: Path) -> None:
    with temporary(tmp_path / ("ä" * 127)) as path:
        assert len(os.path.basename(path)) <= 35


def test_what_is_pending_can_be_removed_at_once(tmp_path: Path) -> None:
    with temporary(tmp_path / "a"), temporary(tmp_path / "b", folder=True) as folder:
        Path(folder, "part").write_text("x")
        remove_pending()
        assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no locks")
def test_a_locked_folder_is_not_locked_again(tmp_path: Path) -> None:
    with lock(tmp_path) as held, lock(tmp_path) as again:
        assert (held, again) == (True, False)
    with lock(tmp_path) as held:
        assert held


@pytest.mark.skipif(sys.platform == "win32", reason="no locks")
def test_a_lock_is_waited_for_and_not_for_ever(tmp_path: Path) -> None:
    with lock(tmp_path), lock(tmp_path, 0.1) as held:
        assert not held
    command = [sys.executable, "-c", _LOCK, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        threading.Timer(0.3, holder.kill).start()
        with lock(tmp_path, 60.0) as held:
            assert held
