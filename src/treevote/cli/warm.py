"""Arguments of ``treevote warm``."""

from __future__ import annotations

from typing import Annotated

import typer

from treevote.cli import options


def warm(
    members: Annotated[
        list[str] | None,
        typer.Argument(metavar="MEMBER...", help="Members to compile for, or all; else those of the default ensemble."),
    ] = None,
) -> None:
    """Compile ahead what training and parsing need, once on a machine."""
    from treevote.commands.warm import warm as run
    from treevote.terminal import tell

    chosen = [name for listed in members or () for name in options.names(listed) or ()]
    with options.running() as jobs:
        warmed = run(chosen, jobs=jobs)
    tell(str(warmed))
