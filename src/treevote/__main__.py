"""``python -m treevote``, and the ``treevote`` command."""

from __future__ import annotations

import signal


def main() -> None:
    """Run the command line; before it is loaded and after its end, Ctrl-C ends the process at once."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from treevote.cli import main as run

    run()


if __name__ == "__main__":
    main()
