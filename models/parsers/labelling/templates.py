"""The templates of an arc, and the grammar that they are written in.

Places: ``d`` the dependent of the arc, ``h`` its head, ``g`` the head of that. Steps: ``prev`` ``next`` the
neighbouring word of the sentence, ``l`` ``r`` the outermost dependent on the left, on the right, ``il`` ``ir`` the
innermost, ``ls`` ``rs`` the sibling before, after. ``h.r.upos`` is the tag of the rightmost dependent of the head.

Attributes besides those of the lexicon: ``lval rval`` (number of dependents on the left, on the right), ``rank``
(number of siblings between the word and its head), ``deprel`` (label of the arc to its head, if it has one already).
Sets: ``feat`` (each attribute=value of FEATS by itself), ``dependents`` (labels of the dependents that have one).
Without a place: ``distance`` (binned, with direction); the sets ``between`` (tags between dependent and head) and
``agree`` (values of FEATS that both have).
"""

from __future__ import annotations

from treevote.models.learning.features.templates import LEXICON, Grammar
from treevote.models.parsers.labelling.surroundings import LINKS, N_LEFT

DEPENDENT, HEAD, GRAND, PREV, NEXT, LINK = range(6)
"""Places and steps; ``LINK`` is the first of ``LINKS``."""
NUMBER, DEPREL, DISTANCE, FEAT, DEPENDENTS, BETWEEN, AGREE = range(1, 8)
"""Kinds of atoms."""

GRAMMAR = Grammar(
    places={"d": (DEPENDENT, 0), "h": (HEAD, 0), "g": (GRAND, 0)},
    steps={"prev": PREV, "next": NEXT} | {name: step for step, name in enumerate(LINKS[:N_LEFT], LINK)},
    attributes=LEXICON
    | {name: (NUMBER, column) for column, name in enumerate(LINKS) if column >= N_LEFT}
    | {"deprel": (DEPREL, 0), "feat": (FEAT, 0), "dependents": (DEPENDENTS, 0)},
    globals={"distance": DISTANCE, "between": BETWEEN, "agree": AGREE},
    sets=("feat", "dependents", "between", "agree"),
)

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
