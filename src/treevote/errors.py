"""The exceptions that treevote raises on purpose.

::

    TreevoteError
    ├── InputError       a treebank file or sentence that cannot be used
    ├── ModelError       a model folder that cannot be read or written
    └── ConfigError      a configuration, member or option name that is not known

The command line turns each of them into one sentence on standard error and exit code 1.
"""

from __future__ import annotations

import difflib
import inspect
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any


class TreevoteError(Exception):
    """Base class: catch it to catch everything that treevote raises on purpose."""


class InputError(TreevoteError):
    """A fault in a treebank: place, expected content, actual content, remedy.

    Parameters
    ----------
    problem : str
        Expected and actual content.
    path : str, default=""
        The file, or ``<stdin>``; empty when the sentences did not come from a file.
    line : int, optional
        Line in the file, counted from 1.
    sentence : str, default=""
        The ``sent_id``, else the number of the sentence counted from 1.
    remedy : str, default=""
        Instruction for the user.

    Examples
    --------
    >>> str(InputError("HEAD 9 is out of range 0..3", path="a.conllu", line=7, remedy="correct the head"))
    'a.conllu, line 7: HEAD 9 is out of range 0..3; correct the head'
    """

    def __init__(
        self, problem: str, *, path: str = "", line: int | None = None, sentence: str = "", remedy: str = ""
    ) -> None:
        self.problem, self.path, self.line, self.sentence, self.remedy = problem, path, line, sentence, remedy
        where = [path] if path else []
        if line is not None:
            where.append(f"line {line}")
        if sentence:
            where.append(f"sentence {sentence}")
        super().__init__((", ".join(where) + ": " if where else "") + problem + (f"; {remedy}" if remedy else ""))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle all parts of the error, for worker processes."""
        parts: dict[str, Any] = {"path": self.path, "line": self.line, "sentence": self.sentence, "remedy": self.remedy}
        return partial(InputError, self.problem, **parts), ()


class ModelError(TreevoteError):
    """A model folder that is damaged, of another version, or not a model."""


class ConfigError(TreevoteError):
    """A name or value in a configuration that treevote does not know."""


class TreevoteWarning(UserWarning):
    """A doubt that the user should know of: the command line shows it as one sentence."""


def warn(sentence: str) -> None:
    """Give a `TreevoteWarning` at the line that called treevote."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("treevote."):
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, TreevoteWarning, stacklevel=level)


_LONGEST = 200
_NEAR = 0.5  # similarity, 0..1, of names that may be meant for each other


def shortened(name: str) -> str:
    """Return a name, or the beginning of a very long one."""
    return name if len(name) <= _LONGEST else name[:_LONGEST] + "…"


def unknown(kind: str, name: object, known: Iterable[str]) -> ConfigError:
    """Return the error for an unknown name of a kind, such as ``"member"``, with the nearest known one, if one is near.

    >>> str(unknown("member", "lr-maxent-foward", ["lr-maxent-forward", "lr-svm-forward"]))
    "unknown member 'lr-maxent-foward'; did you mean 'lr-maxent-forward'? known: lr-maxent-forward, lr-svm-forward"
    >>> str(unknown("preset", 5, ["fast", "best", "fast"]))
    "unknown preset '5'; known: fast, best"
    """
    names, name = list(dict.fromkeys(known)), shortened(str(name))
    return ConfigError(f"unknown {kind} '{name}'; {nearest(name, names)}known: {', '.join(names)}")


def nearest(name: str, known: Sequence[str]) -> str:
    """Return the question whether the nearest known name is meant, and a space; an empty string if none is near."""
    folded = {each.casefold(): each for each in reversed(known)}
    near = difflib.get_close_matches(shortened(name).casefold(), folded, n=1, cutoff=_NEAR)
    return f"did you mean '{folded[near[0]]}'? " if near else ""


def require_known(kind: str, name: object, known: Iterable[str]) -> None:
    """Raise the error of `unknown` if a name of a kind is none of those that are known."""
    names = list(known)
    if name not in names:
        raise unknown(kind, name, names)


@contextmanager
def extra(name: str, need: str) -> Iterator[None]:
    """Import the library of an extra, as ``pyproject.toml`` names it, in the block; ConfigError if that fails.

    Extras are libraries of single features, imported when the feature is asked for.
    """
    try:
        yield
    except ImportError as error:
        raise ConfigError(f"{need}, which cannot be loaded ({error}); pip install 'treevote[{name}]'") from None
