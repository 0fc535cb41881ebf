"""``treevote config``: a configuration with every setting, of a training or of an adaptation."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treevote.adaptation import configuration as adaptation
from treevote.config import from_mapping, to_mapping, to_toml
from treevote.ensemble.configuration import Configuration, ensemble_of, read_configuration
from treevote.ensemble.members import kind_of, known_members


def of_training(path: str | Path | None = None, members: Sequence[str] = ()) -> str:
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
    >>> written = of_training(members=["pipeline"]).split("\n")
    >>> written[3], written[7:9]
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


def of_adaptation(
    path: str | Path | None = None, scheme: str | None = None, members: Sequence[str] | None = None
) -> str:
    r"""Return a configuration as TOML, with the defaults written out; ``treevote adapt --config`` reads it back.

    Parameters
    ----------
    path : path, optional
        A configuration to complete; by default the empty one.
    scheme : str, optional
        Name of a scheme in place of its own.
    members : sequence of str, optional
        Members of the adapted model in place of its own.

    Raises
    ------
    ConfigError
        If the file cannot be read, or a scheme or setting is not known.

    Examples
    --------
    >>> of_adaptation(scheme="paper").split("\n")[:3]
    ['[scheme]', 'committee = ["lr-maxent-forward", "lr-svm-backward"]', 'rounds = 1']
    """
    return to_toml(adaptation.read_configuration(path, scheme, {"scheme": {"members": members}})).rstrip()
