"""Arguments of ``treevote explain``."""

from __future__ import annotations

from typing import Annotated

import typer

from treevote.cli import options


def explain(
    model: options.Model,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Sentences; - is standard input.")],
    sentence: Annotated[
        int | None, options.choice(min=1, metavar="N", help="Number of the only sentence.", show_default="all")
    ] = None,
) -> None:
    """Show the rule of a decision list behind each arc."""
    from treevote.commands.explain import explain as run
    from treevote.terminal import tell

    for text in run(model, file, first=sentence or 1, last=sentence):
        tell(text)
