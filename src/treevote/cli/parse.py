"""Arguments of ``treevote parse``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from treevote.cli.options import Backend, Confidence, FileFormat, Model, NJobs, Output, Support


def parse(
    model: Model,
    inputs: Annotated[
        list[str], typer.Argument(metavar="INPUT...", help="Files to parse; - is standard input.", show_default=False)
    ],
    output: Output = "-",
    member: Annotated[
        str | None, typer.Option(metavar="NAME", help="Parse with this member alone.", show_default=False)
    ] = None,
    jobs: NJobs = 1,
    backend: Backend = None,
    support: Support = False,
    confidence: Confidence = False,
    on_error: Annotated[
        Literal["stop", "skip", "keep"],
        typer.Option(help="Stop at a faulty sentence, leave it out, or keep it unparsed."),
    ] = "stop",
    format: FileFormat = "auto",
) -> None:
    """Parse files; all but HEAD and DEPREL comes back as it was."""
    from treevote.commands.parse import parse_files
    from treevote.parallel import Jobs
    from treevote.terminal import progress_shown, say

    with progress_shown() as progress:
        summary = parse_files(
            model,
            inputs,
            output,
            member=member,
            support=support,
            confidence=confidence,
            on_error=on_error,
            format=format,
            jobs=Jobs(jobs, backend, progress),
        )
    say(str(summary))
