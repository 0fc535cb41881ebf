"""The command line: arguments in, one plain function called, its result said in a few words.

Nothing heavy is imported before a command runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

from typing import Annotated

import typer
from typer.core import TyperCommand

from treevote import __version__
from treevote.cli import adapting, judging, parsing
from treevote.commands.group import Commands, SeveralValues
from treevote.commands.signals import stoppable
from treevote.commands.streams import open_streams

app = typer.Typer(
    cls=Commands,
    help="Several dependency parsers, one vote: train an ensemble on a treebank and parse with it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # a plain text is there in half the time
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"treevote {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version and exit.")
    ] = False,
) -> None:
    pass


for _command, _class in (
    (parsing.train, SeveralValues),
    (parsing.parse, TyperCommand),
    (parsing.vote, SeveralValues),
    (adapting.adapt, SeveralValues),
    (judging.evaluate, TyperCommand),
    (judging.show, TyperCommand),
    (judging.reliability, TyperCommand),
    (parsing.inspect, TyperCommand),
    (parsing.explain, TyperCommand),
    (parsing.quickstart, TyperCommand),
    (judging.study, TyperCommand),
    (judging.benchmark, TyperCommand),
):
    app.command(cls=_class)(_command)


def main() -> None:
    """Run the command line."""
    open_streams()
    with stoppable():
        app(prog_name="treevote")
