"""The command line: each command reads arguments, calls one function, and prints its result.

Nothing heavy is imported before a command runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress
from typing import Annotated

import typer

from treevote.cli.adapt import adapt
from treevote.cli.benchmark import benchmark
from treevote.cli.cascade import cascade
from treevote.cli.config import config
from treevote.cli.evaluate import evaluate
from treevote.cli.explain import explain
from treevote.cli.group import Command, Commands
from treevote.cli.inspect import inspect
from treevote.cli.parse import parse
from treevote.cli.quickstart import quickstart
from treevote.cli.reliability import reliability
from treevote.cli.show import show
from treevote.cli.signals import SENTENCE, Stopped, stoppable
from treevote.cli.streams import open_streams
from treevote.cli.study import study
from treevote.cli.text import text
from treevote.cli.train import train
from treevote.cli.vote import vote
from treevote.cli.warm import warm
from treevote.version import __version__

app = typer.Typer(
    cls=Commands,
    help="Several dependency parsers, one vote: train an ensemble on a treebank and parse with it.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,  # a plain text is there in half the time
    pretty_exceptions_enable=False,
)


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


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", callback=_quiet, expose_value=False, help="Show errors only.")
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", callback=_verbose, expose_value=False, help="Show notices that need no action, too."
        ),
    ] = False,
) -> None:
    pass


for _command in (
    train,
    config,
    parse,
    vote,
    adapt,
    evaluate,
    show,
    reliability,
    cascade,
    inspect,
    explain,
    quickstart,
    study,
    text,
    benchmark,
    warm,
):
    app.command(cls=Command)(_command)


def _leave_out_others(name: str) -> None:
    """Leave out all commands but the named one, if there is such a command: to read the options of all takes time."""
    named = [command for command in app.registered_commands if getattr(command.callback, "__name__", "") == name]
    app.registered_commands = named or app.registered_commands


def main() -> None:
    """Run the command line."""
    open_streams()
    _leave_out_others(next((argument for argument in sys.argv[1:] if not argument.startswith("-")), ""))
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # those of libraries ask nothing of the user
    try:
        with stoppable():
            app(prog_name="treevote")
    except Stopped as stop:  # before a command was found, or behind its end
        with suppress(OSError):
            print(f"treevote: {SENTENCE}", file=sys.stderr)
        sys.exit(stop.code)
