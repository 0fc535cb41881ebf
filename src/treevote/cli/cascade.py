"""Arguments of ``treevote cascade``."""

from __future__ import annotations

from typing import Annotated

import typer

from treevote.cli.options import FileFormat, Json, Model, command_line


def cascade(
    model: Model,
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="Sentences with tags and trees.")],
    format: FileFormat = "auto",
    json: Json = False,
) -> None:
    """Evaluate a model with gold tags, with predicted tags, and from raw text."""
    from treevote.commands.cascade import as_json, as_text
    from treevote.commands.cascade import cascade as run
    from treevote.terminal import tell

    evaluation = run(model, gold, format=format)
    tell(as_json(evaluation, model, command_line()) if json else as_text(evaluation))
