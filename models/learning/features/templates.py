"""Feature templates as data: one grammar for all families, one template a line, compiled to tables of integers.

A template is one or more *atoms* joined by ``+``, such as ``s0.form+q0.upos+distance``. An atom is a *place*, any
number of *steps* from there, and an *attribute*, such as ``s0.l.upos``; or one word alone, such as ``distance``, for a
value without a place. The words of each family are its `Grammar`. Attributes of every place are those of
`treevote.models.learning.features.lexicon` (``form lemma upos xpos feats`` …).

A template with a place that is empty, or a value that was never seen in training, does not fire.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from treevote.errors import ConfigError, require_known
from treevote.kernels import Ints
from treevote.models.learning.features.lexicon import ATTRIBUTES
from treevote.models.learning.features.trie import grow_trie

COLUMN = 0  # the kind of atoms that are a column of the lexicon; a family numbers its other kinds from 1
LEXICON = {name: (COLUMN, column) for column, name in enumerate(ATTRIBUTES)}

MAX_TEMPLATES = 1_000
MAX_TEMPLATE = 500  # characters


class Atom(NamedTuple):
    """An atom of a template; its place is empty if it has none."""

    place: str
    steps: tuple[str, ...]
    attribute: str


Template: TypeAlias = tuple[Atom, ...]


@dataclass(frozen=True)
class Grammar:
    """The vocabulary of the templates of a family."""

    places: Mapping[str, tuple[int, int]]  # for each first word of an atom, a row of `TemplateTable.places`
    steps: Mapping[str, int]  # their numbers, other than those of the places
    attributes: Mapping[str, tuple[int, int]]  # kind and column, as in `TemplateTable.atoms`; ``LEXICON`` and more
    globals: Mapping[str, int]  # kinds of the atoms without a place
    sets: Collection[str] = ()  # the multi-valued attributes and globals: a template fires for each of their values
    most_sets: int = 1  # maximum number of multi-valued atoms in a template, 1 or 2
    check: Callable[[Template], None] | None = None  # raises ConfigError for a template that breaks another rule


class TemplateTable(NamedTuple):
    """Compiled templates.

    A row of ``places`` is a step and its argument. For the first place of an atom, both come from the grammar;
    otherwise the argument is the place before the step, an earlier row of the table. A row of ``sets`` is a template
    with multi-valued atoms: the node that it extends (-1 for none), the atom, the second such atom (-1 for none), and
    the kind of the atom.
    """

    places: Ints  # shape (n_places, 2)
    atoms: Ints  # shape (n_atoms, 4): kind, place (-1 for none), column (0 if it has none), number of the atom
    nodes: Ints  # shape (n_nodes, 3): see `treevote.models.learning.features.trie.grow_trie`
    sets: Ints  # shape (n_sets, 4)


def compile_templates(lines: Sequence[str], grammar: Grammar) -> TemplateTable:
    """Compile templates; parameters and errors as for `read_templates`."""
    numbers: dict[Atom, int] = {}
    templates = [
        [numbers.setdefault(atom, len(numbers)) for atom in template] for template in read_templates(lines, grammar)
    ]
    places: dict[tuple[int, int], int] = {}
    atoms = [(*_row(atom, grammar, places), number) for atom, number in numbers.items()]
    several = {number for atom, number in numbers.items() if atom.attribute in grammar.sets}
    nodes, ends = grow_trie(templates, several)
    sets = []
    for template, node in zip(templates, ends, strict=True):
        own = sorted(several.intersection(template))
        if own:
            sets.append((node, own[0], own[1] if len(own) == 2 else -1, atoms[own[0]][0]))
    place_rows = np.array(list(places), np.int32).reshape(-1, 2)
    atom_rows, set_rows = (np.array(rows, np.int32).reshape(-1, 4) for rows in (atoms, sets))
    return TemplateTable(place_rows, atom_rows, nodes, set_rows)


def read_templates(lines: Sequence[str], grammar: Grammar) -> list[Template]:
    """Read 1 to ``MAX_TEMPLATES`` templates, one a line; ConfigError, quoting the line, if one is wrong.

    >>> from treevote.models.learning.features.stack_and_queue import GRAMMAR
    >>> read_templates(["s0.l.upos+distance"], GRAMMAR)
    [(Atom(place='s0', steps=('l',), attribute='upos'), Atom(place='', steps=(), attribute='distance'))]
    >>> read_templates(["s0.frm"], GRAMMAR)
    Traceback (most recent call last):
    treevote.errors.ConfigError: template 's0.frm': unknown attribute 'frm'; did you mean 'form'? ...
    """
    if not 1 <= len(lines) <= MAX_TEMPLATES:
        raise ConfigError(f"expected 1 to {MAX_TEMPLATES} templates, found {len(lines)}")
    templates: dict[frozenset[Atom], Template] = {}
    for line in lines:
        if len(line) > MAX_TEMPLATE:
            raise ConfigError(f"template '{line[:40]}...' has {len(line)} characters; it may have {MAX_TEMPLATE}")
        try:
            template = tuple(_atom(text, grammar) for text in line.strip().split("+"))
            atoms = frozenset(template)
            if len(atoms) < len(template) or atoms in templates:
                raise ConfigError("it occurs twice, or has an atom twice; remove one")
            if sum(atom.attribute in grammar.sets for atom in template) > grammar.most_sets:
                most = ("one atom", "two atoms")[grammar.most_sets - 1]
                raise ConfigError(f"at most {most} of a template can have several values ({', '.join(grammar.sets)})")
            if grammar.check is not None:
                grammar.check(template)
        except ConfigError as error:
            raise ConfigError(f"template '{line}': {error}") from None
        templates[atoms] = template
    return list(templates.values())


def named_templates(templates: str | tuple[str, ...], sets: Mapping[str, str]) -> tuple[str, ...]:
    """Return the templates of a named set, separated by white space in ``sets``, or those of a list.

    In a list the name of a set stands for its templates.

    >>> named_templates(("few", "s0.form"), {"few": "s0.upos q0.upos"})
    ('s0.upos', 'q0.upos', 's0.form')
    """
    if isinstance(templates, str):
        require_known("template set", templates, sets)
        templates = (templates,)
    return tuple(itertools.chain.from_iterable(sets[one].split() if one in sets else [one] for one in templates))


def _atom(text: str, grammar: Grammar) -> Atom:
    """Read an atom."""
    if text in grammar.globals:
        return Atom("", (), text)
    place, *steps = text.split(".")
    if place not in grammar.places or not steps:
        others = f", or one of: {', '.join(grammar.globals)}" if grammar.globals else ""
        example = f"{next(iter(grammar.places))}.form"
        raise ConfigError(f"atom '{text}' should be a place and an attribute such as '{example}'{others}")
    attribute = steps.pop()
    for step in steps:
        require_known("step", step, grammar.steps)
    require_known("attribute", attribute, grammar.attributes)
    return Atom(place, tuple(steps), attribute)


def _row(atom: Atom, grammar: Grammar, places: dict[tuple[int, int], int]) -> tuple[int, int, int]:
    """Return kind, place and column of an atom, adding the places on its way."""
    if not atom.place:
        return grammar.globals[atom.attribute], -1, 0
    place = places.setdefault(grammar.places[atom.place], len(places))
    for step in atom.steps:
        place = places.setdefault((grammar.steps[step], place), len(places))
    kind, column = grammar.attributes[atom.attribute]
    return kind, place, column
