"""Feature templates of arcs and of pairs of arcs as data, one a line.

The grammar is that of `features.templates`, such as ``h.upos+h.next.upos+d.prev.upos+d.upos``. Places
are the *roles* of the words of a part: ``h`` the head and ``d`` the dependent of an arc, ``s`` the sibling next to the
dependent on its inner side, ``g`` the head of the head. The only steps are to the neighbouring words in the sentence,
``prev`` and ``next``. Attributes are those of the lexicon.

In templates of arcs three kinds of atoms give several features: ``h.feat`` and ``d.feat`` give one for each
attribute=value of FEATS (or one for each pair); ``h.agree+d.agree`` gives one for each attribute, whether both words
have the same value (`features.atoms`); and ``b.upos`` (or another attribute) gives one for each
distinct value among the words *between* head and dependent, together with its number of occurrences. In templates of
pairs of arcs ``labels`` are the likely labels of both (`treevote.models.parsers.graph.arc_labels`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from treevote.errors import ConfigError
from treevote.kernels import Bools, Longs
from treevote.models.learning.features.lexicon import ATTRIBUTES
from treevote.models.learning.features.templates import LEXICON, Grammar, Template, read_templates

SPLIT = ("feat", "agree")
"""Attributes that give a feature for each value, or each attribute, of FEATS."""
_SPLITS = (("h", 0, "feat"), ("d", 0, "feat"), ("h", 0, "agree"))

_ARC_ROLES = ((0, 1), (5, 6), (3, 4))
"""Numbers of head and dependent as roles of templates: of plain ones, of those with ``b``, of those with ``feat``."""


class Columns(NamedTuple):
    """Templates split by role: a column for each template and each role in it, with the attributes of that word.

    The names of columns, the numbers of role and template, tell those apart that have the same attributes. The atoms of
    column ``c`` are ``atoms[first[c] : first[c + 1]]``: column of the lexicon, and offset from the word, -1, 0 or 1.
    """

    names: Longs  # shape (n_columns, 2)
    first: Longs  # shape (n_columns + 1,)
    atoms: Longs  # shape (n_atoms, 2)


class ArcTable(NamedTuple):
    """Compiled templates of arcs: plain ones, those with ``b``, those with ``feat`` or ``agree``.

    The columns are the heads of all templates, then the dependents of all. ``between`` has the column of the lexicon of
    each ``b`` atom. ``splits``, shape (3, templates with feat or agree), tell whether there is a feature for each value
    of the FEATS of the head, of the dependent, for the agreement of both.
    """

    columns: Columns
    between: Longs
    splits: Bools


class PairTable(NamedTuple):
    """Compiled templates of pairs of arcs: those without ``labels``, then the ``n_labelled`` ones with.

    The columns are all of the first role, then of the second, then of the third.
    """

    columns: Columns
    n_labelled: int


def compile_arcs(lines: Sequence[str]) -> ArcTable:
    """Compile templates of arcs; ConfigError if a line is wrong (the message quotes it), or there are none or too many.

    >>> table = compile_arcs(["h.upos+d.prev.upos", "h.feat+d.feat", "h.upos+b.upos+d.upos"])
    >>> table.columns.atoms[:1].tolist(), table.between.tolist()
    ([[2, 0]], [2])
    """
    templates = _read(lines, _grammar("hdb", LEXICON | dict.fromkeys(SPLIT, LEXICON["feats"])))
    around = [t for t in templates if any(role == "b" for role, _, _ in t)]
    split = [t for t in templates if t not in around and any(name in SPLIT for _, _, name in t)]
    plain = [t for t in templates if t not in around and t not in split]
    groups = list(zip((plain, around, split), _ARC_ROLES, strict=True))
    return ArcTable(
        _columns([(group, role, numbers[i]) for i, role in enumerate("hd") for group, numbers in groups]),
        np.array([ATTRIBUTES.index(name) for t in around for role, _, name in t if role == "b"], np.int64),
        np.array([[atom in template for template in split] for atom in _SPLITS], np.bool_),
    )


def compile_pairs(lines: Sequence[str], roles: str, number: int) -> PairTable:
    """Compile templates of siblings or grandparents; ``number`` is that of the first role. Raises as `compile_arcs`.

    >>> table = compile_pairs(["g.upos+h.upos+d.upos"], "ghd", 10)
    >>> table.columns.names.tolist(), table.columns.atoms.tolist()
    ([[10, 0], [11, 0], [12, 0]], [[2, 0], [2, 0], [2, 0]])
    """
    templates = _read(lines, _grammar(roles, LEXICON, {"labels": 1}))
    labelled = [template for template in templates if any(name == "labels" for _, _, name in template)]
    templates = [template for template in templates if template not in labelled] + labelled
    return PairTable(_columns([(templates, role, number + i) for i, role in enumerate(roles)]), len(labelled))


class TemplateTables(NamedTuple):
    """Compiled templates of a second-order model."""

    arcs: ArcTable
    siblings: PairTable
    grandparents: PairTable

    @classmethod
    def of(cls, arcs: Sequence[str], siblings: Sequence[str], grandparents: Sequence[str]) -> TemplateTables:
        """Compile templates; raises as `compile_arcs`."""
        return cls(compile_arcs(arcs), compile_pairs(siblings, "hsd", 7), compile_pairs(grandparents, "ghd", 10))


def attributes_of(line: str) -> set[str]:
    """Return the attributes in a template."""
    return {atom.rpartition(".")[2] for atom in line.split("+")}


def _read(lines: Sequence[str], grammar: Grammar) -> list[list[tuple[str, int, str]]]:
    """Return the role, the offset and the attribute of the atoms of each template, in order."""
    return [
        sorted((role, sum(grammar.steps[step] for step in steps), attribute) for role, steps, attribute in template)
        for template in read_templates(lines, grammar)
    ]


def _check(template: Template) -> None:
    between = sum(atom.place == "b" for atom in template)
    split = [atom.attribute for atom in template if atom.attribute in SPLIT]
    if between > 1 or (between and split):
        raise ConfigError("a template has at most one atom of 'b', and then none with 'feat'; make several templates")
    if any(len(steps) > (place != "b" and attribute not in SPLIT) for place, steps, attribute in template):
        raise ConfigError("an atom has one step at the most, and none with 'b' or 'feat'; leave the step out")
    if "agree" in split and split != ["agree", "agree"]:
        raise ConfigError("'agree' is about head and dependent; give it to both, and leave 'feat' out")


def _grammar(roles: str, attributes: Mapping[str, tuple[int, int]], alone: Mapping[str, int] | None = None) -> Grammar:
    places = {role: (number, 0) for number, role in enumerate(roles)}
    return Grammar(places, {"prev": -1, "next": 1}, attributes, alone or {}, check=_check)


def _columns(groups: Sequence[tuple[list[list[tuple[str, int, str]]], str, int]]) -> Columns:
    """Return the columns of groups of templates, each with a role in them and the number of the role."""
    names = [(number, template) for templates, _, number in groups for template in range(len(templates))]
    atoms = [
        [(ATTRIBUTES.index(name), offset) for role, offset, name in template if role == wanted and name not in SPLIT]
        for templates, wanted, _ in groups
        for template in templates
    ]
    return Columns(
        np.array(names, np.int64).reshape(-1, 2),
        np.cumsum([0, *map(len, atoms)], dtype=np.int64),
        np.array([atom for own in atoms for atom in own], np.int64).reshape(-1, 2),
    )
