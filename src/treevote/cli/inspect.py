"""Arguments of the commands that describe a model: ``treevote inspect`` and ``explain``."""

from __future__ import annotations

import os
from typing import Annotated

from treevote.cli import options


def inspect(
    model: Annotated[
        str | None, options.argument("<MODEL>", f"{options.MODEL} Without it, all installed models are listed.")
    ] = None,
    full: Annotated[
        bool, options.output("--full", help="Add detailed scores, the configuration and the files, as -v does.")
    ] = False,
    rules: Annotated[bool, options.output("--rules", help="Print the rules of the decision lists instead.")] = False,
    card: Annotated[
        str | None, options.file(help="Facts for the model card, as TOML: name, licence, not_for. Prints the card.")
    ] = None,
    markdown: Annotated[bool, options.output("--markdown", help="Print the model card as Markdown.")] = False,
    rounds: Annotated[
        list[str] | None,
        options.input(metavar="<MODEL>...", help="Models of earlier rounds of annotation. Prints the learning curve."),
    ] = None,
    report: Annotated[str | None, options.written(help="Write the learning curve as a page, one HTML file.")] = None,
    json: options.Json = False,
) -> None:
    """Describe a model: members, training data, scores, size.

    With --card or --markdown it prints the model card. With --rounds it prints the learning curve, and the worth of the
    next hundred sentences.
    """
    from treevote.errors import ConfigError
    from treevote.files.streams import is_standard_output
    from treevote.terminal import is_verbose, tell

    for name, value in {"--json": json, "--rounds": rounds}.items():
        options.refuse_both({"--rules": rules, "--full": full, "--markdown": markdown, name: value})
    options.refuse_both({"--card": card, "--rules": rules, "--full": full, "--rounds": rounds and not json})
    if report is not None and not rounds:
        raise ConfigError("the page shows a learning curve; name the models of earlier rounds by --rounds")
    if is_standard_output(report):
        raise ConfigError("the curve is on standard output, too; name a file for --report")
    if model is None:
        if full or rules or card or markdown or rounds:
            raise ConfigError("there is no model to describe; name one, or leave the other options out")
        from treevote.report.model import installed_json, installed_text
        from treevote.store.packages import installed_models

        found = installed_models()
        tell(installed_json(found, options.command_line()) if json else installed_text(found))
        return
    if rules:
        from treevote.commands.inspect import rules as lines

        for line in lines(model):
            tell(line)
        return
    from treevote.commands.inspect import facts_read
    from treevote.commands.inspect import inspect as run
    from treevote.commands.model_card import read_card_metadata
    from treevote.report.model import as_json, as_text, card_markdown, card_text

    facts = run(model, read_card_metadata(card))
    if rounds:
        from treevote.report import learning_curve

        others = {os.path.realpath(name): name for name in rounds}  # a folder is one round, however written
        others.pop(os.path.realpath(model), None)
        models = {name: run(name) for name in others.values()} | {str(model): facts}
        facts["curve"] = learning_curve.as_data(models)
        if report is not None:
            learning_curve.write_page(models, report, command=options.command_line(), date=options.today())
        if not json:
            tell(learning_curve.as_text(models))
            return
    with facts_read(model):
        if json:
            text = as_json(facts, options.command_line())
        elif card or markdown:
            text = card_markdown(facts["card"]) if markdown else card_text(facts["card"])
        else:
            text = as_text(facts, full=full or is_verbose())
    tell(text)


def explain(
    model: options.Model,
    file: Annotated[str, options.argument("<FILE>", "Sentences; - is standard input.")],
    sentence: Annotated[int | None, options.number(help="Show this sentence only.", show_default="all")] = None,
    member: Annotated[
        str | None, options.choice(metavar="<NAME>", help="Decision list, if several members of the model are one.")
    ] = None,
) -> None:
    """Show the rule of a decision list behind each arc.

    Sentences without tags are tagged first, if the model has a tagger.
    """
    from treevote.commands.inspect import explain as run
    from treevote.report.model import explained_text
    from treevote.terminal import tell

    for number, words in run(model, file, sentence, member):
        tell(explained_text(number, words))
