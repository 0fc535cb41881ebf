"""Arguments of ``treevote study``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from treevote.cli.options import (
    Backend,
    FileFormat,
    NJobs,
    choice_option,
    input_option,
    machine_option,
    names,
    output_option,
)


def _studies(wanted: bool) -> None:
    if wanted:
        from treevote.commands.study import listing

        typer.echo(listing())
        raise typer.Exit


def study(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The study, see --list.")],
    treebanks: Annotated[
        list[str],
        typer.Argument(
            metavar="TREEBANK...",
            help="Treebank to train on; for the study ensemble, folders with train, dev and test files.",
        ),
    ],
    test: Annotated[
        str | None,
        input_option(
            metavar="FILE",
            help="Treebank to test on; for the study ensemble, test or dev: the part of each folder.",
            show_default="every tenth sentence, held out; test",
        ),
    ] = None,
    text: Annotated[
        str | None, input_option(metavar="FILE", help="Unlabelled text of a new domain, for the study adaptation.")
    ] = None,
    format: FileFormat = "auto",
    members: Annotated[
        str | None,
        choice_option(
            metavar="A,B,...", help="Members, for a study with a choice of members.", show_default="the study's own"
        ),
    ] = None,
    settings: Annotated[
        Literal["default", "paper"],
        choice_option(help="Settings of the members: treevote's, or learner, features and search of the paper."),
    ] = "default",
    listed: Annotated[
        bool, choice_option("--list", callback=_studies, is_eager=True, help="Name the studies and exit.")
    ] = False,
    seed: Annotated[int, machine_option(min=0, help="Seed of the study.")] = 0,
    jobs: NJobs = 1,
    backend: Backend = None,
    output: Annotated[
        Path, output_option("--output", "-o", metavar="DIR", help="Folder for tables and finished work.")
    ] = Path("treevote-studies"),
) -> None:
    """Repeat a table of a founding paper on a treebank, or measure what each part of the ensemble gives on several.

    A claim of the paper holds if the figures lie in its direction and p < 0.05; if they lie in its direction only, that
    is said, and so is where they do not. p is that of the randomization test, not corrected for several claims.

    Finished work is kept in DIR; an interrupted study goes on from there.
    """
    from treevote.commands.study import study as run
    from treevote.parallel import Jobs
    from treevote.terminal import progress_shown, say, tell

    with progress_shown() as progress:
        studied = run(
            name,
            treebanks,
            output,
            test=test,
            text=text,
            members=names(members) or (),
            settings=settings,
            seed=seed,
            format=format,
            jobs=Jobs(jobs, backend, progress),
        )
    tell(studied.markdown.rstrip("\n"))
    say(str(studied))
