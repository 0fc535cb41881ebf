"""``python -m treevote``, and the ``treevote`` command."""

from __future__ import annotations

import signal


def main() -> None:
    """Run the command line; until it is loaded, Ctrl-C ends the process at once."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from treevote.cli import main as run

    signal.signal(signal.SIGINT, before)
    run()


if __name__ == "__main__":
    main()
