"""The order in which the members of an ensemble parse: those that choose among heads of the others come last.

Where fast parsers agree, a slow one has little to look for. A member with ``with_proposals``
(`treevote.protocols.Parser`) gets the trees of all members without it: their arcs bound what it scores, as a first
model bounds what the next one scores in parsing from coarse to fine (Rush & Petrov 2012, "Vine pruning for efficient
multi-pass dependency parsing"). No tree depends on the order in which members are named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from treevote.corpus.treebank import Treebank

_Parsed = TypeVar("_Parsed")


def chooses(parser: Any) -> bool:
    """Tell whether a parser, or a class of parsers, chooses among heads that others propose."""
    return hasattr(parser, "with_proposals")


def parse_in_turn(
    parsers: Mapping[str, Any], parse: Callable[[Any], tuple[Treebank, _Parsed]]
) -> dict[str, tuple[Treebank, _Parsed]]:
    """Return what ``parse`` makes of each parser, by name: a parse and another value."""
    found = {name: parse(parser) for name, parser in parsers.items() if not chooses(parser)}
    proposals = [tree for tree, _ in found.values()]
    found |= {name: parse(around(parser, proposals)) for name, parser in parsers.items() if chooses(parser)}
    return {name: found[name] for name in parsers}


def around(parser: Any, proposals: Sequence[Treebank]) -> Any:
    """Return a parser that looks at the proposed heads if it chooses among such heads, else the parser itself."""
    return parser.with_proposals(proposals) if proposals and chooses(parser) else parser
