"""A compiled kernel is used again only while nothing that it was compiled from has changed, and wherever it is kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote import compilation, kernel_files
from treevote.compilation import CompilationState
from treevote.errors import TreevoteError
from treevote.kernel_files import KernelFiles, digest, is_private, kernels_folder
from treevote.kernels import kernel

_INNER = "from treevote.kernels import kernel\n{constant}\n@kernel\ndef inner(x):\n    return x + {added}\n"
_OUTER = (
    "from treevote.kernels import kernel\nfrom {inner} import inner\n@kernel\ndef outer(x):\n    return 2 * inner(x)\n"
)
_RUN = """
import first, second
from treevote import compilation
for kernel in (first.outer, second.outer):
    before = compilation.state().done
    print(kernel(1), compilation.state().done - before)
"""


def python(folder: Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a new process that keeps kernels in a folder within the given one.

    It keeps no bytecode: Python takes a source of the same second and size for unchanged.
    """
    own = {**os.environ, "TREEVOTE_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, env=own)


def write_kernels(folder: Path, added: int, constant: int) -> None:
    """Write two kernels; the number that is added stands in the kernel that the first one calls, and in a constant of
    the one that the second one calls.
    """
    (folder / "plain.py").write_text(_INNER.format(constant="", added=added))
    (folder / "named.py").write_text(_INNER.format(constant=f"STEP = {constant}", added="STEP"))
    for outer, inner in (("first", "plain"), ("second", "named")):
        (folder / f"{outer}.py").write_text(_OUTER.format(inner=inner))


def run(folder: Path, added: int, constant: int, **environment: str) -> list[tuple[int, bool]]:
    """Return results of two kernels in a new process, and whether each was compiled."""
    write_kernels(folder, added, constant)
    lines = [line.split() for line in python(folder, _RUN, **environment).stdout.splitlines()]
    return [(int(result), made == "1") for result, made in lines]


def kept(folder: Path, name: str = "*") -> list[Path]:
    """Return the files of kept kernels."""
    return sorted(folder.glob(f"cache/*/{name}.*/__pycache__/*.nb?"))


NEW, KEPT = [(4, True), (12, True)], [(4, False), (12, False)]


def test_a_kernel_is_compiled_again_only_when_something_that_it_calls_was_edited(tmp_path: Path) -> None:
    assert run(tmp_path, 1, 5) == NEW
    assert run(tmp_path, 1, 5) == KEPT
    assert run(tmp_path, 5, 5) == [(12, True), (12, False)]
    assert run(tmp_path, 5, 7) == [(12, False), (16, True)]
    assert run(tmp_path, 1, 5) == KEPT
    written = {file: file.stat().st_mtime_ns for file in kept(tmp_path)}
    for path in tmp_path.glob("*.py"):
        path.write_text(path.read_text() + "# a remark\n")
    assert python(tmp_path, _RUN).stdout.split() == ["4", "0", "12", "0"]
    assert {file: file.stat().st_mtime_ns for file in kept(tmp_path)} == written


def test_of_several_processes_at_once_one_compiles_each_kernel(tmp_path: Path) -> None:
    write_kernels(tmp_path, 1, 5)
    own = {**os.environ, "TREEVOTE_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", _RUN]
    processes = [subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env=own) for _ in range(3)]
    found = [process.communicate()[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert [(first, second) for first, _, second, _ in found] == [("4", "12")] * 3
    for made in ([one[1] for one in found], [one[3] for one in found]):
        assert sorted(made) == ["0", "0", "1"] or os.name == "nt"  # which has no locks
    assert run(tmp_path, 1, 5) == KEPT


def test_nothing_is_kept_beside_the_source(tmp_path: Path) -> None:
    run(tmp_path, 1, 5)
    assert len(kept(tmp_path)) == 4
    assert [file for file in tmp_path.rglob("*.nb?") if tmp_path / "cache" not in file.parents] == []


def test_a_damaged_cut_or_foreign_file_is_compiled_again(tmp_path: Path) -> None:
    run(tmp_path, 1, 5)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        for file in kept(tmp_path, "first.outer"):
            content = bytearray(file.read_bytes())
            content[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
            file.write_bytes(content)
        (index, code) = kept(tmp_path, "second.outer")[::-1]
        damaged = (code, b""), (code, code.read_bytes()[:100]), (index, b"\x80\x04."), (code, index.read_bytes())
        damaged[seed][0].write_bytes(damaged[seed][1])
        assert run(tmp_path, 1, 5) == NEW
    assert run(tmp_path, 1, 5) == KEPT


def test_damaged_checksums_compile_again(tmp_path: Path) -> None:
    run(tmp_path, 1, 5)
    for content in ("", "[" * 100_000, '{"a": 1}'):
        for file in tmp_path.glob("cache/*/*/checksums.json"):
            file.write_text(content)
        assert run(tmp_path, 1, 5) == NEW
    assert run(tmp_path, 1, 5) == KEPT


@pytest.mark.skipif(os.name == "nt", reason="rights are those of POSIX")
def test_files_that_others_may_write_to_are_not_used(tmp_path: Path) -> None:
    run(tmp_path, 1, 5)
    kept(tmp_path, "first.outer")[0].chmod(0o666)
    assert run(tmp_path, 1, 5) == [(4, True), (12, False)]
    (tmp_path / "cache").chmod(0o777)
    assert not is_private(tmp_path / "cache")
    home = {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": ""}
    assert run(tmp_path, 1, 5, **home) == NEW
    assert run(tmp_path, 1, 5, **home) == KEPT


def test_where_numba_sends_its_files_elsewhere_they_are_checked_too(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    assert run(tmp_path, 1, 5, NUMBA_CACHE_DIR=str(elsewhere)) == NEW
    assert run(tmp_path, 1, 5, NUMBA_CACHE_DIR=str(elsewhere)) == KEPT
    for file in elsewhere.rglob("*.nbc"):
        file.write_bytes(b"")
    assert run(tmp_path, 1, 5, NUMBA_CACHE_DIR=str(elsewhere)) == NEW


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return a set of folders, to be filled, that cannot be written to; the administrator could write to any."""
    folders: set[str] = set()
    can = kernel_files._can_be_written_to
    monkeypatch.setattr(kernel_files, "_can_be_written_to", lambda folder: str(folder) not in folders and can(folder))
    monkeypatch.setattr(kernel_files, "_kernels_folder", kernel_files._kernels_folder.__wrapped__)
    return folders


def heard() -> list[CompilationState]:
    """Compile a kernel; return what is told."""

    def double(x: int) -> int:
        return 2 * x

    told: list[CompilationState] = []
    with compilation.listened(told.append):
        assert kernel(double)(21) == 42
    return told


def test_where_no_folder_can_be_written_to_kernels_are_compiled_and_not_kept(
    closed: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TREEVOTE_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    closed.add(kernels_folder())
    before, after = heard()
    assert after.done == before.done + 1
    assert after.folder == kernels_folder() == ""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other cache folders")
def test_a_folder_that_is_not_absolute_is_not_used(
    closed: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TREEVOTE_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as without HOME and an entry in passwd
    assert kernels_folder() == ""
    monkeypatch.setenv("TREEVOTE_CACHE_DIR", "here")
    with pytest.raises(TreevoteError, match="expected an absolute path"):
        kernels_folder()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("has_home", [True, False])
def test_kernels_of_an_administrator_are_of_use_to_everybody(
    has_home: bool, closed: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREEVOTE_CACHE_DIR", str(tmp_path / "shared"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert len(heard()) == 2
    closed.add(str(tmp_path / "shared"))
    if not has_home:
        closed.add(kernels_folder())
    assert kernels_folder() != str(tmp_path / "shared")
    assert heard() == []
    shutil.rmtree(tmp_path / "shared")


def full(*_: object) -> None:
    """Do what the writing of a file on a full disk does."""
    raise OSError(28, "No space left on device")


def test_a_full_disk_makes_a_run_slower(closed: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREEVOTE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(kernel_files, "_write", full)
    assert len(heard()) == 2
    monkeypatch.undo()
    monkeypatch.setenv("TREEVOTE_CACHE_DIR", str(tmp_path / "other"))
    monkeypatch.setattr(os, "replace", full)
    assert len(heard()) == 2


@pytest.mark.parametrize("write", ["os.replace", "treevote.kernel_files._write"])
def test_a_kernel_for_whose_code_a_disk_has_no_space_is_counted_as_lost(
    write: str, closed: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREEVOTE_CACHE_DIR", str(tmp_path))
    before, after = heard()
    assert (after.done - before.done, after.lost - before.lost, after.folder) == (1, 0, str(tmp_path))
    for file in tmp_path.rglob("*.nb?"):
        file.unlink()
    monkeypatch.setattr(write, full)
    before, after = heard()
    assert (after.done - before.done, after.lost - before.lost, after.folder) == (1, 1, "")


def test_kernels_that_were_not_used_for_long_are_removed(tmp_path: Path) -> None:
    run(tmp_path, 1, 5)
    old, used = sorted(tmp_path.glob("cache/*/*.outer.*"))
    other = old.parents[1] / "0.0.1-numba-0.1-cpython-311" / "first.outer.0123"
    foreign = old.parents[1] / "another-program" / "folder"  # where all programs of a user have their caches
    long_ago = time.time() - (kernel_files.UNUSED_DAYS + 1) * 24 * 3600
    for folder in (old, other, foreign):
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder, (long_ago, long_ago))
    write_kernels(tmp_path, 1, 7)
    python(tmp_path, "import second; second.outer(1)")
    assert used.exists()
    assert not old.exists()
    assert not other.parent.exists()
    assert foreign.exists()


@given(st.integers(0, 99), st.integers(0, 1999))
def test_a_table_among_the_constants_counts_to_its_end(seed: int, place: int) -> None:
    def checksum(table: np.ndarray) -> str:
        scope: dict[str, object] = {"table": table.copy()}
        exec("def total(i): return table[i]", scope)
        return digest(scope["total"])  # type: ignore[arg-type]

    values = np.random.default_rng(seed).integers(4, size=2000)
    other = values.copy()
    other[place] += 1
    assert checksum(values) == checksum(values) != checksum(other)


_KINDS = """
from typing import NamedTuple
import numpy as np
from treevote.kernels import kernel, leaf, prefetch

class Pair(NamedTuple):
    left: np.ndarray
    right: int

@kernel
def pair(table, number):
    left = np.zeros((2, 2), np.int32)
    left[0, 1] = number
    return Pair(left, number + len(table))

@kernel
def mixed(one):
    return one.left.sum(), one.right > 2, one.right / 2, one.left

@leaf
def same(table):
    prefetch(table, 0)
    return table[-1]

@kernel
def refuse(number):
    if number > 1:
        raise ValueError("expected at most 1")
    return number
"""
_CALLS = """
import pickle, sys
import numpy as np
import kinds
from treevote import compilation
table = np.arange(6, dtype=np.int32)
print(kinds.pair(table, number=3), kinds.pair(table[::2], 3), kinds.pair(table.reshape(3, 2), 3))
print(kinds.mixed(kinds.Pair(np.ones((2, 2), np.int32), 3)), kinds.same(table), kinds.same(table / 4))
print(type(kinds.pair(table, 3)).__name__, kinds.refuse(True), kinds.refuse(np.int64(1)), kinds.refuse(0.5))
print(pickle.loads(pickle.dumps(kinds.same)) is kinds.same)
print(compilation.state().done, file=sys.stderr)
for wrong in (2, "1"):
    try:
        kinds.refuse(wrong)
    except Exception as error:
        print(type(error).__name__)
"""


def test_kept_code_returns_and_raises_what_code_compiled_now_does(tmp_path: Path) -> None:
    (tmp_path / "kinds.py").write_text(_KINDS)
    new, kept = (python(tmp_path, _CALLS) for _ in range(2))
    assert new.stdout == kept.stdout
    assert new.stdout.startswith("Pair(left=array([[0, 3],")
    assert new.stdout.endswith("True\nValueError\nTypingError\n")
    assert (new.stderr, kept.stderr) == ("9\n", "0\n")


def test_a_kernel_may_call_itself_and_be_called_by_python_and_by_kernels(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(
        "from treevote.kernels import leaf\n@leaf\ndef inner(n):\n    return 1 if n < 2 else n * inner(n - 1)\n"
    )
    (tmp_path / "first.py").write_text(_OUTER.format(inner="plain"))
    code = "import plain, first; print(plain.inner(5), first.outer(5), plain.inner(n=3))"
    assert [python(tmp_path, code).stdout for _ in range(2)] == ["120 240 6\n"] * 2


def test_a_map_of_a_file_gives_the_numbers_of_its_own_type(tmp_path: Path) -> None:
    def total(table: np.ndarray) -> float:
        result = 0.0
        for value in table:
            result += value
        return result

    compiled = kernel(total)
    for dtype in (np.int32, np.float32, np.int64, np.float32):
        table = np.memmap(tmp_path / "table", dtype, "w+", shape=3)
        table[:] = 1, 2, 3
        assert compiled(table) == 6.0


def test_the_files_of_a_kernel_are_named_by_its_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREEVOTE_CACHE_DIR", str(tmp_path))
    assert KernelFiles(python, {}).source != KernelFiles(python, {"_nrt": False}).source


def test_code_with_and_without_checks_of_bounds_are_two(monkeypatch: pytest.MonkeyPatch) -> None:
    def double(x: int) -> int:
        return 2 * x

    folders = set()
    for value in ("0", "1"):
        monkeypatch.setenv("NUMBA_BOUNDSCHECK", value)
        folders.add(KernelFiles(double, {}).source)
    assert len(folders) == 2


def test_code_for_classes_that_have_moved_is_compiled_again(tmp_path: Path) -> None:
    (tmp_path / "adding.py").write_text(
        "from treevote.kernels import kernel\n@kernel\ndef total(pair):\n    return pair.left + pair.right\n"
    )
    for home in ("former", "present"):
        (tmp_path / f"{home}.py").write_text(
            "from typing import NamedTuple\nclass Pair(NamedTuple):\n    left: int\n    right: int\n"
        )
    code = "from adding import total; from {} import Pair; print(total(Pair(1, 2)))"
    assert python(tmp_path, code.format("former")).stdout == "3\n"
    (tmp_path / "former.py").unlink()
    shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
    code += "; from treevote import compilation; print(compilation.state().done)"
    assert [python(tmp_path, code.format("present")).stdout for _ in range(3)] == ["3\n1\n", "3\n1\n", "3\n0\n"]


def test_two_folders_of_treevote_share_one_of_numba_and_two_of_numba_one_of_treevote(tmp_path: Path) -> None:
    ways = [
        {"NUMBA_CACHE_DIR": str(tmp_path / numba), "TREEVOTE_CACHE_DIR": str(tmp_path / own)}
        for numba, own in (("a", "1"), ("a", "2"), ("b", "2"))
    ]
    assert [run(tmp_path, 1, 5, **way) for way in ways] == [NEW] * 3
    assert [run(tmp_path, 1, 5, **way) for way in ways] == [KEPT] * 3


def test_a_setting_that_numba_refuses_is_told_in_one_sentence(tmp_path: Path) -> None:
    write_kernels(tmp_path, 1, 5)
    code = "import first, treevote as t\ntry:\n    first.outer(1)\nexcept t.TreevoteError as error:\n    print(error)"
    told = python(tmp_path, code, NUMBA_NUM_THREADS="0").stdout
    assert told.startswith("numba, which compiles the kernels, does not start (Number of threads")
    assert told.count("\n") == 1
