"""Commands that make trees, and say where they come from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from treevote.cli.options import Backend, Confidence, FileFormat, Jobs, Json, Model, Output, Support, WeightKind


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
    jobs: Jobs = 1,
    backend: Backend = None,
    format: FileFormat = "auto",
) -> None:
    """Train an ensemble of parsers on a treebank."""
    from treevote.commands.train import report
    from treevote.commands.train import train as run
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
            n_jobs=jobs,
            backend=backend,
            progress=progress,
        )
    tell(report(trained))


def parse(
    model: Model,
    inputs: Annotated[
        list[str], typer.Argument(metavar="INPUT...", help="Files to parse; - is standard input.", show_default=False)
    ],
    output: Output = "-",
    member: Annotated[
        str | None, typer.Option(metavar="NAME", help="Parse with this member alone.", show_default=False)
    ] = None,
    jobs: Jobs = 1,
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
    from treevote.batch import parse_files
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
            n_jobs=jobs,
            backend=backend,
            progress=progress,
        )
    say(str(summary))


def vote(
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM...", help="Parses of the same sentences; the first decides ties.", show_default=False
        ),
    ],
    output: Output = "-",
    weights: Annotated[WeightKind, typer.Option(help="How much each system counts.")] = "equal",
    select: Annotated[
        bool, typer.Option("--select", help="Choose the systems and weights that vote best, by --gold and --dev.")
    ] = False,
    gold: Annotated[str | None, typer.Option(metavar="FILE", help="Trees to measure on.", show_default=False)] = None,
    dev: Annotated[
        list[str] | None,
        typer.Option(metavar="SYSTEM...", help="Parses of the sentences of --gold.", show_default=False),
    ] = None,
    roots: Annotated[
        Literal["one", "several", "auto"],
        typer.Option(help="Roots of a sentence; auto: as in --gold, else as the systems do."),
    ] = "auto",
    support: Support = False,
    confidence: Confidence = False,
    format: FileFormat = "auto",
) -> None:
    """Combine the parses of any parsers into one."""
    from treevote.commands.vote import vote as run
    from treevote.terminal import say

    parse, single, voters = run(
        systems,
        output,
        weights=weights,
        select=select,
        gold=gold,
        dev=dev or [],
        roots=roots,
        support=support,
        confidence=confidence,
        format=format,
    )
    say(
        f"{len(voters)} systems voted on {parse.n_sentences:,} sentences with "
        f"{'one root each' if single else 'one root or several'}{': ' + ', '.join(voters) if select else ''}"
    )


def inspect(
    model: Model,
    rules: Annotated[bool, typer.Option("--rules", help="Print the rules of its decision lists instead.")] = False,
    json: Json = False,
) -> None:
    """Say what a model is and where it comes from."""
    from treevote.terminal import tell

    if rules:
        from treevote.commands.explain import rules as lines

        for line in lines(model):
            tell(line)
        return
    from treevote.commands.inspect import as_json, as_text
    from treevote.commands.inspect import inspect as run

    tell((as_json if json else as_text)(run(model)))


def explain(
    model: Model,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Sentences; - is standard input.", show_default=False)],
    sentence: Annotated[int | None, typer.Option(min=1, metavar="N", help="This one only.", show_default="all")] = None,
) -> None:
    """Show which rule of a decision list linked each word."""
    from treevote.commands.explain import explain as run
    from treevote.terminal import tell

    for text in run(model, file, first=sentence or 1, last=sentence):
        tell(text)


def quickstart(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the model and the parses.")
    ] = Path("treevote-quickstart"),
    jobs: Jobs = 1,
    backend: Backend = None,
) -> None:
    """Train, parse and score on the data that comes along."""
    from treevote.quickstart import quickstart as run
    from treevote.terminal import progress_shown, tell

    with progress_shown() as progress:
        result = run(output, n_jobs=jobs, backend=backend, progress=progress)
    tell(str(result))
