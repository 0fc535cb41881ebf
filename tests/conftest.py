"""Make ``tests.reference`` importable, and give hypothesis one profile."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

ROOT = Path(__file__).parent.parent

sys.path.insert(0, str(ROOT))

# No deadline, since kernels compile on first use; the same examples every time.
settings.register_profile("treevote", deadline=None, derandomize=True)
settings.load_profile("treevote")
