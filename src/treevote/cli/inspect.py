"""Arguments of ``treevote inspect``."""

from __future__ import annotations

from typing import Annotated

from treevote.cli.options import Json, Model, command_line, input_option, output_option, refuse_both


def inspect(
    model: Model,
    full: Annotated[
        bool, output_option("--full", help="Add scores in detail, configuration and files, as does -v.")
    ] = False,
    rules: Annotated[bool, output_option("--rules", help="Print the rules of its decision lists instead.")] = False,
    card: Annotated[
        str | None,
        input_option(
            metavar="FILE", help="What the model cannot know, as TOML: name, licence, not_for; shows its card."
        ),
    ] = None,
    markdown: Annotated[bool, output_option("--markdown", help="Print its card as Markdown.")] = False,
    json: Json = False,
) -> None:
    """Describe a model: members, training data, scores, size; with --card or --markdown as a model card."""
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

    facts = run(model, card)
    if not json and (card or markdown):
        from treevote.commands import model_card

        tell((model_card.as_markdown if markdown else model_card.as_text)(facts["card"]))
        return
    tell(as_json(facts, command_line()) if json else as_text(facts, full=full or is_verbose()))
