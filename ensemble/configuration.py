"""Configuration of an ensemble: its members, from a file, from the command line, or the default.

See ``docs/configuration.md``. A member without ``like`` or ``kind`` and with a new name is an LR parser with the
defaults of `transition.parser.TransitionTrainer`. Without ``members``, the members with a table are the
ensemble.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from reprlib import repr as short
from typing import Any, Literal, TypeAlias

from treevote.config import converted, from_mapping, in_file, load_toml, to_mapping
from treevote.ensemble import members as known
from treevote.ensemble.members import DEFAULT_MEMBERS, expanded, find_member, kind_of, member_of, require_free
from treevote.ensemble.selection import VoteKind
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.errors import ConfigError, nearest
from treevote.models.parsers.transition import parser as lr
from treevote.settings import Seed, Settings


@dataclass(frozen=True)
class Configuration(Settings):
    """A configuration file.

    Attributes
    ----------
    weights : {"auto", "equal", "accuracy", "pos", "learned"}
        Kind of the weights of the votes, see `treevote.ensemble.trainer.EnsembleTrainer`.
    select : bool
        Whether the best members and weights are selected.
    folds : int, optional
        Folds of the training data, for measurements without a development set; 0 for none. By default the command
        chooses, see `treevote.commands.train`.
    seed : int
        Seed of the training.
    members : tuple of str
        Names of the members, the best first, ``default`` for the default ones, ``all`` for every one; empty: those of
        ``member``, else the default.
    member : dict
        Settings by name of member.
    """

    weights: VoteKind | Literal["auto"] = "auto"
    select: bool = False
    folds: int | None = None
    seed: Seed = 0
    members: tuple[str, ...] = ()
    member: dict[str, dict[str, Any]] = field(default_factory=dict)


Preset: TypeAlias = Literal["fast", "default", "best"]

PRESETS: dict[Preset, Configuration] = {
    "fast": Configuration(member={"lr-maxent-forward": {"search": "greedy"}}, folds=0),
    "default": Configuration(),
    "best": Configuration(members=("default", "biaffine", "biaffine"), weights="learned"),
}
"""One fast parser, the default ensemble, and the same with two neural parsers and a learned vote."""


def read_configuration(path: str | Path | None) -> Configuration:
    """Read a configuration file, by default the default; ConfigError, with its name, if no ensemble can have it."""
    if path is None:
        return Configuration()
    mapping = load_toml(path)
    with in_file(path):
        if isinstance(mapping.get("members"), dict):
            raise ConfigError("the table of a member is [member.NAME], and members a list of names; correct the key")
        require_command("train", mapping)
        configuration = from_mapping(Configuration, mapping)
        ensemble_of(configuration)
        return configuration


KEYS = {"train": ("weights", "select", "folds", "members", "member"), "adapt": ("scheme", "guard")}
"""Keys of a configuration that one command has and the other has not."""


def require_command(command: Literal["train", "adapt"], mapping: Mapping[str, Any]) -> None:
    """Raise ConfigError if the keys of a file, which a command reads, are those of the other command."""
    other = "adapt" if command == "train" else "train"
    if mapping.keys().isdisjoint(KEYS[command]) and not mapping.keys().isdisjoint(KEYS[other]):
        problem = f"expected a configuration of treevote {command}, found one of treevote {other}"
        raise ConfigError(f"{problem}; give it to that, or write another with treevote config {command}")


def require_members(configuration: Configuration) -> None:
    """Raise ConfigError if members are named, and a table belongs to none of them, nor to one that another is like."""
    named, tables = expanded(configuration.members), configuration.member
    for name in tables if named else ():
        if name not in named and all(own.get("like") != name or other == name for other, own in tables.items()):
            hint = nearest(name, named)
            raise ConfigError(f"[member.{name}] is no member; {hint}correct the name, name it in members, or remove it")


def ensemble_of(configuration: Configuration, settings: Mapping[str, object] | None = None) -> EnsembleTrainer:
    """Return the trainer of a configuration; a member of a repeated name is trained again, as ``name-2``.

    ``settings`` override those of all members that have them. ConfigError if a member, setting or value is not known,
    or no member knows a setting.

    >>> wide = Configuration(member={"wide": {"like": "lr-maxent-backward", "width": 32}})
    >>> ensemble_of(wide, {"encoding": "head"}).members["wide"]
    TransitionTrainer(encoding='head', direction='backward', ..., search='beam', width=32, ...)
    """
    require_free(configuration.member)
    tables = _trainers(configuration.member)
    given: dict[str, Any] = converted(dict[str, Any], settings or {}, "settings")
    named = expanded(configuration.members or tuple(configuration.member) or DEFAULT_MEMBERS)
    members: dict[str, Any] = {}
    for name in named:
        trainer: Any = member_of(name, tables)
        own = {key: value for key, value in given.items() if hasattr(trainer, key)}
        copies = (f"{name}-{k}" for k in itertools.count(2))
        new = name if name not in members else next(own for own in copies if own not in {*members, *named, *tables})
        members[new] = from_mapping(type(trainer), {**to_mapping(trainer), **own})
    for key in given:
        if not any(hasattr(trainer, key) for trainer in members.values()):
            option = " (--beam)" if key == "width" else ""
            raise ConfigError(f"none of the members has a setting {key!r}{option}; leave it out, or name other members")
    return EnsembleTrainer(members, configuration.weights, configuration.select, configuration.folds or 0)


def in_full(configuration: Configuration) -> Configuration:
    """Return a configuration with every setting of all its members."""
    trainers: dict[str, Any] = dict(ensemble_of(configuration).members)
    settings = {name: {"kind": kind_of(own), **to_mapping(own)} for name, own in trainers.items()}
    return from_mapping(Configuration, {**to_mapping(configuration), "members": list(trainers), "member": settings})


def _trainers(tables: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the trainers of tables by name; one may be like another one, but not in a circle (ConfigError)."""
    found, waiting = dict[str, Any](), dict(tables)
    while waiting:
        ready = [name for name, own in waiting.items() if own.get("like") == name or own.get("like") not in [*waiting]]
        if not ready:
            circle = ", ".join(waiting)
            raise ConfigError(f"the members {circle} are like each other; let one of them be like a known member")
        found |= {name: _trainer(name, waiting.pop(name), found) for name in ready}
    return {name: found[name] for name in tables}


