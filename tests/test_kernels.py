"""A compiled kernel is used again only while nothing that it was compiled from has changed, and wherever it is kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numba.core import caching

from treevote import compilation, kernel_files
from treevote.compilation import Compiled
from treevote.kernels import kernel

_INNER = "from treevote.kernels import kernel\n{constant}\n@kernel\ndef inner(x):\n    return x + {added}\n"
_OUTER = (
    "from treevote.kernels import kernel\nfrom {inner} import inner\n@kernel\ndef outer(x):\n    return 2 * inner(x)\n"
)
_RUN = """
import first, second
for kernel in (first.outer, second.outer):
    print(kernel(1), sum(kernel.stats.cache_hits.values()), sum(kernel.stats.cache_misses.values()))
"""


def run(folder: Path, added: int, constant: int) -> list[tuple[int, ...]]:
    """Return results of two kernels in a new process, and how often each was found or not found compiled.

    The number that is added stands in the kernel that the first one calls, and in a constant of the one that the second
    one calls.
    """
    (folder / "plain.py").write_text(_INNER.format(constant="", added=added))
    (folder / "named.py").write_text(_INNER.format(constant=f"STEP = {constant}", added="STEP"))
    for outer, inner in (("first", "plain"), ("second", "named")):
        (folder / f"{outer}.py").write_text(_OUTER.format(inner=inner))
    done = subprocess.run([sys.executable, "-c", _RUN], cwd=folder, capture_output=True, text=True, check=True)
    return [tuple(map(int, line.split())) for line in done.stdout.splitlines()]


def test_a_kernel_is_compiled_again_only_when_something_that_it_calls_was_edited(tmp_path: Path) -> None:
    assert run(tmp_path, 1, 5) == [(4, 0, 1), (12, 0, 1)]
    assert run(tmp_path, 1, 5) == [(4, 1, 0), (12, 1, 0)]
    assert run(tmp_path, 5, 5) == [(12, 0, 1), (12, 1, 0)]
    assert run(tmp_path, 5, 7) == [(12, 1, 0), (16, 0, 1)]


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """Remove what an earlier run kept beside this file."""
    for file in Path(__file__).parent.glob("__pycache__/*double*.nbc"):
        file.unlink()


def heard(locators: list[Any], monkeypatch: pytest.MonkeyPatch) -> list[Compiled]:
    """Compile a kernel that may be kept in some places; return what is told."""

    def double(x: int) -> int:
        return 2 * x

    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", locators)
    told: list[Compiled] = []
    with compilation.listened(told.append):
        assert kernel(double)(21) == 42
    return told


def test_where_no_folder_can_be_written_to_kernels_are_compiled_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = heard([], monkeypatch)
    assert after.done == before.done + 1
    assert after.folder == kernel_files.kernels_folder() == ""


def test_the_folder_of_the_user_is_used_where_that_of_the_source_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    _, after = heard([caching.UserWideCacheLocator], monkeypatch)
    assert after.folder.startswith(str(tmp_path))
    assert len(list(Path(after.folder).rglob("*double*.nbc"))) == 1


def test_kernels_beside_a_source_that_cannot_be_written_to_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    heard([caching.InTreeCacheLocator], monkeypatch)
    assert heard([], monkeypatch) == []


def test_a_damaged_file_of_a_kernel_is_compiled_again(tmp_path: Path) -> None:
    assert run(tmp_path, 1, 5) == [(4, 0, 1), (12, 0, 1)]
    for file in tmp_path.rglob("first.outer.*.nbc"):
        file.write_bytes(file.read_bytes()[:100])
    for file in tmp_path.rglob("second.outer.*.nbc"):
        file.write_bytes(b"")
    assert run(tmp_path, 1, 5) == [(4, 0, 1), (12, 0, 1)]
    assert run(tmp_path, 1, 5) == [(4, 1, 0), (12, 1, 0)]


def test_kernels_of_other_sources_are_removed(tmp_path: Path) -> None:
    run(tmp_path, 1, 5)
    before = sorted(file.name for file in tmp_path.rglob("*.nbc"))
    run(tmp_path, 2, 5)
    after = sorted(file.name for file in tmp_path.rglob("*.nbc"))
    assert len(before) == len(after)
    assert before != after
