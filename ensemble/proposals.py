"""The order in which the members of an ensemble parse: those that choose among heads of the others come last.

Where fast parsers agree, a slow one has little to look for. A member that chooses (`treevote.protocols.Trainer`) gets
the trees of all members that do not: their arcs bound what it scores, as a first model bounds what the next one scores
in parsing from coarse to fine (Rush & Petrov 2012, "Vine pruning for efficient multi-pass dependency parsing"). No
member's tree depends on the order in which members are named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from treevote.corpus.treebank import Treebank
from treevote.ensemble.plug_in_faults import parsed_by

FEWEST = 2
"""Least number of parsers that propose heads: a single one may be weak, and its heads no better than those left out."""

_Parsed = TypeVar("_Parsed")


def in_turn(trainers: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the names of the members that propose heads, and of those that choose among them."""
    last = [name for name, trainer in trainers.items() if getattr(trainer, "chooses", False)]
    return [name for name in trainers if name not in last], last


def parse_in_turn(
    members: Mapping[str, Any], treebank: Treebank, parse: Callable[[Any, Treebank], tuple[Treebank, _Parsed]]
) -> dict[str, tuple[Treebank, _Parsed]]:
    """Return the result of ``parse``, the parse of the treebank and another value, for each member by its name."""
    first, last = in_turn({name: getattr(member, "trainer", None) for name, member in members.items()})
    found = {name: parsed_by(name, members[name], treebank, parse) for name in first}
    proposals = [tree for tree, _ in found.values()]
    found |= {name: parsed_by(name, around(members[name], proposals), treebank, parse) for name in last}
    return {name: found[name] for name in members}


def around(member: Any, proposals: Sequence[Treebank]) -> Any:
    """Return a member that chooses among the proposed heads, or the member itself if there are too few proposals."""
    return member.with_proposals(proposals) if len(proposals) >= FEWEST else member
