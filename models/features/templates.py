"""Feature templates as data: one template a line, compiled once to a table of integers.

A template is one or more *atoms* joined by ``+``; an atom is a *place* and an *attribute*::

    s0.form+q0.upos

Places: ``s0 s1 ... s99`` items of the stack from its top, ``q0 q1 ... q99`` words of the queue; behind them any
number of steps: ``l`` ``l2`` the leftmost and second leftmost dependent, ``r`` ``r2`` the rightmost and
second rightmost, ``prev`` ``next`` the neighbouring word of the sentence. ``s0.l.upos`` is the tag of the
leftmost dependent of the top of the stack.

Attributes of a place: those of ``treevote.models.features.lexicon`` (``form lemma upos xpos feats`` …),
``feat`` (each attribute=value of FEATS by itself), ``deprel`` (label of the arc to its head, for
dependents), ``lval rval`` (number of dependents on the left, on the right). Atoms without a place: ``distance``
(between ``s1`` and ``s0``, binned), ``action`` and ``action2`` (the last action and the one before).

A template with a place that is empty, or a value that was never seen in training, does not fire.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from treevote.errors import ConfigError, unknown
from treevote.kernels import Ints
from treevote.models.features.lexicon import ATTRIBUTES
from treevote.models.features.trie import grow_trie

STEPS = ("stack", "queue", "l", "l2", "r", "r2", "next", "prev")
STACK, QUEUE, LEFT, LEFT2, RIGHT, RIGHT2, NEXT, PREV = range(len(STEPS))

STRUCTURAL = ("feat", "deprel", "lval", "rval")
GLOBAL = ("distance", "action", "action2")
KINDS = ("column", *STRUCTURAL, *GLOBAL)
COLUMN, FEAT, DEPREL, LVAL, RVAL, DISTANCE, LAST_ACTION, LAST_ACTION2 = range(len(KINDS))


MAX_TEMPLATES = 1_000
MAX_TEMPLATE = 500  # characters


class TemplateTable(NamedTuple):
    """Compiled templates.

    Attributes
    ----------
    places : ndarray of int32, shape (n_places, 2)
        Step (index in ``STEPS``) and its argument: depth for stack and queue, else the place that the step
        starts at, which stands earlier in the table.
    atoms : ndarray of int32, shape (n_atoms, 3)
        Kind (index in ``KINDS``), place (-1 for none), column of the lexicon (0 where it does not apply).
    nodes : ndarray of int32, shape (n_nodes, 3)
        The trie, see `treevote.models.features.trie.grow_trie`.
    sets : ndarray of int32, shape (n_sets, 3)
        Templates with one or two ``feat`` atoms, which take every value of FEATS in turn: node that they
        extend (-1 for none), the atom, the second atom (-1 for none).
    """

    places: Ints
    atoms: Ints
    nodes: Ints
    sets: Ints


def compile_templates(lines: Sequence[str]) -> TemplateTable:
    """Compile templates.

    Parameters
    ----------
    lines : sequence of str
        One template each; at least one, and at most ``MAX_TEMPLATES``.

    Raises
    ------
    ConfigError
        If a line is wrong, quoting it, or there are too few or too many.

    Examples
    --------
    >>> table = compile_templates(["s0.form+q0.upos", "s0.l.deprel"])
    >>> table.places.tolist()
    [[0, 0], [1, 0], [2, 0]]
    >>> compile_templates(["s0.frm"])
    Traceback (most recent call last):
    treevote.errors.ConfigError: template 's0.frm': unknown attribute 'frm'; did you mean 'form'? ...
    """
    check_size(lines)
    places: dict[tuple[int, int], int] = {}
    atoms: dict[tuple[int, int, int], int] = {}
    templates: list[list[int]] = []
    for line in lines:
        try:
            template = [atoms.setdefault(_atom(part, places), len(atoms)) for part in line.strip().split("+")]
            if len(set(template)) < len(template) or sorted(template) in map(sorted, templates):
                raise ConfigError("it stands there twice, or has an atom twice; take one out")
            if sum(part.endswith(".feat") for part in line.strip().split("+")) > 2:
                raise ConfigError("at most two 'feat' atoms are possible")
        except ConfigError as error:
            raise ConfigError(f"template '{line}': {error}") from None
        templates.append(template)
    feats = {number for number, (kind, _, _) in enumerate(atoms) if kind == FEAT}
    nodes, ends = grow_trie(templates, feats)
    sets = []
    for template, node in zip(templates, ends, strict=True):
        own = sorted(feats.intersection(template))
        if own:
            sets.append((node, own[0], own[1] if len(own) == 2 else -1))
    return TemplateTable(
        np.array(list(places), np.int32).reshape(-1, 2),
        np.array(list(atoms), np.int32).reshape(-1, 3),
        nodes,
        np.array(sets, np.int32).reshape(-1, 3),
    )


def check_size(lines: Sequence[str]) -> None:
    """Raise ConfigError if templates are too few, too many, or one is too long."""
    if not 1 <= len(lines) <= MAX_TEMPLATES:
        raise ConfigError(f"expected 1 to {MAX_TEMPLATES} templates, found {len(lines)}")
    for line in lines:
        if len(line) > MAX_TEMPLATE:
            raise ConfigError(f"template '{line[:40]}...' has {len(line)} characters; it may have {MAX_TEMPLATE}")


def named_templates(templates: str | tuple[str, ...], sets: Mapping[str, str]) -> tuple[str, ...]:
    """Return the templates of a named set, apart by white space in ``sets``, or those given.

    Raises
    ------
    ConfigError
        If there is no such set; the nearest is named.

    Examples
    --------
    >>> named_templates("small", {"small": "s0.form s1.form"}), named_templates(("s0.upos",), {})
    (('s0.form', 's1.form'), ('s0.upos',))
    """
    if not isinstance(templates, str):
        return templates
    if templates not in sets:
        raise unknown("template set", templates, sets)
    return tuple(sets[templates].split())


def _atom(text: str, places: dict[tuple[int, int], int]) -> tuple[int, int, int]:
    """Return kind, place and column of an atom, adding the places on its way."""
    if text in GLOBAL:
        return KINDS.index(text), -1, 0
    first, *steps = text.split(".")
    if not re.fullmatch("[sq][0-9]{1,2}", first) or not steps:
        raise ConfigError(
            f"atom '{text}' should be a place and an attribute such as 's0.form', or one of: {', '.join(GLOBAL)}"
        )
    place = places.setdefault((STACK if first[0] == "s" else QUEUE, int(first[1:])), len(places))
    for step in steps[:-1]:
        if step not in STEPS[LEFT:]:
            raise unknown("step", step, STEPS[LEFT:])
        place = places.setdefault((STEPS.index(step), place), len(places))
    attribute = steps[-1]
    if attribute in STRUCTURAL:
        return KINDS.index(attribute), place, 0
    if attribute not in ATTRIBUTES:
        raise unknown("attribute", attribute, (*ATTRIBUTES, *STRUCTURAL))
    return COLUMN, place, ATTRIBUTES.index(attribute)
