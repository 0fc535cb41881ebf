"""Faults of the parsers of other packages: they name the member, since they are not in the data of the user."""

from __future__ import annotations

import dataclasses
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from treevote.corpus.sentence import is_label
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees
from treevote.errors import ModelError, TreevoteError

T = TypeVar("T")


def is_plug_in(part: object) -> bool:
    """Tell whether a trainer or parser, or the class of one, belongs to another package."""
    own = part if isinstance(part, type) else type(part)
    return not own.__module__.startswith("treevote.")


@contextmanager
def faults_named(name: str, part: object) -> Iterator[None]:
    """Raise a ModelError with the name of a member in place of whatever its trainer or parser of a plug-in raises.

    A `TreevoteError` that the plug-in itself raises is about the data or the settings of the user: it comes through.
    """
    try:
        yield
    except (Exception, SystemExit) as fault:  # any code may fail in any way
        *_, (place, _) = traceback.walk_tb(fault.__traceback__)
        outside = not place.f_globals.get("__name__", "").startswith("treevote.")
        if not is_plug_in(part) or (outside and isinstance(fault, TreevoteError)):
            raise
        problem = f"the plug-in of member {name} failed ({type(fault).__name__}: {fault})"
        raise ModelError(f"{problem}; update it, or leave the member out") from fault


def apart(part: object, treebank: Treebank) -> Treebank:
    """Return a treebank for a trainer or parser; a plug-in gets columns of its own, since it may write into them."""
    if not is_plug_in(part):
        return treebank
    columns: dict[str, Any] = {name: getattr(treebank, name).copy() for name in ("tokens", "heads", "deprels")}
    return dataclasses.replace(treebank, **columns, offsets=treebank.offsets.copy())


def required(member: Any) -> Any:
    """Return a member; TypeError if it is no parser as an ensemble holds it."""
    if missing := [name for name in ("trainer", "single_root", "parse", "record") if not hasattr(member, name)]:
        raise TypeError(f"expected a parser, found {type(member).__name__} without {', '.join(missing)}")
    return member


def parsed_by(
    name: str, member: Any, treebank: Treebank, parse: Callable[[Any, Treebank], tuple[Treebank, T]]
) -> tuple[Treebank, T]:
    """Return the result of ``parse``, the parse of a treebank by a member and another value.

    ModelError if the member is of a plug-in, and its parse has other tokens, a sentence that is no tree, a word
    without a label, or a label that no model can have.
    """
    with faults_named(name, member):
        tree, value = parse(member, apart(member, treebank))
        if is_plug_in(member):
            columns = (tree.tokens, treebank.tokens), (tree.offsets, treebank.offsets)
            if tree.words != treebank.words or not all(np.array_equal(own, given) for own, given in columns):
                raise ValueError("the parse has other tokens than the text")
            if not are_trees(tree).all():
                raise ValueError("a sentence of the parse is no tree")
            if (tree.deprels[tree.is_token] < 0).any():
                raise ValueError("a word of the parse has no label")
            if not all(map(is_label, tree.labels)):
                raise ValueError("a label of the parse is empty, or has control characters")
        return tree, value
