"""Commands that say how good trees are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from treevote.cli.options import Backend, FileFormat, Jobs, Json, Output


def evaluate(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="Sentences with trees.", show_default=False)],
    systems: Annotated[
        list[str],
        typer.Argument(metavar="SYSTEM...", help="Parses of the same sentences.", show_default=False),
    ],
    ud: Annotated[
        bool | None,
        typer.Option("--ud/--conllx", help="Convention; by default that of GOLD's format.", show_default=False),
    ] = None,
    punct: Annotated[bool, typer.Option("--punct/--no-punct", help="Whether punctuation is scored.")] = True,
    train: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Training data, to tell known words from others.", show_default=False),
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a report, one HTML page.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the tests of significance.")] = 0,
    json: Json = False,
    csv: Annotated[
        bool, typer.Option("--csv", help="Answer in CSV; a text that begins with = + - @ gets an apostrophe in front.")
    ] = False,
    format: FileFormat = "auto",
) -> None:
    """Compare the parses of systems with gold trees.

    LAS, UAS: tokens with the right head, with and without the label. CLAS: the same for content words; MLAS: with tags
    and features as well; BLEX: with lemmas. LA: the right label. root: tokens rightly on ROOT. complete: sentences with
    all heads right. Two systems or more are compared by paired tests.
    """
    from treevote.commands.evaluate import as_csv, as_json, as_table
    from treevote.commands.evaluate import evaluate as run
    from treevote.terminal import tell

    asked: Literal["ud", "conllx"] | None = None if ud is None else "ud" if ud else "conllx"
    evaluation = run(gold, systems, convention=asked, punctuation=punct, format=format, training=train, seed=seed)
    tell((as_json if json else as_csv if csv else as_table)(evaluation))
    if report is not None:
        from treevote.report.page import write_report

        write_report(evaluation, report)


def reliability(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="Sentences with trees.", show_default=False)],
    system: Annotated[
        str, typer.Argument(metavar="PARSE", help="The same, parsed with --confidence.", show_default=False)
    ],
    json: Json = False,
) -> None:
    """Show how far the confidence in a parse can be trusted."""
    from treevote.commands.reliability import reliability as run
    from treevote.commands.scores import confidence
    from treevote.terminal import tell
    from treevote.visibility import as_json

    found = run(gold, system)
    tell(as_json(found) if json else confidence(found))


def show(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Sentences, with trees or without; - is standard input.", show_default=False
        ),
    ],
    sentence: Annotated[
        str | None,
        typer.Option(metavar="N,N-N,...", help="Numbers of sentences, such as 3 or 1,5-8.", show_default="all"),
    ] = None,
    sent_id: Annotated[
        str | None, typer.Option(metavar="ID", help="The sentence of this sent_id.", show_default=False)
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="SYSTEM", help="Parses of the same sentences: show where they differ.", show_default=False
        ),
    ] = None,
    svg: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write an SVG file instead; - is standard output.", show_default=False),
    ] = None,
    format: FileFormat = "auto",
) -> None:
    """Draw trees, and where a system differs, in the terminal or as SVG."""
    from treevote.commands.show import as_svg, shown
    from treevote.commands.show import show as run
    from treevote.files import writing

    chosen = run(file, sentences=sentence, id=sent_id, against=against, format=format)
    if svg is None:
        shown(chosen)
        return
    picture = as_svg(chosen)
    with writing(svg) as stream:
        stream.write(picture)


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
    jobs: Jobs = 1,
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
            n_jobs=jobs,
            backend=backend,
            progress=progress,
        )
    tell(studied.markdown.rstrip("\n"))
    say(str(studied))


def benchmark(
    train: Annotated[str, typer.Option(metavar="FILE", help="Treebank to train on.", show_default=False)],
    test: Annotated[str, typer.Option(metavar="FILE", help="Treebank to parse.", show_default=False)],
    output: Output = "-",
    members: Annotated[str | None, typer.Option(metavar="A,B,...", help="Members.", show_default=False)] = None,
    scales: Annotated[str, typer.Option(metavar="A,B,...", help="How often the test file is parsed over.")] = "1,4,16",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the training.")] = 0,
) -> None:
    """Measure time, memory and size of every member and the vote, as JSON."""
    from treevote.benchmark import as_json
    from treevote.benchmark import benchmark as run
    from treevote.ensemble.members import DEFAULT_MEMBERS
    from treevote.errors import ConfigError
    from treevote.files import writing
    from treevote.terminal import progress_shown

    names = [name.strip() for name in members.split(",")] if members else DEFAULT_MEMBERS
    sizes = [int(scale) for scale in scales.split(",") if scale.strip().isdecimal() and int(scale) > 0]
    if len(sizes) < scales.count(",") + 1 or sizes != sorted(sizes):
        raise ConfigError(f"--scales should be whole numbers that rise, such as 1,4,16; found {scales!r}")
    with progress_shown() as progress, writing(output) as stream:
        stream.write(as_json(run(train, test, members=names, scales=sizes, seed=seed, progress=progress)))
