"""Arguments of the commands for a new machine: ``treevote quickstart`` and ``warm``."""

from __future__ import annotations

from typing import Annotated

from treevote.cli import options


def quickstart(
    output: Annotated[
        str, options.output("--output", "-o", metavar="<DIR>", help="Folder for the model and the parses.")
    ] = "treevote-quickstart",
    from_text: Annotated[
        bool, options.choice("--from-text", help="Train and test a model that reads raw text, too.")
    ] = False,
    jobs: options.NJobs = 1,
    backend: options.Backend = None,
) -> None:
    """Train, vote, adapt and evaluate on a treebank from a package.

    The treebank is Turkish: web text to train on, and an encyclopedia to adapt to and to test on.
    """
    from treevote.commands.quickstart import quickstart as run
    from treevote.report.page import environment
    from treevote.report.quickstart import as_text, write_page
    from treevote.terminal import tell

    environment()  # before the work: it may be missing
    with options.running(jobs, backend) as running:
        result = run(output, from_text=from_text, jobs=running)
    write_page(result)
    tell(as_text(result))


def warm(
    members: Annotated[
        list[str] | None,
        options.argument("<MEMBER>...", "Members to compile for, or all; by default those of the default ensemble."),
    ] = None,
) -> None:
    """Compile the kernels of training and parsing ahead.

    Kernels are the compiled loops of the parsers. They are kept in a folder, so one run of this command is enough for a
    machine.
    """
    from treevote.commands.warm import warm as run
    from treevote.terminal import tell

    chosen = [name for listed in members or () for name in options.names(listed) or ()]
    with options.running() as jobs:
        warmed = run(chosen, jobs=jobs)
    tell(str(warmed))
