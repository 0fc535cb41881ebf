"""Make ``tests.reference`` importable, drop stale compiled kernels, and give hypothesis one profile."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

ROOT = Path(__file__).parent.parent

sys.path.insert(0, str(ROOT))

# No deadline, since kernels compile on first use; the same examples every time.
settings.register_profile("treevote", deadline=None, derandomize=True)
settings.load_profile("treevote")


def drop_stale_kernels() -> None:
    """Delete compiled kernels that are older than any source.

    numba looks at the file of a kernel alone and not at those of the kernels that it calls.
    """
    folders = [ROOT / "src" / "treevote", ROOT / "models", ROOT / "ensemble", ROOT / "adaptation"]
    newest = max(source.stat().st_mtime for folder in folders for source in folder.rglob("*.py"))
    for folder in folders:
        for index in [*folder.rglob("*.nbi"), *folder.rglob("*.nbc")]:
            if index.stat().st_mtime < newest:
                index.unlink(missing_ok=True)


drop_stale_kernels()
