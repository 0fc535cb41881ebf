"""Arguments of ``treevote config``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from treevote.cli import options


def config(
    command: Annotated[
        Literal["train", "adapt"], typer.Argument(help="The command that is to read the configuration.")
    ] = "train",
    path: options.Config = None,
    members: Annotated[
        str | None,
        options.choice(
            metavar="A,B,...",
            help="Members of the model; for train also all.",
            show_default="those of --config, or the default",
        ),
    ] = None,
    scheme: Annotated[
        Literal["default", "paper", "distil"] | None,
        options.choice(help="Scheme of the adaptation.", show_default="that of --config, or default"),
    ] = None,
) -> None:
    """Write a configuration with every setting, for train --config or adapt --config."""
    from treevote.commands.config import of_adaptation, of_training
    from treevote.errors import ConfigError
    from treevote.terminal import tell

    if command == "adapt":
        tell(of_adaptation(path, scheme, options.names(members)))
    elif scheme is None:
        tell(of_training(path, options.names(members) or ()))
    else:
        raise ConfigError("a training has no scheme; write treevote config adapt, or leave out --scheme")
