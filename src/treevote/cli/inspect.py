"""Arguments of ``treevote inspect``."""

from __future__ import annotations

from typing import Annotated

from treevote.cli.options import Json, Model, command_line, output_option, refuse_both


def inspect(
    model: Model,
    full: Annotated[
        bool, output_option("--full", help="Add scores in detail, configuration and files, as does -v.")
    ] = False,
    rules: Annotated[bool, output_option("--rules", help="Print the rules of its decision lists instead.")] = False,
    json: Json = False,
) -> None:
    """Describe a model: members, training data, scores, size."""
    from treevote.terminal import is_verbose, tell

    refuse_both({"--rules": rules, "--json": json})
    refuse_both({"--full": full, "--json": json})
    if rules:
        from treevote.commands.explain import rules as lines

        for line in lines(model):
            tell(line)
        return
    from treevote.commands.inspect import as_json, as_text
    from treevote.commands.inspect import inspect as run

    facts = run(model)
    tell(as_json(facts, command_line()) if json else as_text(facts, full=full or is_verbose()))
