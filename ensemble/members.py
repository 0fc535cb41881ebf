"""Members of an ensemble: the families of parsers, and their named trainers.

A family is registered in ``FAMILIES``, or by another package through an entry point, a `treevote.protocols.Family`::

    [project.entry-points."treevote.members"]
    baseline = "my_package.parser:FAMILY"
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from treevote.corpus.sentence import is_label
from treevote.ensemble.plug_in_faults import faults_named, required
from treevote.errors import ConfigError, ModelError, unknown, warn
from treevote.models.learning.clusters.clusters import NONE, Clusters
from treevote.models.learning.vectors.vectors import NO_VECTORS, WordVectors
from treevote.protocols import Family, Parser, Trainer
from treevote.store.record import Record

FAMILIES = {
    "lr-parser": "treevote.models.parsers.transition.parser",
    "pipeline-parser": "treevote.models.parsers.pipeline.parser",
    "graph-parser": "treevote.models.parsers.graph.parser",
    "biaffine-parser": "treevote.models.parsers.biaffine.parser",
    "decision-list": "treevote.models.parsers.decision_list.parser",
}
"""The families that come with treevote: by kind the module with its ``FAMILY``, imported for a member of it."""

DEFAULT_MEMBERS = ("lr-structured-forward", "graph-mira", "pipeline", "lr-structured-backward")
"""The LR parsers of both directions with a graph-based and a pipeline parser: the errors of parsers differ more between
families than within one."""

RESERVED = ("all", "annotator", "candidates", "default", "vote")  # names that no member can have


class Member(Parser, Protocol):
    """A parser that an ensemble can hold: a frozen dataclass."""

    @property
    def trainer(self) -> Any:
        """Its trainer."""


class PlugIns(NamedTuple):
    """Families of other packages by kind, a sentence for each plug-in that is left out, and packages by kind."""

    families: dict[str, Family]
    faults: tuple[str, ...]
    packages: dict[str, tuple[str, str]]  # name and version


@functools.cache
def plug_ins() -> PlugIns:
    """Load the families of other packages, in the order of their names."""
    from importlib.metadata import entry_points  # slow to import, and few models need a plug-in

    own = built_in_families()
    taken = {*RESERVED, *own, *(name for family in own.values() for name in family.members)}
    found: dict[str, Family] = {}
    faults, packages = [], {}
    for point in sorted(entry_points(group="treevote.members"), key=lambda point: (point.name, point.value)):
        plug_in = f"the plug-in '{point.name}' ({point.value})"
        try:
            family = Family._make(point.load())
            _check(family)
            names = {family.kind, *family.members}
        except (Exception, SystemExit) as error:  # any code may fail in any way
            reason = "it exits" if isinstance(error, SystemExit) else str(error) or type(error).__name__
            faults.append(f"{plug_in} cannot be loaded: {reason}; update it, or uninstall it")
            continue
        if not taken.isdisjoint(names):
            listed = ", ".join([family.kind, *family.members])
            faults.append(f"{plug_in} takes a name that is taken ({listed}); rename its kind and members")
            continue
        found[family.kind] = family
        if point.dist is not None and point.dist.name and point.dist.version:
            packages[family.kind] = point.dist.name, point.dist.version
        taken |= names
    return PlugIns(found, tuple(faults), packages)


def _check(family: Family) -> None:
    trainer: Any = family.trainer
    if not isinstance(family.kind, str) or not isinstance(trainer, type) or not dataclasses.is_dataclass(trainer):
        raise TypeError("expected a family with a name as its kind, and a dataclass as its trainer")
    if not isinstance(family.members, Mapping) or not all(isinstance(name, str) for name in family.members):
        raise TypeError("expected the members of a family by name")
    if not all(isinstance(member, trainer) for member in family.members.values()):
        raise TypeError("expected the trainer of a family as the class of its members")


@functools.cache
def built_in_families() -> dict[str, Family]:
    """Return the families of treevote by kind."""
    return {kind: import_module(module).FAMILY for kind, module in FAMILIES.items()}


def _in_order() -> Iterator[tuple[str, Family]]:
    """Yield kind and family: those of treevote, then those of plug-ins, loaded when the iteration reaches them."""
    yield from built_in_families().items()
    yield from plug_ins().families.items()


def families() -> dict[str, Family]:
    """Return all families by kind: those of treevote, then those of other packages in the order of their names."""
    return dict(_in_order())


def find_family(kind: str) -> Family | None:
    """Return the family of a kind, None if there is none; of the families of treevote, only this one is imported."""
    module = FAMILIES.get(kind)
    return import_module(module).FAMILY if module else plug_ins().families.get(kind)


def known_members() -> dict[str, Trainer]:
    """Return the trainers of all members by name; a `TreevoteWarning` names the plug-ins that are left out."""
    if faults := plug_ins().faults:
        warn("; ".join(faults))
    return {name: trainer for family in families().values() for name, trainer in family.members.items()}


def find_member(name: str) -> Trainer | None:
    """Return the trainer of a member, None if there is none."""
    return next((family.members[name] for _, family in _in_order() if name in family.members), None)


def member_of(name: str, others: Mapping[str, Trainer], what: str = "member") -> Trainer:
    """Return the trainer of a member, or of one of the others; ConfigError, with the nearest name, if there is none."""
    trainer = others.get(name) or find_member(name)
    if trainer is None:
        raise missing(what, name, [*(own for family in families().values() for own in family.members), *others])
    return trainer


def expanded(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of members with ``DEFAULT_MEMBERS`` in place of ``default``, and every known member of ``all``.

    >>> expanded(["biaffine", "default"])[:3]
    ('biaffine', 'lr-structured-forward', 'graph-mira')
    """
    groups: dict[str, Callable[[], Iterable[str]]] = {"all": known_members, "default": lambda: DEFAULT_MEMBERS}
    return tuple(own for name in names for own in (groups[name]() if name in groups else (name,)))


