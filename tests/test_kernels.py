"""A compiled kernel is used again only while nothing that it was compiled from has changed, and wherever it is kept."""

from __future__ import annotations

import subprocess
import sys
from itertools import accumulate
from operator import or_
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote import compilation, kernel_files
from treevote.compilation import Compiled
from treevote.kernels import kernel, kind_of

_INNER = "from treevote.kernels import kernel\n{constant}\n@kernel\ndef inner(x):\n    return x + {added}\n"
_OUTER = (
    "from treevote.kernels import kernel\nfrom {inner} import inner\n@kernel\ndef outer(x):\n    return 2 * inner(x)\n"
)
_RUN = """
import sys
import first, second
from treevote import compilation
for kernel in (first.outer, second.outer):
    before = compilation.state().done
    print(kernel(1), compilation.state().done - before, "numba" in sys.modules)
"""


def run(folder: Path, added: int, constant: int) -> list[tuple[int, bool]]:
    """Return results of two kernels in a new process, and whether each was compiled.

    The number that is added stands in the kernel that the first one calls, and in a constant of the one that the second
    one calls.
    """
    (folder / "plain.py").write_text(_INNER.format(constant="", added=added))
    (folder / "named.py").write_text(_INNER.format(constant=f"STEP = {constant}", added="STEP"))
    for outer, inner in (("first", "plain"), ("second", "named")):
        (folder / f"{outer}.py").write_text(_OUTER.format(inner=inner))
    done = subprocess.run([sys.executable, "-c", _RUN], cwd=folder, capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [loaded == "True" for *_, loaded in lines] == list(accumulate((made == "1" for _, made, _ in lines), or_))
    return [(int(result), made == "1") for result, made, _ in lines]


def test_a_kernel_is_compiled_again_only_when_something_that_it_calls_was_edited(tmp_path: Path) -> None:
    assert run(tmp_path, 1, 5) == [(4, True), (12, True)]
    assert run(tmp_path, 1, 5) == [(4, False), (12, False)]
    assert run(tmp_path, 5, 5) == [(12, True), (12, False)]
    assert run(tmp_path, 5, 7) == [(12, False), (16, True)]


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """Remove what an earlier run kept beside this file."""
    for file in Path(__file__).parent.glob("__pycache__/*double*.nbc"):
        file.unlink()


def heard(where: str | None, monkeypatch: pytest.MonkeyPatch) -> list[Compiled]:
    """Compile a kernel where only folders that contain a name can be written to; return what is told."""

    def double(x: int) -> int:
        return 2 * x

    can = kernel_files._can_be_written_to
    monkeypatch.setattr(
        kernel_files, "_can_be_written_to", lambda folder: where is not None and where in folder and can(folder)
    )
    told: list[Compiled] = []
    with compilation.listened(told.append):
        assert kernel(double)(21) == 42
    return told


def test_where_no_folder_can_be_written_to_kernels_are_compiled_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = heard(None, monkeypatch)
    assert after.done == before.done + 1
    assert after.folder == kernel_files.kernels_folder() == ""


def test_the_folder_of_the_user_is_used_where_that_of_the_source_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    _, after = heard(str(tmp_path), monkeypatch)
    assert after.folder.startswith(str(tmp_path))
    assert len(list(Path(after.folder).rglob("*double*.nbc"))) == 1


def test_kernels_beside_a_source_that_cannot_be_written_to_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    heard("__pycache__", monkeypatch)
    assert heard(None, monkeypatch) == []


def test_a_damaged_file_of_a_kernel_is_compiled_again(tmp_path: Path) -> None:
    assert run(tmp_path, 1, 5) == [(4, True), (12, True)]
    for file in tmp_path.rglob("first.outer.*.nbc"):
        file.write_bytes(file.read_bytes()[:100])
    for file in tmp_path.rglob("second.outer.*.nbc"):
        file.write_bytes(b"")
    assert run(tmp_path, 1, 5) == [(4, True), (12, True)]
    assert run(tmp_path, 1, 5) == [(4, False), (12, False)]


def test_kernels_of_other_sources_are_removed(tmp_path: Path) -> None:
    run(tmp_path, 1, 5)
    before = sorted(file.name for file in tmp_path.rglob("*.nbc"))
    run(tmp_path, 2, 5)
    after = sorted(file.name for file in tmp_path.rglob("*.nbc"))
    assert len(before) == len(after)
    assert before != after


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
print(compilation.state().done, "numba" in sys.modules, file=sys.stderr)
for wrong in (2, "1"):
    try:
        kinds.refuse(wrong)
    except Exception as error:
        print(type(error).__name__)
"""


def test_kept_code_returns_and_raises_what_code_compiled_now_does(tmp_path: Path) -> None:
    (tmp_path / "kinds.py").write_text(_KINDS)
    command = [sys.executable, "-c", _CALLS]
    new, kept = (subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True) for _ in range(2))
    assert new.stdout == kept.stdout
    assert new.stdout.startswith("Pair(left=array([[0, 3],")
    assert new.stdout.endswith("True\nValueError\nTypingError\n")
    assert (new.stderr, kept.stderr) == ("9 True\n", "0 False\n")


def test_code_from_disk_and_code_compiled_into_other_code_agree(tmp_path: Path) -> None:
    run(tmp_path, 1, 5)
    code = "import plain, first; print(plain.inner(2), first.outer(2), plain.inner(2.5), first.outer(2.5))"
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["3", "6", "3.5", "7.0"]
        for file in tmp_path.rglob("first.outer.*.nbc"):
            file.unlink()


@pytest.mark.parametrize(
    "code",
    [
        "import numba; import first, second; print(first.outer(1), second.outer(1))",
        "import first, second; a = first.outer(1); import numba, numpy as np\n"
        "made = numba.njit(lambda n: np.ones(n))(3)\n"
        "print(a if made.sum() == 3 else made, second.outer(1))",
    ],
)
def test_code_from_disk_and_code_of_numba_live_together(code: str, tmp_path: Path) -> None:
    run(tmp_path, 1, 5)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "4 12\n"


@given(st.integers(-(2**63), 2**63 - 1), st.booleans(), st.floats(allow_nan=False))
def test_the_kind_of_a_number_does_not_depend_on_who_made_it(whole: int, truth: bool, real: float) -> None:
    assert kind_of((whole, truth, real)) == kind_of((np.int64(whole), np.bool_(truth), np.float64(real)))


def test_the_kind_of_an_array_is_what_machine_code_depends_on() -> None:
    table = np.zeros((2, 3), np.int32)
    frozen = table.copy()
    frozen.flags.writeable = False
    others = table.T, table[:, ::2], table.astype(np.int64), table[0], frozen, table.astype(">i4")
    assert len({kind_of(array) for array in (table, *others)}) == 7
    assert kind_of(table[:1]) == kind_of(table) == kind_of(np.ones((1, 1), np.int32))
