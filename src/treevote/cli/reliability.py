"""Arguments of ``treevote reliability``."""

from __future__ import annotations

from typing import Annotated

import typer

from treevote.cli import options


def reliability(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="Sentences with trees.")],
    system: Annotated[str, typer.Argument(metavar="PARSE", help="The same, parsed with --confidence.")],
    json: options.Json = False,
) -> None:
    """Compare the confidence of a parse with its accuracy."""
    from treevote.commands.answer import answer
    from treevote.commands.reliability import reliability as run
    from treevote.report.scores import confidence
    from treevote.terminal import tell

    found = run(gold, system)
    tell(answer("reliability", found, options.command_line()) if json else confidence(found))
