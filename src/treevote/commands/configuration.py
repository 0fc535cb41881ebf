"""Which members an ensemble has: from a file, from the command line, or the default.

::

    weights = "pos"                       # equal, accuracy or pos
    seed = 1
    members = ["lr-maxent-forward", "wide"]

    [member.wide]                         # a new member, like a known one but for these keys
    like = "lr-maxent-forward"
    width = 32

    [member.lr-maxent-forward.options]    # a known member with other settings
    epochs = 20

A member without ``like`` and with a new name has the defaults of
`treevote.models.transition.parser.TransitionTrainer`. Without ``members``, the members with a table are the ensemble.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from treevote.config import from_mapping, load_toml, to_mapping
from treevote.ensemble.members import DEFAULT_MEMBERS, MEMBERS
from treevote.ensemble.parser import EnsembleTrainer
from treevote.errors import ConfigError, unknown
from treevote.models.transition.parser import TransitionTrainer


@dataclass(frozen=True)
class Configuration:
    """A configuration file.

    Attributes
    ----------
    weights : {"equal", "accuracy", "pos"}
        How much the vote of each member counts.
    seed : int
        Seed of the training.
    members : tuple of str
        Names of the members, the best first; empty: those of ``member``, else the default.
    member : dict
        Settings by name of member.
    """

    weights: Literal["equal", "accuracy", "pos"] = "equal"
    seed: int = 0
    members: tuple[str, ...] = ()
    member: dict[str, dict[str, Any]] = field(default_factory=dict)


def read_configuration(path: str | Path | None) -> Configuration:
    """Read a configuration file; without a path, return the default.

    Raises
    ------
    ConfigError
        If the file cannot be read, or has an unknown key.
    """
    if path is None:
        return Configuration()
    mapping = load_toml(path)
    if "members" in mapping and isinstance(mapping["members"], dict):
        raise ConfigError(
            f"{path}: the table of a member is [member.NAME], and members a list of names; correct the key"
        )
    try:
        return from_mapping(Configuration, mapping)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def ensemble_of(configuration: Configuration, settings: Mapping[str, object] | None = None) -> EnsembleTrainer:
    """Return the trainer of a configuration.

    Parameters
    ----------
    configuration : Configuration
        The members. A name that is given twice is trained twice, the second time as ``name-2``.
    settings : mapping, optional
        Settings that all members take over, whatever they have on their own.

    Raises
    ------
    ConfigError
        If a member, setting or value is not known.

    Examples
    --------
    >>> wide = Configuration(member={"wide": {"like": "lr-maxent-backward", "width": 32}})
    >>> trainer = ensemble_of(wide, {"encoding": "head"}).members["wide"]
    >>> trainer.direction, trainer.width, trainer.encoding
    ('backward', 32, 'head')
    """
    known = dict(MEMBERS)
    for name, own in configuration.member.items():
        known[name] = _trainer(name, own, known)
    members: dict[str, TransitionTrainer] = {}
    for name in configuration.members or tuple(configuration.member) or DEFAULT_MEMBERS:
        if name not in known:
            raise unknown("member", name, known)
        if name == "vote":
            raise ConfigError("a member cannot be called 'vote', as the vote of all is; choose another name")
        trainer = known[name]
        if settings:
            trainer = from_mapping(TransitionTrainer, {**to_mapping(trainer), **settings})
        members[_new(name, members)] = trainer
    return EnsembleTrainer(members, configuration.weights)


def _trainer(name: str, own: Mapping[str, Any], known: Mapping[str, TransitionTrainer]) -> TransitionTrainer:
    """Return the trainer of a table: the settings of the member that it is like, with its own in their place."""
    own = dict(own)
    like = own.pop("like", name if name in known else None)
    if like is not None and like not in known:
        raise unknown(f"member in member.{name}.like", str(like), known)
    base = to_mapping(known[like]) if like is not None else {}
    options = own.get("options", {})
    if isinstance(options, Mapping) and own.get("learner", base.get("learner")) == base.get("learner"):
        own["options"] = {**base.get("options", {}), **options}
    else:
        own["options"] = options  # those of another learner would make no sense
    return from_mapping(TransitionTrainer, {**base, **own}, f"member.{name}")


def _new(name: str, taken: Mapping[str, object]) -> str:
    """Return a name that is not taken yet."""
    marks = ("", *(f"-{k}" for k in range(2, len(taken) + 2)))
    return next(unique for mark in marks if (unique := name + mark) not in taken)
