"""Values: dataclasses whose fields cannot be set."""

from __future__ import annotations

import dataclasses
import inspect
import pkgutil
import re
from importlib import import_module

ARRAYS = re.compile("Ints|Longs|Bools|Floats|Doubles|Words|NDArray|ndarray")
"""Types of arrays."""


def is_settable(kind: type, field: str) -> bool:
    """Tell whether a field of an instance can be set."""
    try:
        setattr(object.__new__(kind), field, None)
    except dataclasses.FrozenInstanceError:
        return False
    return True


def dataclasses_of(package: str) -> dict[str, type]:
    """Return the dataclasses in a package by name."""
    found = pkgutil.iter_modules(import_module(package).__path__, f"{package}.")
    return {
        name: kind
        for module in (import_module(each.name) for each in found)
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if kind.__module__ == module.__name__ and dataclasses.is_dataclass(kind)
    }


def settable(package: str) -> set[str]:
    """Return the names of the dataclasses in a package that let a field be set."""
    return {
        name
        for name, kind in dataclasses_of(package).items()
        if any(is_settable(kind, field.name) for field in dataclasses.fields(kind))
    }


def comparing_arrays(package: str) -> set[str]:
    """Return the names of the dataclasses in a package that compare arrays, which have no truth value."""
    return {
        name
        for name, kind in dataclasses_of(package).items()
        if "__eq__" in vars(kind) and any(ARRAYS.search(str(field.type)) for field in dataclasses.fields(kind))
    }
