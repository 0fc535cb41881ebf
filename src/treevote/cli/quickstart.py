"""Arguments of ``treevote quickstart``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from treevote.cli import options


def quickstart(
    output: Annotated[
        Path, options.output("--output", "-o", metavar="DIR", help="Folder for the model and the parses.")
    ] = Path("treevote-quickstart"),
    from_text: Annotated[
        bool, options.choice("--from-text", help="Train and test a model that reads raw text, too.")
    ] = False,
    jobs: options.NJobs = 1,
    backend: options.Backend = None,
) -> None:
    """Train, parse, adapt and score on the default data."""
    from treevote.commands.quickstart import quickstart as run
    from treevote.terminal import tell

    with options.running(jobs, backend) as running:
        result = run(output, from_text=from_text, jobs=running)
    tell(str(result))
