"""``treevote config``: a configuration with every setting of its members."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treevote.config import from_mapping, to_mapping, to_toml
from treevote.ensemble.configuration import Configuration, ensemble_of, read_configuration
from treevote.ensemble.members import kind_of, known_members


def config(path: str | Path | None = None, members: Sequence[str] = ()) -> str:
    r"""Return a configuration as TOML, with the defaults written out; ``treevote train --config`` reads it back.

    Parameters
    ----------
    path : path, optional
        A configuration to complete; by default the empty one.
    members : sequence of str
        Names of members in place of its own; ``all`` alone is every member.

    Raises
    ------
    ConfigError
        If the file cannot be read, or a member or setting is not known.

    Examples
    --------
    >>> written = config(members=["pipeline"]).split("\n")
    >>> written[4], written[8:10]
    ('members = ["pipeline"]', ['[member.pipeline]', 'kind = "pipeline-parser"'])
    """
    asked = read_configuration(path)
    if members:
        named = tuple(known_members()) if tuple(members) == ("all",) else tuple(members)
        asked = dataclasses.replace(asked, members=named)
    trainers: dict[str, Any] = dict(ensemble_of(asked).members)
    settings = {name: {"kind": kind_of(own), **to_mapping(own)} for name, own in trainers.items()}
    whole = from_mapping(Configuration, {**to_mapping(asked), "members": list(trainers), "member": settings})
    return to_toml(whole).rstrip()
