"""``treevote config``: a configuration with every setting, of a training or of an adaptation."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treevote.adaptation import configuration as adaptation
from treevote.config import from_mapping, to_mapping, to_toml
from treevote.ensemble.configuration import Configuration, ensemble_of, read_configuration
from treevote.ensemble.members import kind_of


def of_training(path: str | Path | None, members: Sequence[str]) -> str:
    """Return a configuration of a training as TOML, with every default."""
    asked = read_configuration(path)
    if members:
        asked = dataclasses.replace(asked, members=tuple(members))
    trainers: dict[str, Any] = dict(ensemble_of(asked).members)
    settings = {name: {"kind": kind_of(own), **to_mapping(own)} for name, own in trainers.items()}
    whole = from_mapping(Configuration, {**to_mapping(asked), "members": list(trainers), "member": settings})
    return to_toml(whole).rstrip()


def of_adaptation(path: str | Path | None, scheme: str | None, members: Sequence[str] | None) -> str:
    """Return a configuration of an adaptation as TOML, with every default."""
    return to_toml(adaptation.read_configuration(path, scheme, {"scheme": {"members": members}})).rstrip()
