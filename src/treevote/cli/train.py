"""Arguments of ``treevote train``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from treevote.cli.options import Backend, FileFormat, NJobs, WeightKind


def train(
    files: Annotated[
        list[str], typer.Option("--train", metavar="FILE...", help="Treebanks to train on.", show_default=False)
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="Model folder to write.", show_default=False)
    ],
    dev: Annotated[str | None, typer.Option(metavar="FILE", help="Treebank to measure on.", show_default=False)] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Members and settings, as TOML.", show_default=False)
    ] = None,
    members: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Members, the best first: it decides ties; or all.", show_default=False),
    ] = None,
    select: Annotated[
        bool, typer.Option("--select", help="Choose the members and weights that vote best, by --dev or --folds.")
    ] = False,
    folds: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=2, help="Without --dev: parts of the training data to measure on.", show_default=False
        ),
    ] = None,
    weights: Annotated[
        WeightKind | None, typer.Option(help="How much each vote counts; by --dev.", show_default="equal")
    ] = None,
    search: Annotated[
        Literal["greedy", "beam", "best-first"] | None,
        typer.Option(help="Search of all members.", show_default=False),
    ] = None,
    beam: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Width of that search; alone: beam search for all members.", show_default=False
        ),
    ] = None,
    encoding: Annotated[
        Literal["none", "head", "path", "head+path"] | None,
        typer.Option(help="Encoding of non-projective trees in labels.", show_default=False),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the training.", show_default="0")] = None,
    jobs: NJobs = 1,
    backend: Backend = None,
    format: FileFormat = "auto",
) -> None:
    """Train an ensemble of parsers on a treebank."""
    from treevote.commands.train import report
    from treevote.commands.train import train as run
    from treevote.parallel import Jobs
    from treevote.terminal import progress_shown, tell

    settings: dict[str, object] = {"search": search or (beam and "beam"), "width": beam, "encoding": encoding}
    with progress_shown() as progress:
        trained = run(
            files,
            output,
            dev=dev,
            config=config,
            members=[name.strip() for name in members.split(",")] if members is not None else (),
            settings={name: value for name, value in settings.items() if value is not None},
            weights=weights,
            select=select,
            folds=folds,
            seed=seed,
            format=format,
            jobs=Jobs(jobs, backend, progress),
        )
    tell(report(trained))
