"""How commands fail, and how their options are spelled."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from treevote.cli.signals import SENTENCE, Stopped
from treevote.errors import TreevoteError
from treevote.visibility import visible


class Commands(TyperGroup):
    """The one place where every fault that is not a bug becomes one sentence and an exit code."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Read the options; ``--help`` is answered here."""
        with _one_sentence():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; exit with 1 for a fault, 128 + n for signal n, 141 when nobody reads the output."""
        with _one_sentence():
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result


class SeveralValues(TyperCommand):
    """A command whose options that may be repeated also take several values at once: ``--train A B``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat the option before each of its values."""
        several = {name for param in self.params if getattr(param, "multiple", False) for name in param.opts}
        spelled: list[str] = []
        option = ""
        for i, arg in enumerate(args):
            if arg.startswith("-") and arg != "-":
                option = arg if arg in several else ""
                spelled.append(arg)
            else:
                spelled += [option, arg] if option and args[i - 1] != option else [arg]
        return super().parse_args(ctx, spelled)


@contextmanager
def _one_sentence() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        _close_output()
        raise typer.Exit(141) from None  # as if the signal had killed it
    except KeyboardInterrupt as stop:
        _close_output()  # it may be a pipe that is not read
        _fail(SENTENCE, stop.code if isinstance(stop, Stopped) else 130)
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
    """Point standard output to nowhere: at the end Python would try to write what is left, and complain."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
