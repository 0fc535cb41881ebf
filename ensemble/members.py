"""Members of an ensemble: the families of parsers, and their named trainers.

A family is registered by one function, named in ``FAMILIES``, or by another package through an entry point::

    [project.entry-points."treevote.members"]
    baseline = "my_package.parser:FAMILY"
"""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from treevote.errors import ConfigError, ModelError, TreevoteWarning, unknown
from treevote.models.clusters.clusters import NONE, Clusters
from treevote.protocols import Family, Parser, Trainer
from treevote.store.record import Record


def _transition() -> Family:
    from treevote.models.transition.parser import FAMILY

    return FAMILY


def _pipeline() -> Family:
    from treevote.models.pipeline.parser import FAMILY

    return FAMILY


def _graph() -> Family:
    from treevote.models.graph.parser import FAMILY

    return FAMILY


def _decision_list() -> Family:
    from treevote.models.decision_list.parser import FAMILY

    return FAMILY


FAMILIES: dict[str, Callable[[], Family]] = {
    "lr-parser": _transition,
    "pipeline-parser": _pipeline,
    "graph-parser": _graph,
    "decision-list": _decision_list,
}
"""The families that come with treevote by kind; each is imported when a member of it is made or read."""

ENTRY_POINTS = "treevote.members"
"""Group of the entry points by which other packages add families; each names a `treevote.protocols.Family`."""

DEFAULT_MEMBERS = ("lr-structured-forward", "graph-mira", "pipeline", "lr-structured-backward")
"""The LR parsers of both directions with a graph-based and a pipeline parser: the errors of parsers differ more between
families than within one."""

RESERVED = ("all", "candidates", "reader", "vote")
"""Names that no member can have."""


class Member(Parser, Protocol):
    """A parser that an ensemble can hold: a frozen dataclass."""

    @property
    def trainer(self) -> Any:
        """Its trainer."""
        ...


class PlugIns(NamedTuple):
    """Families of other packages by kind, and a sentence for each plug-in that is left out."""

    families: dict[str, Family]
    faults: tuple[str, ...]


@functools.cache
def plug_ins() -> PlugIns:
    """Load the families of other packages, in the order of their names."""
    from importlib.metadata import entry_points  # slow to import, and few models need a plug-in

    own = built_in_families()
    taken = {*RESERVED, *own, *(name for family in own.values() for name in family.members)}
    found: dict[str, Family] = {}
    faults = []
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: (point.name, point.value)):
        plug_in = f"the plug-in '{point.name}' ({point.value})"
        try:
            family = Family._make(point.load())
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
        taken |= names
    return PlugIns(found, tuple(faults))


@functools.cache
def built_in_families() -> dict[str, Family]:
    """Return the families of treevote by kind."""
    return {kind: make() for kind, make in FAMILIES.items()}


def families() -> dict[str, Family]:
    """Return all families by kind: those of treevote, then those of other packages in the order of their names.

    Examples
    --------
    >>> list(families())[:2]
    ['lr-parser', 'pipeline-parser']
    """
    return built_in_families() | plug_ins().families


def find_family(kind: str) -> Family | None:
    """Return the family of a kind, None if there is none; plug-ins are loaded for a kind that is not of treevote."""
    return built_in_families().get(kind) or plug_ins().families.get(kind)


def known_members() -> dict[str, Trainer]:
    """Return the trainers of all members by name; a `TreevoteWarning` names the plug-ins that are left out.

    Examples
    --------
    >>> "graph-mira" in known_members()
    True
    """
    if faults := plug_ins().faults:
        warnings.warn("; ".join(faults), TreevoteWarning, stacklevel=2)
    return {name: trainer for family in families().values() for name, trainer in family.members.items()}


def find_member(name: str) -> Trainer | None:
    """Return the trainer of a member, None if there is none; plug-ins are loaded for a name that is not of treevote."""
    known = (family.members for of in (built_in_families, families) for family in of().values())
    return next((members[name] for members in known if name in members), None)


def members_of(names: Iterable[str]) -> dict[str, Trainer]:
    """Return the trainers of the named members; plug-ins are loaded for a name that is not of treevote.

    Raises
    ------
    ConfigError
        If there is no member of a name; the nearest is named, and the plug-ins that were left out.

    Examples
    --------
    >>> list(members_of(["lr-svm-backward"]))
    ['lr-svm-backward']
    """
    found = {}
    for name in names:
        trainer = find_member(name)
        if trainer is None:
            raise missing_member("member", name)
        found[name] = trainer
    return found


def missing(what: str, name: str, known: Iterable[str]) -> ConfigError:
    """Return the error for an unknown member or kind, with the nearest one and the plug-ins that are left out."""
    return ConfigError("; ".join([str(unknown(what, name, known)), *plug_ins().faults]))


def missing_member(what: str, name: str, others: Iterable[str] = ()) -> ConfigError:
    """Return the error for an unknown member, where there are all members and some others."""
    return missing(what, name, [*(name for family in families().values() for name in family.members), *others])


def with_clusters(trainers: Mapping[str, Trainer], clusters: Clusters) -> dict[str, Trainer]:
    """Return trainers whose parsers know clusters of words; one of another package may stay as it is.

    Examples
    --------
    >>> clusters = Clusters(("dog",), ("01",))
    >>> clusters_of(with_clusters(members_of(["lr-svm-backward"]), clusters)) == clusters
    True
    """
    found: dict[str, Any] = dict(trainers)
    return {
        name: dataclasses.replace(trainer, clusters=clusters) if hasattr(trainer, "clusters") else trainer
        for name, trainer in found.items()
    }


def clusters_of(trainers: Mapping[str, Trainer]) -> Clusters:
    """Return the clusters of words of the first trainer that has any."""
    return next((own for trainer in trainers.values() if (own := getattr(trainer, "clusters", NONE))), NONE)


def kind_of(trainer: Trainer) -> str:
    """Return the kind of a trainer.

    Examples
    --------
    >>> kind_of(known_members()["lr-svm-backward"])
    'lr-parser'
    """
    known = (item for of in (built_in_families, families) for item in of().items())
    return next(kind for kind, family in known if isinstance(trainer, family.trainer))


def member_from_record(record: Record) -> Member:
    """Return the member of a record.

    Raises
    ------
    ModelError
        If the record is not that of a member, or its parts do not fit together.
    """
    family = FAMILIES[record.kind]() if record.kind in FAMILIES else plug_ins().families.get(record.kind)
    if family is None:
        kinds, faults = ", ".join(families()), "".join(f"; {fault}" for fault in plug_ins().faults)
        raise ModelError(
            f"expected a member of kind {kinds}, found '{record.kind}'; "
            f"install the plug-in that trained it, or train the model again{faults}"
        )
    member: Member = family.parser.from_record(record)
    return member
