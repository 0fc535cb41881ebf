"""Arguments of ``treevote quickstart``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treevote.cli.options import Backend, NJobs


def quickstart(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the model and the parses.")
    ] = Path("treevote-quickstart"),
    jobs: NJobs = 1,
    backend: Backend = None,
) -> None:
    """Train, parse and score on the data that comes along."""
    from treevote.commands.quickstart import quickstart as run
    from treevote.parallel import Jobs
    from treevote.terminal import progress_shown, tell

    with progress_shown() as progress:
        result = run(output, jobs=Jobs(jobs, backend, progress))
    tell(str(result))
