"""``treevote parse --output-dir``."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import typer

from treevote.cli.options import command_line

SOME_FAULTY = 4
"""Exit code after a run in which some files had a fault."""


def require_output_dir(given: Mapping[str, object]) -> None:
    """Raise ConfigError for options that only go with ``--output-dir``."""
    from treevote.errors import ConfigError

    for option, value in given.items():
        if value:
            raise ConfigError(f"{option} goes with --output-dir; give that, too, or leave out {option}")


def notice_fallbacks(number: int) -> None:
    """Tell how often a search fell back on a simpler one, if it did."""
    from treevote.terminal import notice

    if number:
        notice(f"{number:,} times a bounded search was cut short and completed by a simpler one")


def parse_folder(
    model: str,
    inputs: list[str],
    folder: str,
    *,
    given: Mapping[str, bool],
    jobs: tuple[int, str | None, str | None],
    as_json: bool,
    **options: Any,
) -> None:
    """Run the command: jobs are their number, their backend, and the address of a cluster."""
    from treevote.commands import parse_folder as command
    from treevote.commands.parse_progress import status_shown
    from treevote.errors import ConfigError
    from treevote.parallel import Jobs, cluster
    from treevote.terminal import fault, say, tell, warn

    for option, value in given.items():
        if value:
            raise ConfigError(f"{option} does not go with --output-dir; leave out one of them")
    n_jobs, backend, address = jobs
    with status_shown() as progress, cluster(address) if address else nullcontext():
        summary = command.parse_folder(
            model, inputs, folder, jobs=Jobs(-1) if address else Jobs(n_jobs, backend), progress=progress, **options
        )
    for _, problem in summary.faulty:
        fault(problem)
    if summary.doubtful:
        path, reason = summary.doubtful[0]
        others = f" (and {len(summary.doubtful) - 1:,} other files, see --json)" if len(summary.doubtful) > 1 else ""
        warn(f"{path}: {reason}{others}")
    if summary.links:
        others = f" (and {len(summary.links) - 1:,} more, see --json)" if len(summary.links) > 1 else ""
        warn(f"{summary.links[0]}{others}: links to folders are not followed; name them as inputs to parse their files")
    if as_json:
        tell(command.as_json(summary, command_line()))
    say(str(summary))
    notice_fallbacks(summary.fallbacks)
    if summary.faulty:
        raise typer.Exit(SOME_FAULTY)
