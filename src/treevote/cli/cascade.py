"""Arguments of ``treevote cascade``."""

from __future__ import annotations

from typing import Annotated

import typer

from treevote.cli import options


def cascade(
    model: options.Model,
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="Sentences with tags and trees.")],
    format: options.FileFormat = "auto",
    json: options.Json = False,
) -> None:
    """Evaluate a model with gold tags, with predicted tags, and from raw text."""
    from treevote.commands.cascade import as_json, as_text
    from treevote.commands.cascade import cascade as run
    from treevote.terminal import tell

    evaluation = run(model, gold, format=format)
    tell(as_json(evaluation, model, options.command_line()) if json else as_text(evaluation))
