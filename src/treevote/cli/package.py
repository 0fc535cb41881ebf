"""Arguments of ``treevote package``."""

from __future__ import annotations

from typing import Annotated

from treevote.cli import options


def package(
    model: options.Model,
    name: Annotated[str, options.choice(metavar="<NAME>", help="Name of the model once it is installed.")],
    version: Annotated[str, options.choice("--version", metavar="<VERSION>", help="Version of the package.")] = "1.0",
    licence: Annotated[
        str | None, options.guard(metavar="<SPDX>", help="Licence of the model, such as CC-BY-SA-4.0; required.")
    ] = None,
    source: Annotated[str, options.choice(metavar="<TEXT>", help="Origin of the training data.")] = "",
    card: Annotated[str | None, options.file(help="Facts for the model card, as TOML; see treevote inspect.")] = None,
    output: Annotated[str, options.output("--output", "-o", metavar="<DIR>", help="Folder to write into.")] = "dist",
) -> None:
    """Make a wheel and an sdist of a model, for pip install.

    Every command then takes the name of the installed model in place of its folder.
    """
    import dataclasses

    from treevote.commands.inspect import facts_read, inspect
    from treevote.commands.model_card import read_card_metadata
    from treevote.commands.package import Release, write_packages
    from treevote.report.model import card_markdown
    from treevote.terminal import size, tell

    release = Release.of(name, version, licence)
    stated = read_card_metadata(card)
    stated = dataclasses.replace(
        stated, name=stated.name or release.name, licence=stated.licence or release.licence, data=source or stated.data
    )
    facts = inspect(model, stated)
    with facts_read(model):
        markdown = card_markdown(facts["card"])
    for path in write_packages(model, release, facts, markdown, output):
        tell(f"{path}  {size(path.stat().st_size)}")
