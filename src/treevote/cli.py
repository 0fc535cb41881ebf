"""The command line: arguments in, one plain function called, its result said in a few words.

Nothing heavy is imported before a command runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from treevote import __version__
from treevote.commands.group import Commands, SeveralValues

app = typer.Typer(
    cls=Commands,
    help="Several dependency parsers, one vote: train an ensemble on a treebank and parse with it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # a plain text is there in half the time
    pretty_exceptions_enable=False,
)

Format = Literal["auto", "conllu", "conllx"]
WeightKind = Literal["equal", "accuracy", "pos"]

Model = Annotated[str, typer.Argument(metavar="MODEL", help="Model folder.", show_default=False)]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Jobs at the same time; -1 is one for each core.")]
Backend = Annotated[str | None, typer.Option(help="joblib backend, such as loky or threading.", show_default=False)]
FileFormat = Annotated[Format, typer.Option(help="Format of the files.")]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="File to write; - is standard output.")]
Support = Annotated[
    bool, typer.Option("--support", help="Write the share of the votes for each arc and label into MISC.")
]
Confidence = Annotated[
    bool, typer.Option("--confidence", help="Write the probability that each arc and label is right into MISC.")
]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"treevote {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version and exit.")
    ] = False,
) -> None:
    pass


@app.command(cls=SeveralValues)
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
    from treevote.terminal import progress_shown

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
    typer.echo(report(trained))


@app.command()
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


@app.command(cls=SeveralValues)
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


@app.command()
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
    csv: Annotated[bool, typer.Option("--csv", help="Answer in CSV.")] = False,
    format: FileFormat = "auto",
) -> None:
    """Compare the parses of systems with gold trees.

    LAS, UAS: tokens with the right head, with and without the label. CLAS: the same for content words; MLAS: with tags
    and features as well; BLEX: with lemmas. LA: the right label. root: tokens rightly on ROOT. complete: sentences with
    all heads right. Two systems or more are compared by paired tests.
    """
    from treevote.commands.evaluate import as_csv, as_json, as_table
    from treevote.commands.evaluate import evaluate as run

    asked: Literal["ud", "conllx"] | None = None if ud is None else "ud" if ud else "conllx"
    evaluation = run(gold, systems, convention=asked, punctuation=punct, format=format, training=train, seed=seed)
    typer.echo((as_json if json else as_csv if csv else as_table)(evaluation), nl=not csv)
    if report is not None:
        from treevote.report.page import write_report

        write_report(evaluation, report)


@app.command()
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


@app.command()
def reliability(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="Sentences with trees.", show_default=False)],
    system: Annotated[
        str, typer.Argument(metavar="PARSE", help="The same, parsed with --confidence.", show_default=False)
    ],
    json: Json = False,
) -> None:
    """Show how far the confidence in a parse can be trusted."""
    from json import dumps

    from treevote.commands.reliability import reliability as run
    from treevote.commands.scores import confidence

    found = run(gold, system)
    typer.echo(dumps(found, indent=2) if json else confidence(found))


@app.command()
def inspect(
    model: Model,
    rules: Annotated[bool, typer.Option("--rules", help="Print the rules of its decision lists instead.")] = False,
    json: Json = False,
) -> None:
    """Say what a model is and where it comes from."""
    if rules:
        from treevote.commands.explain import rules as lines

        for line in lines(model):
            typer.echo(line)
        return
    from treevote.commands.inspect import as_json, as_text
    from treevote.commands.inspect import inspect as run

    typer.echo((as_json if json else as_text)(run(model)))


@app.command()
def explain(
    model: Model,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Sentences; - is standard input.", show_default=False)],
    sentence: Annotated[int | None, typer.Option(min=1, metavar="N", help="This one only.", show_default="all")] = None,
) -> None:
    """Show which rule of a decision list linked each word."""
    from treevote.commands.explain import explain as run

    for text in run(model, file, first=sentence or 1, last=sentence):
        typer.echo(text)


@app.command()
def quickstart(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the model and the parses.")
    ] = Path("treevote-quickstart"),
    jobs: Jobs = 1,
    backend: Backend = None,
) -> None:
    """Train, parse and score on the data that comes along."""
    from treevote.quickstart import quickstart as run
    from treevote.terminal import progress_shown

    with progress_shown() as progress:
        result = run(output, n_jobs=jobs, backend=backend, progress=progress)
    typer.echo(str(result))


def _studies(wanted: bool) -> None:
    if wanted:
        from treevote.commands.study import listing

        typer.echo(listing())
        raise typer.Exit


@app.command()
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
    from treevote.terminal import progress_shown, say

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
    typer.echo(studied.markdown, nl=False)
    say(str(studied))


@app.command()
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


def main() -> None:
    """Run the command line."""
    app(prog_name="treevote")
