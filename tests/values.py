"""Values: dataclasses whose fields cannot be set."""

from __future__ import annotations

import dataclasses
import inspect
import pkgutil
from importlib import import_module


def is_settable(kind: type, field: str) -> bool:
    """Tell whether a field of an instance can be set."""
    try:
        setattr(object.__new__(kind), field, None)
    except dataclasses.FrozenInstanceError:
        return False
    return True


def settable(package: str) -> set[str]:
    """Return the names of the dataclasses in a package that let a field be set."""
    found = pkgutil.iter_modules(import_module(package).__path__, f"{package}.")
    return {
        name
        for module in (import_module(each.name) for each in found)
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if kind.__module__ == module.__name__ and dataclasses.is_dataclass(kind)
        if any(is_settable(kind, field.name) for field in dataclasses.fields(kind))
    }
