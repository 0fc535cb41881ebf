"""Make ``tests.reference`` importable, let commands heed signals, give hypothesis a profile and each process a core."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
from hypothesis import settings

from treevote import terminal

ROOT = Path(__file__).parent.parent

sys.path.insert(0, str(ROOT))

# There is a process for each core already.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# No deadline, since kernels compile on first use; the same examples every time.
settings.register_profile("treevote", deadline=None, derandomize=True)
settings.load_profile("treevote")

# Signals that are ignored, as in the background or after nohup, would be ignored by every command that a test starts.
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    number = getattr(signal, name, None)
    if number is not None and signal.getsignal(number) is signal.SIG_IGN:
        with suppress(ValueError):  # not in the main thread
            signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def _silent_compilation() -> Iterator[None]:
    """Say nothing of compilation: what a command says would depend on the kernels that this machine has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terminal, "_announced", True)
        patch.setattr(terminal, "listened", lambda listener: nullcontext())
        yield