def require_free(names: Iterable[Any]) -> None:
    """Raise ConfigError if one of the names of members is reserved, or cannot be shown."""
    for name in names:
        if not isinstance(name, str) or not is_label(name):
            raise ConfigError(f"a member cannot be called {name!r}; give it a name without control characters")
        if "/" in name or "\\" in name:  # its parses may be kept in files of its name
            raise ConfigError(f"a member cannot be called {name!r}; give it a name without / and \\")
        if name in RESERVED:
            raise ConfigError(f"a member cannot be called '{name}', a reserved name; choose another one")


def members_of(names: Iterable[str]) -> dict[str, Trainer]:
    """Return the trainers of the named members; raises as `member_of`."""
    return {name: member_of(name, {}) for name in names}


def missing(what: str, name: str, known: Iterable[str]) -> ConfigError:
    """Return the error for an unknown member or kind, with the nearest one and the plug-ins that are left out."""
    return ConfigError("; ".join([str(unknown(what, name, known)), *plug_ins().faults]))


def with_clusters(trainers: Mapping[str, Trainer], clusters: Clusters) -> dict[str, Trainer]:
    """Return trainers whose parsers know clusters of words; one of another package may stay as it is."""
    return _with_data(trainers, "clusters", clusters)


def with_vectors(trainers: Mapping[str, Trainer], vectors: WordVectors) -> dict[str, Trainer]:
    """Return trainers that give word vectors to their parsers; ConfigError if none of them can."""
    if not any(hasattr(trainer, "vectors") for trainer in trainers.values()):
        names = ", ".join(trainers)
        raise ConfigError(f"none of the members {names} reads word vectors; add biaffine, or leave them out")
    return _with_data(trainers, "vectors", vectors)


def _with_data(trainers: Mapping[str, Any], name: str, data: object) -> dict[str, Trainer]:
    """Return trainers of which those with a field of the name have the data in it."""
    return {
        own: dataclasses.replace(trainer, **{name: data}) if hasattr(trainer, name) else trainer
        for own, trainer in trainers.items()
    }


def clusters_of(trainers: Mapping[str, Trainer]) -> Clusters:
    """Return the clusters of words of the first trainer that has any."""
    return next((own for trainer in trainers.values() if (own := getattr(trainer, "clusters", NONE))), NONE)


def vectors_of(trainers: Mapping[str, Trainer]) -> WordVectors:
    """Return the word vectors of the first trainer that has any."""
    return next((own for trainer in trainers.values() if (own := getattr(trainer, "vectors", NO_VECTORS))), NO_VECTORS)


def kind_of(trainer: Trainer) -> str:
    """Return the kind of a trainer, as ``"lr-parser"``."""
    return next(kind for kind, family in _in_order() if isinstance(trainer, family.trainer))


def packages_of(kinds: Iterable[str]) -> dict[str, str]:
    """Return the packages of plug-ins among kinds of parsers, and their versions: their results depend on these.

    >>> packages_of(["lr-parser", "graph-parser"])
    {}
    """
    return dict(sorted(plug_ins().packages[kind] for kind in {*kinds} - FAMILIES.keys() if kind in plug_ins().packages))


def member_from_record(name: str, record: Record) -> Member:
    """Return a member from its record; ModelError if it is not that of a member, or its parts do not fit together."""
    family = find_family(record.kind)
    if family is None:
        kinds, faults = ", ".join(families()), "".join(f"; {fault}" for fault in plug_ins().faults)
        raise ModelError(
            f"expected one of the kinds {kinds} for member {name}, found '{record.kind}'; "
            f"install the plug-in that trained it, or train the model again{faults}"
        )
    with faults_named(name, family.parser):
        member: Member = required(family.parser.from_record(record))
        return member
