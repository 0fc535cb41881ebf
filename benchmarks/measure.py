"""The cost of a command: a process of its own, its processor time and its peak of memory."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

ONE_CORE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Settings that keep libraries of linear algebra on one core."""


class Cost(NamedTuple):
    """The cost of one command.

    Attributes
    ----------
    cpu : float
        Processor seconds, user and system, of the process and of its children that ended.
    wall : float
        Seconds.
    peak : float
        MiB, the largest process.
    code : int
        Exit code.
    """

    cpu: float
    wall: float
    peak: float
    code: int


def cost(command: Sequence[str], more: Mapping[str, str] | None = None, *, fails: bool = False) -> Cost:
    """Run a command and return its cost.

    Parameters
    ----------
    command : sequence of str
    more : mapping of str to str, optional
        Environment variables, besides those of this process.
    fails : bool, default=False
        Whether the command is expected to fail.

    Raises
    ------
    RuntimeError
        If it fails, or does not though expected; with what it wrote to standard error.

    Examples
    --------
    >>> import sys
    >>> cost([sys.executable, "-c", "sum(range(10))"]).code
    0
    """
    start = time.monotonic()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, env={**os.environ, **ONE_CORE, **(more or {})}, stdout=subprocess.DEVNULL, stderr=errors
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
        if bool(process.returncode) != fails:
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace")[-2000:]
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {said}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, process.returncode)


def cheapest(costs: Sequence[Cost]) -> Cost:
    """Return the run that took least processor time: the one that other work on the machine disturbed least."""
    return min(costs)
