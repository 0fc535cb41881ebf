"""Arguments of ``treevote adapt``."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Literal

import typer

from treevote.cli.options import Backend, FileFormat, Json, Model, NJobs

NOT_PROMOTED = 3


def adapt(
    model: Model,
    unlabelled: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT...", help="Text of the new domain, tagged as the training data.", show_default=False
        ),
    ],
    train: Annotated[
        list[str], typer.Option(metavar="FILE...", help="What the model was trained on.", show_default=False)
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="Model folder to write.", show_default=False)
    ],
    dev: Annotated[
        str | None, typer.Option(metavar="FILE", help="Treebank of the old domain to measure on.", show_default=False)
    ] = None,
    target_dev: Annotated[
        str | None, typer.Option(metavar="FILE", help="Treebank of the new domain to measure on.", show_default=False)
    ] = None,
    external: Annotated[
        list[str] | None,
        typer.Option(metavar="PARSE...", help="TEXT parsed by further members of the committee.", show_default=False),
    ] = None,
    scheme: Annotated[
        Literal["default", "paper", "distil"],
        typer.Option(help="paper: one round, as Sagae & Tsujii; distil: the committee's vote in one fast member."),
    ] = "default",
    committee: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Parsers whose agreement counts.", show_default="the scheme's"),
    ] = None,
    rounds: Annotated[int | None, typer.Option(min=1, help="Rounds, at the most.", show_default="the scheme's")] = None,
    min_agreement: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Least share of tokens on which the committee agrees; 1: identical parses, 0: all sentences.",
            show_default="the scheme's",
        ),
    ] = None,
    min_confidence: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Least mean confidence of a sentence.", show_default="the scheme's"),
    ] = None,
    balanced: Annotated[
        bool | None, typer.Option("--balanced", help="Select the same proportion of long and of short sentences.")
    ] = None,
    members: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Members of the adapted model.", show_default="those of MODEL"),
    ] = None,
    source_copies: Annotated[
        int | None,
        typer.Option(min=1, help="Copies of the training data beside the new sentences.", show_default="1"),
    ] = None,
    margin: Annotated[
        float, typer.Option(min=0, max=100, help="LAS that may be lost on --dev without being refused.")
    ] = 1.5,
    force: Annotated[bool, typer.Option("--force", help="Write the model even if it is judged worse.")] = False,
    work: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder for finished steps: what was killed goes on.", show_default="MODEL.work"
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the training.", show_default="the model's")] = None,
    jobs: NJobs = 1,
    backend: Backend = None,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Work on a Dask cluster, such as tcp://host:8786.", show_default=False),
    ] = None,
    json: Json = False,
    format: FileFormat = "auto",
) -> None:
    """Adapt a model to unlabelled text of a new domain, and keep it only if it is no worse.

    Sentences on which different parsers agree join the training data. The trees that TEXT may carry are never read.
    Where the adapted model is judged worse it is not written, and the exit code is 3.
    """
    from treevote.commands.adapt import adapt as run
    from treevote.commands.adapt import as_json, as_text, scheme_of
    from treevote.parallel import Jobs
    from treevote.parallel import cluster as connected
    from treevote.terminal import progress_shown, say, tell

    plan = scheme_of(
        scheme,
        committee=committee,
        rounds=rounds,
        members=members,
        source_copies=source_copies,
        selection={"min_agreement": min_agreement, "min_confidence": min_confidence, "balanced": balanced},
    )
    with progress_shown() as progress, connected(cluster) if cluster else nullcontext():
        outcome = run(
            model,
            unlabelled,
            output,
            train=train,
            dev=dev,
            target_dev=target_dev,
            external=external or [],
            scheme=plan,
            margin=margin,
            force=force,
            work=work,
            seed=seed,
            format=format,
            jobs=Jobs(-1, None, progress) if cluster else Jobs(jobs, backend, progress),
            warn=lambda warning: say(f"warning: {warning}"),
        )
    tell(as_json(outcome) if json else as_text(outcome))
    if not outcome.promoted:
        raise typer.Exit(NOT_PROMOTED)