def _trainer(name: str, own: Mapping[str, Any], tables: Mapping[str, Any]) -> Any:
    """Return the trainer of a table, given those of other tables; ``like`` names one or a known member."""
    own = dict(own)
    for key, expected, type_ in (("like", "a name", str), ("kind", "a name", str), ("options", "a table", Mapping)):
        if key in own and not isinstance(own[key], type_):
            raise ConfigError(f"member.{name}.{key}: expected {expected}, found {short(own[key])}; correct this value")
    like = own.pop("like", None)
    others = {other: trainer for other, trainer in tables.items() if other != name}
    model: Any = find_member(name) if like is None else member_of(like, others, f"member in member.{name}.like")
    kind = own.pop("kind", lr.FAMILY.kind if model is None else kind_of(model))
    family = known.find_family(kind)
    if family is None:
        raise known.missing(f"kind in member.{name}", kind, known.families())
    if like is not None and kind != kind_of(model):
        problem = f"expected {kind_of(model)}, the kind of {like}, found {kind}"
        raise ConfigError(f"member.{name}.kind: {problem}; leave out kind or like")
    base = to_mapping(model) if model is not None and kind == kind_of(model) else {}
    if "options" in base:  # those of another learner would make no sense
        same = own.get("learner", base["learner"]) == base["learner"]
        own["options"] = {**(base["options"] if same else {}), **own.get("options", {})}
    return from_mapping(family.trainer, {**base, **own}, f"member.{name}")


NAMED = (
    *("learner", "direction", "order", "policy", "depth", "wait_left", "wait_right", "links", "search"),
    *("encoding", "templates", "attributes"),
)
"""Settings that are told, in this order, of those that a parser has."""


def described(settings: Mapping[str, Any]) -> str:
    """Return the main settings of a trainer, as `treevote.config.to_mapping` gives them."""
    told = []
    for name in NAMED:
        if name not in settings:
            continue
        value = settings[name]
        if isinstance(value, bool):
            told.append(f"{'with' if value else 'without'} {name.replace('_', ' ')}")
        elif isinstance(value, (list, tuple)):
            told.append(f"{len(value)} {name}" if len(value) > 2 else f"{name} {', '.join(map(str, value))}")
        elif name == "search" and value == "beam":
            told.append(f"search beam of {settings['width']}")
        else:
            told.append(f"{name} {value}")
    return ", ".join(told)
