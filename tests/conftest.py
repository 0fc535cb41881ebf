"""Make ``tests.reference`` importable, and give hypothesis one profile: no deadline, since kernels compile on first use."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent.parent))

settings.register_profile("treevote", deadline=None, derandomize=True)
settings.load_profile("treevote")
