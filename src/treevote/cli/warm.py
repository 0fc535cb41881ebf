"""Arguments of ``treevote warm``."""

from __future__ import annotations

from typing import Annotated

import typer


def warm(
    members: Annotated[
        list[str] | None,
        typer.Argument(metavar="MEMBER...", help="Members to compile for, or all; else those of the default ensemble."),
    ] = None,
) -> None:
    """Compile ahead what training and parsing need, once on a machine."""
    from treevote.cli.options import names
    from treevote.commands.warm import warm as run
    from treevote.parallel import Jobs
    from treevote.terminal import progress_shown, tell

    with progress_shown() as progress:
        warmed = run([name for listed in members or () for name in names(listed) or ()], jobs=Jobs(progress=progress))
    tell(str(warmed))
