"""Arguments of ``treevote study``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from treevote.cli import options


def _studies(wanted: bool) -> None:
    if wanted:
        from treevote.commands.study import listing

        typer.echo(listing())
        raise typer.Exit


def study(
    name: Annotated[str, options.argument("<NAME>", "The study, see --list.")],
    treebanks: Annotated[
        list[str],
        options.argument(
            "<TREEBANK>...", "Treebank to train on; for the study ensemble, folders with train, dev and test files."
        ),
    ],
    test: Annotated[
        str | None,
        options.file(
            help="Treebank to test on; for the study ensemble, the part of each folder: test or dev.",
            show_default="every tenth sentence, held out; for the study ensemble test",
        ),
    ] = None,
    text: Annotated[str | None, options.file(help="Unlabelled text of a new domain, for the study adaptation.")] = None,
    format: options.FileFormat = "auto",
    members: Annotated[
        str | None,
        options.members(help="Members, for a study that lets them be chosen.", show_default="the study's own"),
    ] = None,
    settings: Annotated[
        Literal["default", "paper"],
        options.choice(
            help="Settings of the members: those of treevote, or the learner, features and search of the paper."
        ),
    ] = "default",
    listed: Annotated[
        bool, options.choice("--list", callback=_studies, is_eager=True, help="Name the studies and exit.")
    ] = False,
    seed: Annotated[int, options.machine(metavar="<N>", min=0, help="Seed of the study.")] = 0,
    jobs: options.NJobs = 1,
    backend: options.Backend = None,
    output: Annotated[
        str, options.output("--output", "-o", metavar="<DIR>", help="Folder for tables and finished work.")
    ] = "treevote-studies",
) -> None:
    """Repeat a table of a paper on a treebank.

    The study ensemble measures on several treebanks what each part of the ensemble gives. A claim of a paper holds if
    the figures lie in its direction and p < 0.05; a claim that two are equally good, if p is larger. Where nothing is
    tested, the direction decides. The output also names the claims whose figures lie in its direction with a larger p,
    and those whose figures do not. p is that of the randomization test, not corrected for several
    claims.

    Finished work is kept in DIR; an interrupted study goes on from there.
    """
    from treevote.commands.study import study as run
    from treevote.terminal import say, tell

    with options.running(jobs, backend) as running:
        studied = run(
            name,
            treebanks,
            output,
            test=test,
            text=text,
            members=options.names(members) or (),
            settings=settings,
            seed=seed,
            format=format,
            jobs=running,
        )
    tell(studied.markdown.rstrip("\n"))
    say(str(studied))
