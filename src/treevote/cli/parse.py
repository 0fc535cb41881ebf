"""Arguments of ``treevote parse``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from treevote.cli.options import (
    AllFaults,
    Backend,
    Confidence,
    FileFormat,
    Json,
    Model,
    NJobs,
    Output,
    Support,
    choice_option,
    command_line,
    guard_option,
    require_file,
)


def parse(
    model: Model,
    inputs: Annotated[list[str], typer.Argument(metavar="INPUT...", help="Files to parse; - is standard input.")],
    format: FileFormat = "auto",
    member: Annotated[str | None, choice_option(metavar="NAME", help="Parse with this member alone.")] = None,
    on_error: Annotated[
        Literal["stop", "skip", "keep"],
        guard_option(help="Stop at a faulty sentence, leave it out, or keep it unparsed."),
    ] = "stop",
    all_faults: AllFaults = False,
    strict: Annotated[
        bool,
        guard_option("--strict", help="Stop (exit code 3) at text without known tags, or in another language."),
    ] = False,
    jobs: NJobs = 1,
    backend: Backend = None,
    output: Output = "-",
    support: Support = False,
    confidence: Confidence = False,
    json: Json = False,
) -> None:
    """Parse files; everything but HEAD and DEPREL is kept as it is."""
    from treevote.commands.faults import require_no_faults
    from treevote.commands.parse import as_json, parse_files
    from treevote.errors import TreevoteError
    from treevote.parallel import Jobs
    from treevote.terminal import fault, notice, progress_shown, say, tell, warn

    require_file(json, output)
    if all_faults:
        require_no_faults({"ignored": inputs}, fault, format=format)

    def refuse(doubt: str) -> None:
        fault(TreevoteError(doubt))
        raise typer.Exit(3)

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
            on_doubt=refuse if strict else warn,
        )
    if json:
        tell(as_json(summary, output, command_line()))
    else:
        say(str(summary))
    if summary.fallbacks:
        notice(f"{summary.fallbacks:,} times a bounded search was cut short and completed by a simpler one")
