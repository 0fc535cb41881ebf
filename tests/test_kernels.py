"""A compiled kernel is used again only while nothing that it was compiled from has changed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_INNER = "from treevote.kernels import kernel\n{constant}\n@kernel\ndef inner(x):\n    return x + {added}\n"
_OUTER = (
    "from treevote.kernels import kernel\nfrom inner import inner\n@kernel\ndef outer(x):\n    return 2 * inner(x)\n"
)
_RUN = (
    "from outer import outer\nresult = outer(1)\n"
    "print(result, sum(outer.stats.cache_hits.values()), sum(outer.stats.cache_misses.values()))"
)


def run(folder: Path, added: str, constant: str = "") -> tuple[int, ...]:
    """Return the result of the outer kernel in a new process, and how often it was found or not found compiled."""
    (folder / "inner.py").write_text(_INNER.format(constant=constant, added=added))
    (folder / "outer.py").write_text(_OUTER)
    done = subprocess.run([sys.executable, "-c", _RUN], cwd=folder, capture_output=True, text=True, check=True)
    return tuple(map(int, done.stdout.split()))


def test_a_kernel_is_compiled_again_only_when_something_that_it_calls_was_edited(tmp_path: Path) -> None:
    assert run(tmp_path, "1") == (4, 0, 1)
    assert run(tmp_path, "1") == (4, 1, 0)
    assert run(tmp_path, "5") == (12, 0, 1)
    assert run(tmp_path, "STEP", "STEP = 5") == (12, 0, 1)
    assert run(tmp_path, "STEP", "STEP = 7") == (16, 0, 1)
    assert run(tmp_path, "STEP", "STEP = 7") == (16, 1, 0)
