"""Arguments of ``treevote quickstart``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from treevote.cli.options import Backend, NJobs, output_option


def quickstart(
    output: Annotated[
        Path, output_option("--output", "-o", metavar="DIR", help="Folder for the model and the parses.")
    ] = Path("treevote-quickstart"),
    jobs: NJobs = 1,
    backend: Backend = None,
) -> None:
    """Train, parse, adapt and score on the default data."""
    from treevote.commands.quickstart import quickstart as run
    from treevote.parallel import Jobs
    from treevote.terminal import progress_shown, tell

    with progress_shown() as progress:
        result = run(output, jobs=Jobs(jobs, backend, progress))
    tell(str(result))
