"""The page of all commands, made from the command line itself: ``<!-- commands -->`` in a page is replaced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer.main

from treevote.cli import application

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def commands() -> str:
    """Return a section in Markdown for each command: usage, description, arguments and options."""
    group: Any = typer.main.get_command(application())
    context = group.make_context("treevote", ["quickstart"])
    return "\n".join(line for name, command in group.commands.items() for line in _section(name, command, context))


def _section(name: str, command: Any, parent: Any) -> Iterator[str]:
    context = type(parent)(command, info_name=name, parent=parent)
    usage = " ".join(command.get_usage(context).split()).removeprefix("Usage: ")
    yield from (f"## treevote {name}", "", "```text", usage, "```", "", command.help, "")
    for title, records in command.panels(context).items():
        yield from (f"**{title}**", "")
        for spelling, meaning in records:
            yield from (f"`{spelling}`", f": {' '.join(meaning.split())}".replace("[", r"\["), "")


def _fill(app: Sphinx, page: str, source: list[str]) -> None:
    if page == "commands":
        source[0] = source[0].replace("<!-- commands -->", commands())


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("source-read", _fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
