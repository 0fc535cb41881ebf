"""TOML <-> frozen dataclasses: the fields and their types define the possible configurations.

A field is a whole number (of at most 64 bits), finite number, truth value, string, `Literal`, `tuple`, `dict` from
strings, dataclass, or a choice of such (dataclasses then differ in a `Literal`); `Any` is not restricted. `Annotated`
with a `treevote.settings.Interval` bounds a number. TOML has no null: a key that is left out has the default of its
field, so a field that may be None needs the default None.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import numbers
import re
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from reprlib import repr as short
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from treevote.errors import ConfigError, unknown
from treevote.files.streams import name_of, path_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")

DATA = {"data": True}
"""Metadata of a field that holds data and is no setting: a mapping does not have it."""

MAX_NESTING = 50
"""Number of tables and lists that may be within each other."""

_LARGEST = 2**63
_SCALARS = {int: "a whole number", float: "a number", bool: "true or false", str: "a string"}


def from_mapping(cls: type[T], mapping: Mapping[str, object], where: str = "") -> T:
    """Build a dataclass from a mapping, such as a table of TOML; fields that are left out have their default.

    ``where`` is the key of the mapping within the whole configuration, for messages. ConfigError if a key is not known
    (the nearest is named), missing, or has a value of the wrong type; also if the dataclass itself raises ValueError.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Search:
    ...     beam: int = 1
    ...     order: Literal["greedy", "best-first"] = "greedy"
    >>> from_mapping(Search, {"beam": 8})
    Search(beam=8, order='greedy')
    >>> from_mapping(Search, {"order": "best"}, "search")
    Traceback (most recent call last):
    treevote.errors.ConfigError: unknown search.order 'best'; did you mean 'best-first'? known: ...
    """
    fields = settings_of(cls)
    hints = typing.get_type_hints(cls, include_extras=True)
    for key in mapping:
        if key not in fields:
            raise unknown("key", _join(where, key), [_join(where, name) for name in fields])
    values = {key: converted(hints[key], value, _join(where, key)) for key, value in mapping.items()}
    for name, field in fields.items():
        if name not in values and field.default is field.default_factory is dataclasses.MISSING:
            expected = _expected(hints[name])
            raise ConfigError(f"{_join(where, name)}: expected {expected}, found nothing; add this key")
    try:
        return cls(**values)
    except ValueError as fault:
        raise ConfigError(f"{where}: {fault}" if where else str(fault)) from fault


def to_mapping(obj: DataclassInstance) -> dict[str, Any]:
    """Return the fields of a dataclass, dataclasses as dicts, tuples as lists: the inverse of `from_mapping`."""
    return {name: _plain(getattr(obj, name)) for name in settings_of(type(obj))}


def settings_of(cls: type[DataclassInstance]) -> dict[str, dataclasses.Field[Any]]:
    """Return the fields of a dataclass that are settings, by name."""
    fields = dataclasses.fields(cls)
    return {field.name: field for field in fields if field.init and not field.metadata.get("data")}


def updated(mapping: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping with other values, table by table; a change that is None leaves the value as it is.

    >>> updated({"beam": 1, "options": {"C": 1, "seed": 2}}, {"options": {"C": 3}, "beam": None})
    {'beam': 1, 'options': {'C': 3, 'seed': 2}}
    """
    result = dict(mapping)
    for key, value in changes.items():
        before = result.get(key)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            result[key] = updated(before, value)
        elif value is not None:
            result[key] = value
    return result


def to_toml(obj: DataclassInstance) -> str:
    """Write a dataclass as TOML, from which `from_mapping` builds an equal one.

    ConfigError if TOML cannot express a value: None in a list or with another default, or a NaN.
    """
    import tomllib

    text = "".join(f"{line}\n" for line in _table(to_mapping(obj), ())).lstrip("\n")
    if from_mapping(type(obj), tomllib.loads(text)) != obj:
        raise ConfigError(f"TOML cannot express {obj}: it has no None (but as the default), no NaN and no lists")
    return text


@contextmanager
def in_file(path: str | Path | None) -> Iterator[None]:
    """Raise ConfigErrors of the block with the name of the file, if there is one."""
    try:
        yield
    except ConfigError as error:
        if path is None:
            raise
        raise ConfigError(f"{name_of(path)}: {error}") from error


def load_toml(path: str | Path) -> dict[str, Any]:
    """Read TOML, ``-`` from standard input; ConfigError, with the line, if it is unreadable, not UTF-8 or not TOML."""
    import tomllib

    path = path_of(path)
    name = name_of(path)
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as fault:
        raise ConfigError(f"{name}: cannot read it ({fault.strerror or fault}); check the path") from fault
    try:
        content = tomllib.loads(raw.decode("utf-8-sig"))
        check_nesting(content)
        return content
    except UnicodeDecodeError as fault:
        line = raw.count(b"\n", 0, fault.start) + 1
        raise ConfigError(f"{name}, line {line}: expected UTF-8; save the file in that encoding") from fault
    except (ValueError, RecursionError) as fault:
        problem, _, place = str(fault).partition(" (at ")
        found = re.match(r"line (\d+)", place)  # else "end of document"
        line = int(found[1]) if found else raw.rstrip().count(b"\n") + 1
        where = f"{name}, line {line}" if place else name
        raise ConfigError(f"{where}: expected TOML, found a fault: {problem}; correct it") from fault


