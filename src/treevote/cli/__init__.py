"""The command line: each command reads arguments, calls one function, and prints its result.

Nothing heavy is imported before a command runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Annotated

import typer

from treevote.cli.group import Command, Commands
from treevote.cli.signals import SENTENCE, Interruption, stoppable
from treevote.cli.streams import open_streams
from treevote.version import __version__

COMMANDS = {
    "train": "train",
    "config": "train",
    "parse": "parse",
    "vote": "vote",
    "serve": "serve",
    "adapt": "adapt",
    "doctor": "doctor",
    "next": "next",
    "evaluate": "evaluate",
    "show": "show",
    "reliability": "evaluate",
    "cascade": "evaluate",
    "inspect": "inspect",
    "explain": "inspect",
    "package": "package",
    "quickstart": "quickstart",
    "study": "study",
    "text": "clusters",
    "clusters": "clusters",
    "vectors": "clusters",
    "warm": "quickstart",
}
"""The module of each command, which is the function of this name, in the order of the help."""


def application(commands: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the command line with some commands; the modules of others are not loaded."""
    made = typer.Typer(
        cls=Commands,
        help="Several dependency parsers, one vote: train an ensemble on a treebank and parse with it.",
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        rich_markup_mode=None,  # a plain text is there in half the time
        pretty_exceptions_enable=False,
    )
    made.callback()(_options)
    for name in commands:
        made.command(cls=Command)(getattr(importlib.import_module(f"treevote.cli.{COMMANDS[name]}"), name))
    return made


def application_for(arguments: Sequence[str]) -> typer.Typer:
    """Return the command line with the command of the arguments alone, as to read the options of all takes time."""
    first = [argument for argument in arguments if not argument.startswith("-")][:1]
    return application([name for name in first if name in COMMANDS] or COMMANDS)


def _quiet(wanted: bool) -> None:
    if wanted:
        from treevote.terminal import be_quiet

        be_quiet()


def _verbose(wanted: bool) -> None:
    if wanted:
        from treevote.terminal import be_verbose

        be_verbose()


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"treevote {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", callback=_quiet, expose_value=False, help="Show results and errors only.")
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", callback=_verbose, expose_value=False, help="Show notices that need no action, too."
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    open_streams()
    app = application_for(sys.argv[1:])
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # those of libraries ask nothing of the user
    try:
        with stoppable():
            app(prog_name="treevote")
    except Interruption as stop:  # before a command was found, or behind its end
        with suppress(OSError):
            print(f"treevote: {SENTENCE}", file=sys.stderr)
        sys.exit(stop.code)
