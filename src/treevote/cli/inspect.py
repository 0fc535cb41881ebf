"""Arguments of ``treevote inspect``."""

from __future__ import annotations

from typing import Annotated

import typer

from treevote.cli.options import OUTPUT, Json, Model


def inspect(
    model: Model,
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="Add scores in detail, configuration and files, as does -v.", rich_help_panel=OUTPUT
        ),
    ] = False,
    rules: Annotated[
        bool, typer.Option("--rules", help="Print the rules of its decision lists instead.", rich_help_panel=OUTPUT)
    ] = False,
    json: Json = False,
) -> None:
    """Describe a model: members, training data, scores, size."""
    from treevote.terminal import is_verbose, tell

    if rules:
        from treevote.commands.explain import rules as lines

        for line in lines(model):
            tell(line)
        return
    from treevote.commands.inspect import as_json, as_text
    from treevote.commands.inspect import inspect as run

    facts = run(model)
    tell(as_json(facts) if json else as_text(facts, full=full or is_verbose()))
