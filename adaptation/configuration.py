"""Configuration of an adaptation, from a file and the command line; see ``docs/configuration.md``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from reprlib import repr as short
from typing import Any

from treevote.adaptation.guard import Guard
from treevote.adaptation.scheme import Scheme, scheme_of
from treevote.config import from_mapping, in_file, load_toml, to_mapping, updated
from treevote.ensemble.configuration import require_command
from treevote.errors import ConfigError
from treevote.settings import Seed, Settings


@dataclass(frozen=True)
class Configuration(Settings):
    """A configuration file.

    Attributes
    ----------
    seed : int
        Seed of the training; by default that of the model.
    scheme : Scheme
        Scheme of the adaptation.
    guard : Guard
        Limits for the text and for the adapted model.
    """

    seed: Seed | None = None
    scheme: Scheme = field(default_factory=Scheme)
    guard: Guard = field(default_factory=Guard)


def read_configuration(
    path: str | Path | None = None, scheme: str | None = None, changes: Mapping[str, Any] | None = None
) -> Configuration:
    """Read a configuration file, by default the default configuration, and put settings in the place of its own.

    ``scheme`` is the name of another scheme; ``changes`` are other settings, as tables within tables, of which those
    that are None are left as they are. ConfigError, with the file and the key, if something is not known.
    """
    mapping = to_mapping(Configuration())
    if path is not None:
        content = load_toml(path)
        with in_file(path):
            mapping = to_mapping(_of_file(content))
    if scheme is not None:
        mapping["scheme"] = to_mapping(scheme_of(scheme))
    return from_mapping(Configuration, updated(mapping, changes or {}))


def _of_file(mapping: Mapping[str, Any]) -> Configuration:
    """Return the configuration of a file; missing settings are those of the scheme in ``like``."""
    require_command("adapt", mapping)
    own = mapping.get("scheme", {})
    if not isinstance(own, Mapping):
        raise ConfigError(f"scheme: expected a table, found {short(own)}; write [scheme], with the name as like = ...")
    like = own.get("like", "default")
    if not isinstance(like, str):
        raise ConfigError(f"scheme.like: expected a string, found {short(like)}; correct this value")
    base = to_mapping(Configuration(scheme=scheme_of(like)))
    changes = {**mapping, "scheme": {key: value for key, value in own.items() if key != "like"}}
    return from_mapping(Configuration, updated(base, changes))
