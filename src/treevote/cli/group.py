"""The group of all commands: how they fail, and how their options are spelled and listed."""

from __future__ import annotations

import itertools
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from treevote.cli.options import PANELS, remember
from treevote.cli.signals import SENTENCE, Interruption
from treevote.compilation import listened
from treevote.errors import ConfigError, TreevoteError, TreevoteWarning
from treevote.visibility import visible

LEAST_MEMORY = 600 << 20
"""Bytes of address space without which no command can begin."""


class Commands(TyperGroup):
    """All commands; every fault that is no bug becomes one sentence and an exit code here."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take ``help train`` as ``train --help``, and ``help`` as ``--help``."""
        return super().parse_args(ctx, [*args[1:2], "--help"] if args[:1] == ["help"] else args)

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Read the options; ``--help`` is answered here."""
        with _one_sentence():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; exit with 1 for a fault, 128 + n for signal n, 141 if the reader of the output is gone."""
        with _one_sentence():
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result


class Command(TyperCommand):
    """A command whose options are listed in groups, and take several values at once: ``--train A B``.

    It also takes the options of the whole program, but for ``--version``.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; ``--help`` is the last."""
        *own, last = super().get_params(ctx)
        return [*own, *(param for param in ctx.parent.command.params if param.name in ("quiet", "verbose")), last]

    def panels(self, ctx: Any) -> dict[str, list[tuple[str, str]]]:
        """Return spelling and meaning of each parameter by the title of its group, in the order of the help."""
        panels: dict[str, list[tuple[str, str]]] = {title: [] for title in ("Arguments", *PANELS, "Options")}
        for param in self.get_params(ctx):
            spelling, meaning = param.get_help_record(ctx)
            if argument := param.param_type_name == "argument":
                spelling = param.metavar  # without the type
            title = "Arguments" if argument else getattr(param, "rich_help_panel", None) or "Options"
            panels[title].append((spelling, _range_in_words(meaning)))
        return {title: records for title, records in panels.items() if records}

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage line: arguments as in their list, in brackets if they may be missing."""
        arguments = [param for param in self.get_params(ctx) if param.param_type_name == "argument"]
        return ["[OPTIONS]", *(one.metavar if one.required else f"[{one.metavar}]" for one in arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the groups: plain text, since rich would double the time of ``--help``."""
        for title, records in self.panels(ctx).items():
            with formatter.section(title):
                formatter.write_dl(records)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; say if kernels are compiled for it."""
        _require_memory()
        from treevote.terminal import announce

        with listened(announce), _warnings_told():
            return super().invoke(ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat an option of several values before each of them; ``--json`` alone is ``--json=compact``.

        If an argument is missing, and may be among the values of such an option, the error says so.
        """
        remember(["treevote", str(ctx.info_name), *args])
        jsons = [param for param in self.params if param.name == "json" and not getattr(param, "is_flag", False)]
        optional = {name for param in jsons for name in param.opts}
        args = [f"{arg}=compact" if arg in optional else arg for arg in args]
        if not ctx.resilient_parsing:  # of a shell that completes words
            self._require_values(ctx, args)
        several = {name for param in self.params if getattr(param, "multiple", False) for name in param.opts}
        spelled: list[str] = []
        option = greedy = ""
        for i, arg in enumerate(args):
            if arg.startswith("-") and arg != "-":
                option = arg if arg in several else ""
                spelled.append(arg)
            else:
                greedy = option if option and args[i - 1] != option else greedy
                spelled += [option, arg] if option and args[i - 1] != option else [arg]
        try:
            return super().parse_args(ctx, spelled)
        except typer.BadParameter as error:
            if greedy and not error.message and getattr(error.param, "param_type_name", "") == "argument":
                error.message = f"{greedy} takes all values behind it; put it after the arguments"
            elif faults := getattr(error.__cause__, "errors", list[Any])():  # of pydantic
                error.message = _fault_in_words(error.message, faults[0]["input"])
            raise

    def _require_values(self, ctx: Any, args: list[str]) -> None:
        """Refuse another option in place of the value of one: ``-o --json`` would write a file of that name."""
        options = {name: param for param in self.get_params(ctx) for name in (*param.opts, *param.secondary_opts)}
        options = {name: param for name, param in options.items() if param.param_type_name == "option"}
        for before, arg in itertools.pairwise(itertools.takewhile(lambda arg: arg != "--", args)):
            found = arg.partition("=")[0]
            if before in options and not getattr(options[before], "is_flag", False) and found in options:
                problem = f"expected a value, found the option {found}"
                raise typer.BadParameter(problem, ctx=ctx, param=options[before])


