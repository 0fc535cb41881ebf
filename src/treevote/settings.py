"""Settings that check themselves: the type of a field of a dataclass defines its possible values.

The types are those of `treevote.config`; `Annotated` with an `Interval` bounds a number.
"""

from __future__ import annotations

import math
import typing
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple, TypeAlias

from treevote.config import converted, settings_of
from treevote.errors import ConfigError


class Interval(NamedTuple):
    """The range of a numeric setting; ``closed`` names the ends that are part of it."""

    least: float
    most: float = math.inf
    closed: Literal["both", "left", "neither"] = "both"

    def check(self, name: str, value: float) -> None:
        """Raise ConfigError unless a number is in the interval.

        >>> Interval(0, 1, "left").check("prune", 1.0)
        Traceback (most recent call last):
        treevote.errors.ConfigError: prune should be in [0, 1), found 1.0
        """
        least, most, closed = self
        if closed == "both":
            inside = least <= value <= most
            words = f"in {least}..{most}" if most < math.inf else f"at least {least}"
        else:
            inside = (least <= value if closed == "left" else least < value) and value < most
            words = f"in {'[' if closed == 'left' else '('}{least}, {most})"
        if not inside:
            raise ConfigError(f"{name} should be {words}, found {value}")


Share: TypeAlias = Annotated[float, Interval(0, 1, "left")]
"""A share of the largest weight; weights nearer to zero are dropped."""

Count: TypeAlias = Annotated[int, Interval(1)]
"""A number of occurrences; rarer features are left out."""

Seed: TypeAlias = Annotated[int, Interval(0)]
"""The seed of a training."""


@dataclass(frozen=True)
class Settings:
    """A base class for frozen dataclasses of settings: lists become tuples, numbers of NumPy those of Python.

    ConfigError if the type of a field does not allow its value.

    >>> @dataclass(frozen=True)
    ... class Search(Settings):
    ...     width: Annotated[int, Interval(1, 9)] = 4
    >>> Search(width=10)
    Traceback (most recent call last):
    treevote.errors.ConfigError: width should be in 1..9, found 10
    >>> Search(width=2.5)
    Traceback (most recent call last):
    treevote.errors.ConfigError: width: expected a whole number, found 2.5; correct this value
    """

    def __post_init__(self) -> None:
        hints = typing.get_type_hints(type(self), include_extras=True)
        for name in settings_of(type(self)):
            object.__setattr__(self, name, converted(hints[name], getattr(self, name), name))
