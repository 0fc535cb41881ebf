"""Arguments of the commands for a new machine: ``treevote quickstart``, ``warm`` and ``benchmark``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treevote.cli import options


def quickstart(
    output: Annotated[
        Path, options.output("--output", "-o", metavar="<DIR>", help="Folder for the model and the parses.")
    ] = Path("treevote-quickstart"),
    from_text: Annotated[
        bool, options.choice("--from-text", help="Train and test a model that reads raw text, too.")
    ] = False,
    jobs: options.NJobs = 1,
    backend: options.Backend = None,
) -> None:
    """Train, parse, adapt and score on the default data."""
    from treevote.commands.quickstart import quickstart as run
    from treevote.terminal import tell

    with options.running(jobs, backend) as running:
        result = run(output, from_text=from_text, jobs=running)
    tell(str(result))


def warm(
    members: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="<MEMBER>...", help="Members to compile for, or all; else those of the default ensemble."
        ),
    ] = None,
) -> None:
    """Compile ahead what training and parsing need, once on a machine."""
    from treevote.commands.warm import warm as run
    from treevote.terminal import tell

    chosen = [name for listed in members or () for name in options.names(listed) or ()]
    with options.running() as jobs:
        warmed = run(chosen, jobs=jobs)
    tell(str(warmed))


def benchmark(
    train: Annotated[str, options.file(help="Treebank to train on.")],
    test: Annotated[str, options.file(help="Treebank to parse.")],
    members: Annotated[str | None, options.members(help="Members.", show_default="the default")] = None,
    scales: Annotated[str, options.choice(metavar="<N,N,...>", help="Copies of the test file to parse.")] = "1,4,16",
    seed: Annotated[int, options.machine(min=0, help="Seed of the training.")] = 0,
    output: options.Output = "-",
) -> None:
    """Measure time, memory and size of every member and the vote, as JSON."""
    from treevote.commands.benchmark import as_json
    from treevote.commands.benchmark import benchmark as run
    from treevote.ensemble.members import DEFAULT_MEMBERS
    from treevote.errors import ConfigError
    from treevote.files.streams import writing
    from treevote.terminal import progress_shown

    chosen = options.names(members) or DEFAULT_MEMBERS
    sizes = [int(scale) for scale in scales.split(",") if scale.strip().isdecimal() and int(scale) > 0]
    if len(sizes) < scales.count(",") + 1 or sizes != sorted(sizes):
        raise ConfigError(f"--scales should be rising whole numbers, such as 1,4,16; found {scales!r}")
    with progress_shown() as progress, writing(output) as stream:
        report = run(train, test, members=chosen, scales=sizes, seed=seed, progress=progress)
        stream.write(as_json(report, options.command_line()))
