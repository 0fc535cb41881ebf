"""Arguments of ``treevote study``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treevote.cli.options import Backend, FileFormat, NJobs


def _studies(wanted: bool) -> None:
    if wanted:
        from treevote.commands.study import listing

        typer.echo(listing())
        raise typer.Exit


def study(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The study, see --list.", show_default=False)],
    treebank: Annotated[str, typer.Argument(metavar="TREEBANK", help="Treebank to train on.", show_default=False)],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for tables and finished work.")
    ] = Path("treevote-studies"),
    test: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Treebank to test on.", show_default="every tenth sentence, held out"),
    ] = None,
    members: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Members, where they can be chosen.", show_default="the study's own"),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the study.")] = 0,
    jobs: NJobs = 1,
    backend: Backend = None,
    format: FileFormat = "auto",
    listed: Annotated[
        bool, typer.Option("--list", callback=_studies, is_eager=True, help="Name the studies and exit.")
    ] = False,
) -> None:
    """Repeat a table of a founding paper on a treebank, beside the paper's figures.

    What is finished is kept in DIR: a study that was interrupted goes on from there.
    """
    from treevote.commands.study import study as run
    from treevote.parallel import Jobs
    from treevote.terminal import progress_shown, say, tell

    with progress_shown() as progress:
        studied = run(
            name,
            treebank,
            output,
            test=test,
            members=[member.strip() for member in members.split(",")] if members is not None else (),
            seed=seed,
            format=format,
            jobs=Jobs(jobs, backend, progress),
        )
    tell(studied.markdown.rstrip("\n"))
    say(str(studied))
