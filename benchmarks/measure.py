"""A command as a process of its own: its output, its processor time and its peak of memory."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from typing import NamedTuple

ONE_CORE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Settings that keep libraries of linear algebra on one core."""


class Run(NamedTuple):
    """A command that was run.

    Attributes
    ----------
    cpu : float
        Processor seconds, user and system, of the process and of its children that ended. The least of several runs is
        the one that other work on the machine disturbed least.
    peak : float
        MiB, the largest process.
    output : str
        Its standard output.
    """

    cpu: float
    peak: float
    output: str


def run(command: Sequence[str], text: str = "") -> Run:
    r"""Run a command that may read a text from its standard input.

    Raises
    ------
    RuntimeError
        If it fails; with what it wrote to standard error.

    Examples
    --------
    >>> import sys
    >>> run([sys.executable, "-c", "print(sum(map(int, input())))"], "12345").output
    '15\n'
    """
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        given.write(text.encode())
        given.seek(0)
        process = subprocess.Popen(command, env={**os.environ, **ONE_CORE}, stdin=given, stdout=output, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            said = errors.read().decode("utf-8", "replace")[-2000:]
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {said}")
        return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output.read().decode())