def check_nesting(content: object) -> None:
    """Raise ValueError if more than `MAX_NESTING` tables and lists are within each other."""
    level = [content]
    for _ in range(MAX_NESTING):
        tables = [value for value in level if isinstance(value, dict | list)]
        level = [inner for table in tables for inner in (table.values() if isinstance(table, dict) else table)]
    if level:
        raise ValueError(f"more than {MAX_NESTING} levels of nesting")


def converted(hint: Any, value: object, where: str) -> Any:
    """Return a value as an instance of a type: a list as a tuple, a whole number as a number where one is expected.

    ConfigError, with the name of the setting, ``where``, if the type does not allow the value.
    """
    value = str(value) if isinstance(value, str) else value  # of NumPy, too
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return _frozen(value, where)
    if origin is Annotated:
        value = converted(arguments[0], value, where)
        for interval in arguments[1:]:
            interval.check(where, value)
        return value
    if origin is Literal:
        for choice in arguments:
            if type(value) is type(choice) and value == choice:  # True is not 1
                return value
        if isinstance(value, str):
            raise unknown(where, value, [str(choice) for choice in arguments])
    elif origin in (typing.Union, types.UnionType):
        return _one_of(arguments, value, where)
    elif origin is tuple and isinstance(value, list | tuple):
        hints = arguments[:1] * len(value) if arguments[1:] == (...,) else arguments
        if len(hints) == len(value):
            return tuple(converted(inner, value[k], f"{where}[{k}]") for k, inner in enumerate(hints))
    elif origin in (dict, Mapping) and isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: converted(arguments[1], item, _join(where, key)) for key, item in value.items()}
    elif dataclasses.is_dataclass(hint) and isinstance(hint, type):
        if isinstance(value, Mapping):
            return from_mapping(hint, value, where)
        if isinstance(value, hint):
            return value
    elif hint is float and isinstance(value, numbers.Real) and not isinstance(value, bool):
        number = int(value) if isinstance(value, numbers.Integral) else float(value)
        if abs(number) <= sys.float_info.max:
            return float(number)
    elif hint is int and isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return _frozen(value, where)
    elif type(value) is hint:
        return value
    raise ConfigError(f"{where}: expected {_expected(hint)}, found {short(value)}; correct this value")


def _one_of(hints: tuple[Any, ...], value: object, where: str) -> Any:
    """Return a value as an instance of the first type that allows it."""
    if value is None and type(None) in hints:
        return None
    if all(typing.get_origin(hint) is Literal for hint in hints):
        names = itertools.chain.from_iterable(map(typing.get_args, hints))
        return converted(Literal[*names], value, where)  # pyright: ignore[reportInvalidTypeForm]
    faults = []
    for hint in hints:
        if hint is not type(None):
            try:
                return converted(hint, value, where)
            except ConfigError as fault:
                faults.append(str(fault))
    raise ConfigError("; or ".join(faults))


def _expected(hint: Any) -> str:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return _expected(arguments[0])
    if origin is Literal:
        return "one of " + ", ".join(map(repr, arguments))
    if origin is tuple:
        inner = ", ".join(_expected(hint) for hint in arguments if hint is not ...)
        return f"an array, each {inner}" if ... in arguments else f"an array of {len(arguments)}: {inner}"
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_expected(hint) for hint in arguments if hint is not type(None))
    return _SCALARS.get(hint, "a table" if origin or dataclasses.is_dataclass(hint) else str(hint))


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _frozen(value: object, where: str) -> object:
    """Return a value of unknown type as frozen dataclasses hold it, with tuples and the numbers of Python."""
    if isinstance(value, list | tuple):
        return tuple(_frozen(item, f"{where}[{k}]") for k, item in enumerate(value))
    if isinstance(value, Mapping):
        return {key: _frozen(item, _join(where, key)) for key, item in value.items()}
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        value = int(value) if isinstance(value, numbers.Integral) else float(value)
    if type(value) is int and abs(value) >= _LARGEST:
        raise ConfigError(f"{where}: expected a number of at most 64 bits, found {short(value)}; correct this value")
    return value


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return to_mapping(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _table(mapping: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines of a table: its values first, since a header ends it, then the tables within."""
    tables = {key: value for key, value in mapping.items() if isinstance(value, dict)}
    for key, value in mapping.items():
        if value is not None and key not in tables:
            yield f"{_key(key)} = {_value(value)}"
    for key, table in tables.items():
        yield f"\n[{'.'.join(map(_key, (*path, key)))}]"
        yield from _table(table, (*path, key))


def _key(key: str) -> str:
    return key if re.fullmatch("[A-Za-z0-9_-]+", key) else _value(key)


def _value(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():  # JSON's escapes are TOML's, but for DEL
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case int():
            return str(int(value))
        case float():
            return repr(float(value))
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            pairs = (f"{_key(key)} = {_value(item)}" for key, item in value.items() if item is not None)
            return f"{{{', '.join(pairs)}}}"
    raise ConfigError(f"TOML cannot express {short(value)} here; leave it out")
