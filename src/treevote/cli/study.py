"""Arguments of ``treevote study``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treevote.cli.options import CHOICE, INPUT, MACHINE, OUTPUT, Backend, FileFormat, NJobs, names


def _studies(wanted: bool) -> None:
    if wanted:
        from treevote.commands.study import listing

        typer.echo(listing())
        raise typer.Exit


def study(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The study, see --list.", show_default=False)],
    treebank: Annotated[str, typer.Argument(metavar="TREEBANK", help="Treebank to train on.", show_default=False)],
    test: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Treebank to test on.",
            show_default="every tenth sentence, held out",
            rich_help_panel=INPUT,
        ),
    ] = None,
    format: FileFormat = "auto",
    members: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Members, for a study with a choice of members.",
            show_default="the study's own",
            rich_help_panel=CHOICE,
        ),
    ] = None,
    listed: Annotated[
        bool,
        typer.Option(
            "--list", callback=_studies, is_eager=True, help="Name the studies and exit.", rich_help_panel=CHOICE
        ),
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the study.", rich_help_panel=MACHINE)] = 0,
    jobs: NJobs = 1,
    backend: Backend = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Folder for tables and finished work.", rich_help_panel=OUTPUT
        ),
    ] = Path("treevote-studies"),
) -> None:
    """Repeat a table of a founding paper on a treebank, beside the paper's figures.

    Finished work is kept in DIR; an interrupted study goes on from there.
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
            members=names(members) or (),
            seed=seed,
            format=format,
            jobs=Jobs(jobs, backend, progress),
        )
    tell(studied.markdown.rstrip("\n"))
    say(str(studied))
