"""Arguments of ``treevote train``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from treevote.cli.options import (
    CHOICE,
    INPUT,
    MACHINE,
    OUTPUT,
    AllFaults,
    Backend,
    Config,
    FileFormat,
    NJobs,
    WeightKind,
    names,
)


def train(
    files: Annotated[
        list[str],
        typer.Option(
            "--train", metavar="FILE...", help="Treebanks to train on.", show_default=False, rich_help_panel=INPUT
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="MODEL", help="Model folder to write.", show_default=False, rich_help_panel=OUTPUT
        ),
    ],
    dev: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Treebank to measure on.", show_default=False, rich_help_panel=INPUT),
    ] = None,
    format: FileFormat = "auto",
    config: Config = None,
    members: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Members, the best first: it decides ties; or all.",
            show_default=False,
            rich_help_panel=CHOICE,
        ),
    ] = None,
    select: Annotated[
        bool,
        typer.Option(
            "--select",
            help="Choose the members and weights that vote best, by --dev or --folds.",
            rich_help_panel=CHOICE,
        ),
    ] = False,
    folds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=2,
            help="Without --dev: parts of the training data to measure on.",
            show_default=False,
            rich_help_panel=CHOICE,
        ),
    ] = None,
    weights: Annotated[
        WeightKind | None,
        typer.Option(help="Weights of the votes; measured on --dev.", show_default="equal", rich_help_panel=CHOICE),
    ] = None,
    search: Annotated[
        Literal["greedy", "beam", "best-first"] | None,
        typer.Option(help="Search of all members.", show_default=False, rich_help_panel=CHOICE),
    ] = None,
    beam: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Width of that search; alone: beam search for all members.",
            show_default=False,
            rich_help_panel=CHOICE,
        ),
    ] = None,
    encoding: Annotated[
        Literal["none", "head", "path", "head+path"] | None,
        typer.Option(help="Encoding of non-projective trees in labels.", show_default=False, rich_help_panel=CHOICE),
    ] = None,
    all_faults: AllFaults = False,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of the training.", show_default="0", rich_help_panel=MACHINE),
    ] = None,
    jobs: NJobs = 1,
    backend: Backend = None,
) -> None:
    """Train an ensemble of parsers on a treebank."""
    from treevote.commands.faults import require_no_faults
    from treevote.commands.inspect import model_at
    from treevote.commands.train import report
    from treevote.commands.train import train as run
    from treevote.parallel import Jobs
    from treevote.terminal import fault, progress_shown, say, tell, warn

    before = model_at(output)
    if all_faults:
        require_no_faults({"required": [*files, *([dev] if dev else [])]}, fault, format=format)
    settings: dict[str, object] = {"search": search or (beam and "beam"), "width": beam, "encoding": encoding}
    with progress_shown() as progress:
        trained = run(
            files,
            output,
            dev=dev,
            config=config,
            members=names(members) or (),
            settings={name: value for name, value in settings.items() if value is not None},
            weights=weights,
            select=select,
            folds=folds,
            seed=seed,
            format=format,
            jobs=Jobs(jobs, backend, progress),
            warn=warn,
        )
    tell(report(trained))
    if before:
        say(f"replaced {before}")
