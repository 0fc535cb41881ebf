"""Arguments of ``treevote quickstart``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from treevote.cli.options import Backend, NJobs, choice_option, output_option


def quickstart(
    output: Annotated[
        Path, output_option("--output", "-o", metavar="DIR", help="Folder for the model and the parses.")
    ] = Path("treevote-quickstart"),
    from_text: Annotated[
        bool, choice_option("--from-text", help="Train and test a model that reads raw text, too.")
    ] = False,
    jobs: NJobs = 1,
    backend: Backend = None,
) -> None:
    """Train, parse, adapt and score on the default data."""
    from treevote.commands.quickstart import quickstart as run
    from treevote.parallel import Jobs
    from treevote.terminal import progress_shown, tell

    with progress_shown() as progress:
        result = run(output, from_text=from_text, jobs=Jobs(jobs, backend, progress))
    tell(str(result))
