"""``python -m treevote``, and the ``treevote`` command."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from contextlib import suppress

MOST_UNCOLLECTED = 300_000
"""Objects made before garbage is looked for: three times as many as modules and a model have, none of them garbage."""


def main() -> None:
    """Run the command line; before it is loaded and after its end, Ctrl-C ends the process at once.

    NumPy and SciPy each bring a library of linear algebra that starts a thread for each processor when it is loaded.
    The command line needs none of these threads, and they cost a tenth of a second each. A number that the user has set
    stays.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    codes: list[int] = []
    atexit.register(_end, codes)  # the first one to be registered is the last one to be called
    gc.set_threshold(MOST_UNCOLLECTED)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from treevote.cli import main as run

    try:
        run()
    except SystemExit as stop:
        if isinstance(stop.code, int):
            codes.append(stop.code)
        raise


def _end(codes: list[int]) -> None:
    """End the process at once with its exit code, if it has one.

    To take all modules and their compiled code apart, as Python does, takes as long as to load a model.
    """
    with suppress(Exception):  # a stream that cannot be written to is left to Python
        for code in codes:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)


if __name__ == "__main__":
    main()
