"""Arguments of ``treevote inspect``."""

from __future__ import annotations

from typing import Annotated

import typer

from treevote.cli.options import Json, Model


def inspect(
    model: Model,
    rules: Annotated[bool, typer.Option("--rules", help="Print the rules of its decision lists instead.")] = False,
    json: Json = False,
) -> None:
    """Say what a model is and where it comes from."""
    from treevote.terminal import tell

    if rules:
        from treevote.commands.explain import rules as lines

        for line in lines(model):
            tell(line)
        return
    from treevote.commands.inspect import as_json, as_text
    from treevote.commands.inspect import inspect as run

    tell((as_json if json else as_text)(run(model)))
