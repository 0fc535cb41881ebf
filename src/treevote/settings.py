"""Settings that check themselves: the type of a field of a dataclass defines its possible values.

A `Literal` names all values of a field; `Annotated` with an `Interval` bounds a number, or each number of a tuple.
"""

from __future__ import annotations

import math
import typing
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from treevote.errors import ConfigError, unknown


class Interval(NamedTuple):
    """The range of a numeric setting.

    Attributes
    ----------
    least, most : float
    closed : {"both", "left", "neither"}
        The ends that are part of the interval.
    """

    least: float
    most: float = math.inf
    closed: Literal["both", "left", "neither"] = "both"

    def check(self, name: str, value: float) -> None:
        """Raise ConfigError unless a number is in the interval.

        Examples
        --------
        >>> Interval(1, 9).check("width", 0)
        Traceback (most recent call last):
        treevote.errors.ConfigError: width should be in 1..9, found 0
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


@dataclass(frozen=True)
class Settings:
    """A base class for frozen dataclasses of settings.

    Raises
    ------
    ConfigError
        If the type of a field does not allow its value.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Search(Settings):
    ...     width: Annotated[int, Interval(1, 9)] = 4
    ...     order: Literal["greedy", "best-first"] = "greedy"
    >>> Search(width=10)
    Traceback (most recent call last):
    treevote.errors.ConfigError: width should be in 1..9, found 10
    >>> Search(order="gredy")
    Traceback (most recent call last):
    treevote.errors.ConfigError: unknown order 'gredy'; did you mean 'greedy'? known: greedy, best-first
    """

    def __post_init__(self) -> None:
        hints = typing.get_type_hints(type(self), include_extras=True)
        for field in fields(self):
            check(field.name, getattr(self, field.name), hints[field.name])


def check(name: str, value: Any, hint: Any) -> None:
    """Raise ConfigError unless a type allows a value.

    Examples
    --------
    >>> check("order", 3, Literal[1, 2])
    Traceback (most recent call last):
    treevote.errors.ConfigError: order should be 1 or 2, found 3
    """
    if typing.get_origin(hint) is Literal:
        known = typing.get_args(hint)
        if value not in known:
            if isinstance(known[0], str):
                raise unknown(name, str(value), known)
            raise ConfigError(f"{name} should be {' or '.join(map(str, known))}, found {value}")
    for interval in getattr(hint, "__metadata__", ()):
        for number in value if isinstance(value, tuple) else (value,):
            interval.check(name, number)
