"""Feature templates of an arc as data: one template a line, compiled once to a table of integers.

A template is one or more *atoms* joined by ``+``; an atom is a *place* and an *attribute*::

    d.form+h.upos

Places: ``d`` the dependent of the arc, ``h`` its head, ``g`` the head of that; behind them any number of steps:
``prev`` ``next`` the neighbouring word of the sentence, ``l`` ``r`` the outermost dependent on the left, on the right,
``il`` ``ir`` the innermost, ``ls`` ``rs`` the sibling before, after. ``h.r.upos`` is the tag of the rightmost dependent
of the head.

Attributes of a place: those of `treevote.models.features.lexicon` (``form lemma upos xpos feats`` …), ``lval rval``
(number of dependents on the left, on the right), ``rank`` (number of siblings between the word and its head),
``deprel`` (label of the arc to its head, if it has one already). Sets, whose values are taken in turn: ``feat`` (each
attribute=value of FEATS by itself), ``dependents`` (labels of the dependents that have one).
Atoms without a place: ``distance`` (binned, with direction); the sets ``between`` (tags between dependent and head) and
``agree`` (values of FEATS that both have).

A template with a place that is empty, or a value that was never seen in training, does not fire.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.errors import ConfigError, unknown
from treevote.kernels import Ints
from treevote.models.features.lexicon import ATTRIBUTES
from treevote.models.features.templates import check_size
from treevote.models.features.trie import grow_trie
from treevote.models.labelling.surroundings import LINKS, N_LEFT

STARTS = ("d", "h", "g")
STEPS = (*STARTS, "prev", "next", *LINKS[:N_LEFT])
DEPENDENT, HEAD, GRAND, PREV, NEXT = range(5)

NUMBERS = LINKS[N_LEFT:]
SETS = ("feat", "dependents", "between", "agree")
GLOBAL = ("distance", "between", "agree")
COLUMN, NUMBER, DEPREL, DISTANCE, FEAT, DEPENDENTS, BETWEEN, AGREE = range(8)


class ArcTemplates(NamedTuple):
    """Compiled templates.

    Attributes
    ----------
    places : ndarray of int32, shape (n_places, 2)
        Step (index in ``STEPS``) and the place that it starts at, which stands earlier in the table. The first three
        are dependent, head and its head.
    atoms : ndarray of int32, shape (n_atoms, 3)
        Kind, place (-1 for none), and column of the lexicon or of the links (0 where it does not apply).
    nodes : ndarray of int32, shape (n_nodes, 3)
        The trie, see `treevote.models.features.trie.grow_trie`.
    sets : ndarray of int32, shape (n_sets, 2)
        Templates with a set: node that they extend (-1 for none), and the atom.
    """

    places: Ints
    atoms: Ints
    nodes: Ints
    sets: Ints


def compile_templates(lines: Sequence[str]) -> ArcTemplates:
    """Compile templates.

    Parameters
    ----------
    lines : sequence of str
        One template each; at least one, and at most ``treevote.models.features.templates.MAX_TEMPLATES``.

    Raises
    ------
    ConfigError
        If a line is wrong, quoting it, or there are too few or too many.

    Examples
    --------
    >>> table = compile_templates(["d.form+h.upos", "h.upos+h.l.upos"])
    >>> table.nodes.tolist()
    [[-1, 1, 0], [0, 0, 1], [0, 2, 1]]
    >>> compile_templates(["d.frm"])
    Traceback (most recent call last):
    treevote.errors.ConfigError: template 'd.frm': unknown attribute 'frm'; did you mean 'form'? ...
    """
    check_size(lines)
    places = {(start, -1): start for start in range(len(STARTS))}
    atoms: dict[tuple[int, int, int], int] = {}
    templates: dict[tuple[int, ...], list[int]] = {}
    for line in lines:
        try:
            template = [atoms.setdefault(_atom(text, places), len(atoms)) for text in line.split("+")]
            if len(set(template)) < len(template) or tuple(sorted(template)) in templates:
                raise ConfigError("it stands there twice, or has an atom twice; take one out")
            if sum(text.rpartition(".")[2] in SETS for text in line.split("+")) > 1:
                raise ConfigError(f"at most one atom of a template can be a set ({', '.join(SETS)})")
        except ConfigError as error:
            raise ConfigError(f"template '{line}': {error}") from None
        templates[tuple(sorted(template))] = template
    many = {number for number, (kind, _, _) in enumerate(atoms) if kind >= FEAT}
    nodes, ends = grow_trie(list(templates.values()), many)
    pairs = zip(templates.values(), ends, strict=True)
    sets = [(node, atom) for template, node in pairs for atom in template if atom in many]
    return ArcTemplates(
        np.array(list(places), np.int32).reshape(-1, 2),
        np.array(list(atoms), np.int32).reshape(-1, 3),
        nodes,
        np.array(sets, np.int32).reshape(-1, 2),
    )


def _atom(text: str, places: dict[tuple[int, int], int]) -> tuple[int, int, int]:
    """Return kind, place and column of an atom, adding the places on its way."""
    if text in GLOBAL:
        return {"distance": DISTANCE, "between": BETWEEN, "agree": AGREE}[text], -1, 0
    start, *steps = text.split(".")
    if start not in STARTS or not steps:
        raise ConfigError(
            f"atom '{text}' should be a place and an attribute such as 'd.form', or one of: {', '.join(GLOBAL)}"
        )
    place, attribute = STARTS.index(start), steps[-1]
    for step in steps[:-1]:
        if step not in STEPS[PREV:]:
            raise unknown("step", step, STEPS[PREV:])
        place = places.setdefault((STEPS.index(step), place), len(places))
    if attribute in ATTRIBUTES:
        return COLUMN, place, ATTRIBUTES.index(attribute)
    if attribute in NUMBERS:
        return NUMBER, place, LINKS.index(attribute)
    others = {"deprel": DEPREL, "feat": FEAT, "dependents": DEPENDENTS}
    if attribute not in others:
        raise unknown("attribute", attribute, (*ATTRIBUTES, *NUMBERS, *others))
    return others[attribute], place, 0


_LINES = """
d.form d.lemma d.upos d.xpos d.feats d.suffix3 d.suffix2 d.shape d.feat
h.form h.lemma h.upos h.xpos h.feats h.feat
distance d.upos+distance h.upos+distance d.upos+h.upos+distance d.lemma+distance h.lemma+distance
d.lemma+h.lemma+distance d.feats+h.xpos+distance
d.upos+h.upos d.form+h.upos d.lemma+h.upos d.upos+h.form d.upos+h.lemma d.lemma+h.lemma d.form+h.form d.xpos+h.xpos
d.feats+h.upos d.upos+h.feats d.feats+h.feats d.feat+h.upos d.upos+h.feat d.feats+h.lemma
d.suffix3+h.upos d.upos+d.suffix3 d.upos+h.upos+between agree d.upos+h.upos+agree
d.prev.upos d.next.upos h.prev.upos h.next.upos d.prev.lemma d.next.lemma
d.upos+h.upos+d.prev.upos d.upos+h.upos+d.next.upos d.upos+h.upos+h.prev.upos d.upos+h.upos+h.next.upos
d.lval d.rval d.upos+d.lval+d.rval h.lval h.rval d.rank d.upos+h.upos+d.rank d.upos+h.upos+h.lval+h.rval
d.l.upos d.r.upos d.il.upos d.ir.upos d.l.lemma d.r.lemma d.l.form d.r.form d.l.xpos d.r.xpos
d.upos+d.l.feat d.upos+d.r.feat d.lemma+d.l.lemma d.lemma+d.r.lemma
d.feats+d.l.upos d.feats+d.r.upos d.feats+d.l.lemma d.feats+d.r.lemma
d.upos+h.upos+d.l.upos d.upos+h.upos+d.r.upos d.upos+h.upos+d.l.upos+d.r.upos d.upos+h.upos+d.il.upos
d.upos+h.upos+d.ir.upos d.upos+h.upos+d.l.lemma d.upos+h.upos+d.r.lemma d.upos+h.upos+d.il.lemma
d.upos+h.upos+d.ir.lemma h.lemma+d.l.lemma h.lemma+d.r.lemma h.upos+d.feats+d.l.lemma h.upos+d.feats+d.r.lemma
d.ls.upos d.rs.upos d.ls.lemma d.rs.lemma d.upos+h.upos+d.ls.upos d.upos+h.upos+d.rs.upos d.upos+h.upos+d.ls.lemma
d.upos+h.upos+d.rs.lemma d.upos+d.ls.feat d.upos+d.rs.feat d.ls.feats+d.feats d.rs.feats+d.feats
g.upos g.lemma d.upos+h.upos+g.upos d.lemma+g.upos d.upos+g.lemma
d.dependents d.upos+d.dependents d.upos+h.upos+d.dependents
d.ls.deprel d.upos+d.ls.deprel d.upos+h.upos+d.ls.deprel d.lemma+d.ls.deprel
h.dependents h.upos+h.dependents h.lemma+h.dependents h.feats+h.dependents d.upos+h.dependents d.lemma+h.dependents
d.feats+h.dependents d.suffix3+h.dependents d.upos+h.upos+h.dependents d.upos+h.lemma+h.dependents
"""

TEMPLATES = tuple(_LINES.split())
"""The words of the arc, their neighbours in the sentence and in the tree, and the labels below and before."""
