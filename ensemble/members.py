"""Members of an ensemble: the families of parsers, and their named trainers.

A family is registered by one function, named in ``FAMILIES``, or by another package through an entry point::

    [project.entry-points."treevote.members"]
    baseline = "my_package.parser:FAMILY"
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from treevote.errors import ConfigError, ModelError, unknown
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


@functools.cache
def families() -> dict[str, Family]:
    """Return all families by kind: those of treevote, then those of other packages in the order of their names.

    Raises
    ------
    ConfigError
        If a package cannot be loaded, or its kind or the name of a member already exists.

    Examples
    --------
    >>> list(families())[:2]
    ['lr-parser', 'pipeline-parser']
    """
    from importlib.metadata import entry_points  # slow to import, and few models need a plug-in

    found = {kind: make() for kind, make in FAMILIES.items()}
    taken = {*RESERVED, *(name for family in found.values() for name in family.members)}
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: (point.name, point.value)):
        plug_in = f"the plug-in '{point.name}' ({point.value})"
        try:
            family = Family._make(point.load())
        except Exception as error:  # any code may fail in any way
            raise ConfigError(f"{plug_in} cannot be loaded: {error}; update it, or uninstall it") from error
        if family.kind in found or not taken.isdisjoint(family.members):
            names = ", ".join([family.kind, *family.members])
            raise ConfigError(f"{plug_in} takes a name that is taken ({names}); rename its kind and members")
        found[family.kind] = family
        taken.update(family.members)
    return found


def known_members() -> dict[str, Trainer]:
    """Return the trainers of all members by name; raises as `families`.

    Examples
    --------
    >>> "graph-mira" in known_members()
    True
    """
    return {name: trainer for family in families().values() for name, trainer in family.members.items()}


def members_of(names: Iterable[str]) -> dict[str, Trainer]:
    """Return the trainers of the named members.

    Raises
    ------
    ConfigError
        If there is no member of a name; the nearest is named.

    Examples
    --------
    >>> list(members_of(["lr-svm-backward"]))
    ['lr-svm-backward']
    """
    known = known_members()
    names = list(names)
    for name in names:
        if name not in known:
            raise unknown("member", name, known)
    return {name: known[name] for name in names}


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
    return next(kind for kind, family in families().items() if isinstance(trainer, family.trainer))


def member_from_record(record: Record) -> Member:
    """Return the member of a record.

    Raises
    ------
    ModelError
        If the record is not that of a member, or its parts do not fit together.
    """
    if record.kind in FAMILIES:
        family = FAMILIES[record.kind]()
    elif record.kind in families():
        family = families()[record.kind]
    else:
        raise ModelError(
            f"expected a member of kind {', '.join(families())}, found '{record.kind}'; "
            "install the plug-in that trained it, or train the model again"
        )
    member: Member = family.parser.from_record(record)
    return member
