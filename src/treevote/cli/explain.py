"""Arguments of ``treevote explain``."""

from __future__ import annotations

from typing import Annotated

import typer

from treevote.cli.options import CHOICE, Model


def explain(
    model: Model,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Sentences; - is standard input.", show_default=False)],
    sentence: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Number of the only sentence.", show_default="all", rich_help_panel=CHOICE
        ),
    ] = None,
) -> None:
    """Show the rule of a decision list behind each arc."""
    from treevote.commands.explain import explain as run
    from treevote.terminal import tell

    for text in run(model, file, first=sentence or 1, last=sentence):
        tell(text)
