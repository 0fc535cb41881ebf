"""Feature templates of arcs and of pairs of arcs as data, one a line.

The grammar is that of `treevote.models.features.templates`, such as ``h.upos+h.next.upos+d.prev.upos+d.upos``. Places
are the *roles* of the words of a part: ``h`` the head and ``d`` the dependent of an arc, ``s`` the sibling next to the
dependent on its inner side, ``g`` the head of the head. The only steps are to the neighbouring words in the sentence,
``prev`` and ``next``. Attributes are those of the lexicon.

In templates of arcs two kinds of atoms give several features: ``h.feat`` and ``d.feat`` give one for each
attribute=value of FEATS (or one for each pair), and ``b.upos`` (or another attribute) gives one for each distinct value
among the words *between* head and dependent, together with its number of occurrences: one, two or more.

Every feature has several variants: with the direction of the arc, and with direction and distance
(`treevote.models.graph.features`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from treevote.errors import ConfigError
from treevote.kernels import Bools, Ints
from treevote.models.features.lexicon import ATTRIBUTES
from treevote.models.features.templates import LEXICON, Grammar, Template, read_templates

NEIGHBOURS = {"prev": -1, "next": 1}

SIBLING_ROLES = "hsd"
GRANDPARENT_ROLES = "ghd"


class Side(NamedTuple):
    """Attributes of the word in one role, for a group of templates.

    Attributes
    ----------
    first : ndarray of int32, shape (n_templates + 1,)
        The atoms of template ``t`` are ``atoms[first[t] : first[t + 1]]``.
    atoms : ndarray of int32, shape (n_atoms, 2)
        Column of the lexicon, and offset from the word: -1, 0 or 1.
    splits : ndarray of bool, shape (n_templates,)
        Whether the template has a feature for each value of the word's FEATS.
    """

    first: Ints
    atoms: Ints
    splits: Bools


class ArcTable(NamedTuple):
    """Compiled templates of arcs.

    Attributes
    ----------
    head, dependent : Side
        Of the templates with neither ``feat`` nor ``b``.
    split_head, split_dependent : Side
        Of those with ``feat``.
    around_head, around_dependent : Side
        Of those with ``b``.
    between : ndarray of int32, shape (n_templates with b,)
        The column of their ``b`` atom.
    """

    head: Side
    dependent: Side
    split_head: Side
    split_dependent: Side
    around_head: Side
    around_dependent: Side
    between: Ints


class PairTable(NamedTuple):
    """Compiled templates of siblings or grandparents: three roles, as in ``SIBLING_ROLES`` or ``GRANDPARENT_ROLES``."""

    one: Side
    two: Side
    three: Side


def compile_arcs(lines: Sequence[str]) -> ArcTable:
    """Compile templates of arcs.

    Raises
    ------
    ConfigError
        If a line is wrong (the message quotes it), or there are no lines or too many.

    Examples
    --------
    >>> table = compile_arcs(["h.upos+d.prev.upos", "h.feat+d.feat", "h.upos+b.upos+d.upos"])
    >>> table.dependent.atoms.tolist(), table.between.tolist()
    ([[2, -1]], [2])
    >>> compile_arcs(["h.frm"])
    Traceback (most recent call last):
    treevote.errors.ConfigError: template 'h.frm': unknown attribute 'frm'; did you mean 'form'? ...
    """
    templates = _read(lines, _grammar("hdb", LEXICON | {"feat": (1, 0)}))
    around = [t for t in templates if any(role == "b" for role, _, _ in t)]
    split = [t for t in templates if t not in around and any(name == "feat" for _, _, name in t)]
    plain = [t for t in templates if t not in around and t not in split]
    return ArcTable(
        _side(plain, "h"),
        _side(plain, "d"),
        _side(split, "h"),
        _side(split, "d"),
        _side(around, "h"),
        _side(around, "d"),
        np.array([ATTRIBUTES.index(name) for t in around for role, _, name in t if role == "b"], np.int32),
    )


def compile_pairs(lines: Sequence[str], roles: str) -> PairTable:
    """Compile templates of siblings or grandparents; raises as `compile_arcs`.

    Examples
    --------
    >>> compile_pairs(["g.upos+h.upos+d.upos"], GRANDPARENT_ROLES).one.atoms.tolist()
    [[2, 0]]
    """
    templates = _read(lines, _grammar(roles, LEXICON))
    return PairTable(*(_side(templates, role) for role in roles))


def attributes_of(line: str) -> set[str]:
    """Return the attributes in a template.

    Examples
    --------
    >>> sorted(attributes_of("h.upos+h.feat+d.lemma"))
    ['feat', 'lemma', 'upos']
    """
    return {atom.rpartition(".")[2] for atom in line.split("+")}


def _read(lines: Sequence[str], grammar: Grammar) -> list[list[tuple[str, int, str]]]:
    """Return the role, the offset and the attribute of the atoms of each template, in order."""
    return [
        sorted((role, sum(grammar.steps[step] for step in steps), attribute) for role, steps, attribute in template)
        for template in read_templates(lines, grammar)
    ]


def _check(template: Template) -> None:
    between = sum(atom.place == "b" for atom in template)
    if between > 1 or (between and any(atom.attribute == "feat" for atom in template)):
        raise ConfigError("a template has at most one atom of 'b', and then none with 'feat'; make several templates")
    if any(len(steps) > (place != "b" and attribute != "feat") for place, steps, attribute in template):
        raise ConfigError("an atom has one step at the most, and none with 'b' or 'feat'; leave the step out")


def _grammar(roles: str, attributes: Mapping[str, tuple[int, int]]) -> Grammar:
    places = {role: (number, 0) for number, role in enumerate(roles)}
    return Grammar(places, NEIGHBOURS, attributes, {}, check=_check)


def _side(templates: list[list[tuple[str, int, str]]], wanted: str) -> Side:
    atoms = [
        [(ATTRIBUTES.index(name), offset) for role, offset, name in template if role == wanted and name != "feat"]
        for template in templates
    ]
    return Side(
        np.cumsum([0, *map(len, atoms)], dtype=np.int32),
        np.array([atom for own in atoms for atom in own], np.int32).reshape(-1, 2),
        np.array([(wanted, 0, "feat") in template for template in templates], np.bool_),
    )
