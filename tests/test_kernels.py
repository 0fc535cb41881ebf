"""A compiled kernel is used again only while nothing that it was compiled from has changed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
