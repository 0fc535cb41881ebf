"""Arguments of ``treevote config``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def config(
    path: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="A configuration to complete, as TOML.", show_default=False),
    ] = None,
    members: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Members; or all.", show_default="those of FILE, or the default"),
    ] = None,
) -> None:
    """Write a configuration with every setting, for train --config."""
    from treevote.commands.config import config as run
    from treevote.terminal import tell

    tell(run(path, [name.strip() for name in members.split(",")] if members is not None else ()))