def _fault_in_words(message: str, found: object) -> str:
    """Return what is wrong with a value, with the value and without the words of pydantic.

    >>> _fault_in_words("Input should be a valid integer, unable to parse string as an integer", "abc")
    "'abc' should be a valid integer"
    >>> _fault_in_words("Value error, 'conlu' is not one of 'auto', 'conllu'.", "conlu")
    "'conlu' is not one of 'auto', 'conllu'."
    """
    if message.startswith("Input should "):
        return message.partition(",")[0].replace("Input", repr(found), 1)
    return message.removeprefix("Value error, ")


def _range_in_words(meaning: str) -> str:
    """Return the help of an option with plain words for its default and its range.

    >>> _range_in_words("Seed. [default: (0); x>=0]"), _range_in_words("Share. [0<=x<=1]")
    ('Seed. [default: 0; at least 0]', 'Share. [0 to 1]')
    """
    meaning = re.sub(r"\[default: \((.*)\)", r"[default: \1", meaning)
    meaning = re.sub(r"x>=(\S+)\]$", r"at least \1]", meaning)
    return re.sub(r"([\d.]+)<=x<=(\S+)\]$", r"\1 to \2]", meaning)


def _require_memory() -> None:
    """Refuse to work where the compiled libraries could not even be loaded: some of them hang or crash then."""
    with suppress(ImportError):  # not on Windows
        from resource import RLIMIT_AS, getrlimit

        limit = getrlimit(RLIMIT_AS)[0]
        if 0 <= limit < LEAST_MEMORY:
            found = f"expected at least {LEAST_MEMORY >> 20} MiB of memory for the process, found a limit of"
            raise ConfigError(f"{found} {limit >> 20} MiB; raise it with ulimit -v")


@contextmanager
def _warnings_told() -> Iterator[None]:
    """Show a warning of treevote as one sentence; those of libraries are left to the filters."""

    def show(message: Warning | str, category: type[Warning], *place: Any, **where: Any) -> None:
        if issubclass(category, TreevoteWarning):
            from treevote.terminal import warn

            warn(str(message))
        else:
            others(message, category, *place, **where)

    with warnings.catch_warnings():
        others, warnings.showwarning = warnings.showwarning, show
        warnings.simplefilter("always", TreevoteWarning)
        yield


@contextmanager
def _one_sentence() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        _close_output()
        raise typer.Exit(141) from None  # as if the signal had killed it
    except KeyboardInterrupt as stop:
        _close_output()  # it may be a pipe that is not read
        _fail(SENTENCE, stop.code if isinstance(stop, Interruption) else 130)
    except TreevoteError as error:
        _fail(" ".join(str(error).split()))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(f"{where}{error.strerror or error}; check paths, permissions and the space on the disk")
    except MemoryError:
        _fail("there is not enough memory; use fewer jobs, fewer members, or less data")


def _fail(sentence: str, code: int = 1) -> NoReturn:
    with suppress(OSError, TreevoteError):
        sys.stdout.flush()
    _close_output()
    typer.echo(f"treevote: {visible(sentence)}", err=True)
    raise typer.Exit(code) from None


def _close_output() -> None:
    """Discard further standard output: at the end Python would try to write the rest, and print an error."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
