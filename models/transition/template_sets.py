"""Named sets of feature templates."""

from __future__ import annotations

from treevote.models.features.templates import named_templates

PAPER = """
s0.form s0.lemma s0.xpos s0.upos s0.feats
s1.form s1.lemma s1.xpos s1.upos s1.feats
s2.form s2.xpos
q0.form q0.lemma q0.xpos q0.upos q0.feats
q1.form q1.xpos
q2.xpos q3.xpos
s0.lval s0.rval s0.lval+s0.rval s1.lval s1.rval s1.lval+s1.rval
s0.l.xpos s0.l.deprel s0.r.xpos s0.r.deprel
s1.l.xpos s1.l.deprel s1.r.xpos s1.r.deprel
s1.next.xpos s0.prev.xpos
action
"""
"""Sagae & Tsujii (2007), section 3 and Table 1. Its last column is headed Q(3), perhaps for Q(2): both are here. The
number of all dependents is told by the two numbers on either side together."""

RICH = """
s0.form s0.lemma s0.upos s0.xpos s0.feats s0.feat s0.suffix2 s0.suffix3 s0.shape
s1.form s1.lemma s1.upos s1.xpos s1.feats s1.feat s1.suffix2 s1.suffix3 s1.shape
s2.form s2.lemma s2.upos s2.xpos
q0.form q0.lemma q0.upos q0.xpos q0.feats q0.feat q1.form q1.lemma q1.upos q1.xpos q1.feats q2.upos q2.xpos q2.form
q0.suffix2 q0.suffix3 q0.shape
distance s0.upos+distance s1.upos+distance s0.lemma+distance s1.lemma+distance s0.upos+s1.upos+distance
s0.upos+s1.upos+q0.upos+distance
s0.lval s0.rval s1.lval s1.rval s0.upos+s0.lval s0.upos+s0.rval s1.upos+s1.lval s1.upos+s1.rval
action action2 action+s0.upos action+s0.upos+s1.upos
s0.prev.upos s0.next.upos s1.prev.upos s1.next.upos s0.upos+s0.prev.upos s0.upos+s0.next.upos s1.upos+s1.prev.upos
s1.upos+s1.next.upos s0.upos+s1.upos+s1.next.upos+s0.prev.upos s0.upos+s1.upos+s1.next.upos
s0.upos+s1.upos+s0.prev.upos
s0.l.upos s0.l.form s0.l.deprel s0.r.upos s0.r.form s0.r.deprel s1.l.upos s1.l.form s1.l.deprel s1.r.upos s1.r.form
s1.r.deprel s0.l2.upos s0.l2.deprel s0.r2.upos s0.r2.deprel s1.l2.upos s1.l2.deprel s1.r2.upos s1.r2.deprel
s0.upos+s0.l.upos+s0.l2.upos s0.upos+s0.r.upos+s0.r2.upos s1.upos+s1.l.upos+s1.l2.upos s1.upos+s1.r.upos+s1.r2.upos
s0.upos+s1.upos+s0.l.upos s0.upos+s1.upos+s0.r.upos s0.upos+s1.upos+s1.l.upos s0.upos+s1.upos+s1.r.upos
s0.upos+s1.upos+s0.l.lemma s0.upos+s1.upos+s0.r.lemma s0.upos+s1.upos+s1.l.lemma s0.upos+s1.upos+s1.r.lemma
s0.lemma+s1.lemma+s0.l.lemma s0.lemma+s1.lemma+s1.r.lemma s0.l.l.upos s0.r.r.upos s1.l.l.upos s1.r.r.upos s2.r.upos
s2.r.deprel s2.l.deprel s0.upos+s0.l.feat s0.upos+s0.r.feat s1.upos+s1.l.feat s1.upos+s1.r.feat
s0.form+s1.form s0.lemma+s1.lemma s0.upos+s1.upos s0.xpos+s1.xpos s0.form+s1.upos s0.upos+s1.form s0.lemma+s1.upos
s0.upos+s1.lemma s0.upos+s0.feat+s1.upos s0.upos+s1.upos+s1.feat s0.feat+s1.feat s0.feats+s1.feats s0.feat+s1.upos
s0.upos+s1.feat s0.suffix3+s1.upos s0.upos+s1.suffix3
s2.lemma+s2.upos s0.upos+s1.upos+s2.upos s0.upos+s1.upos+s2.lemma s0.upos+s1.upos+s2.upos+q0.upos s1.lemma+s2.upos
s1.upos+s2.upos
s0.suffix3+s0.upos s1.suffix3+s1.upos q0.suffix3+q0.upos s0.upos+q0.upos s0.lemma+q0.upos s0.upos+q0.lemma
s0.lemma+q0.lemma s0.xpos+q0.xpos s0.feats+q0.feats s1.upos+q0.upos s1.lemma+q0.upos s1.upos+q0.lemma
s1.lemma+q0.lemma q0.upos+q1.upos q0.lemma+q1.upos s0.upos+s1.upos+q0.upos s0.lemma+s1.upos+q0.upos
s0.upos+s1.lemma+q0.upos s0.upos+s1.upos+q0.lemma s0.xpos+s1.xpos+q0.xpos s0.upos+s1.upos+q0.upos+q1.upos
s0.upos+q0.upos+q1.upos s1.upos+q0.upos+q1.upos s0.feats+s1.upos+q0.upos s0.upos+s1.feats+q0.upos
s0.feats+s1.feats+q0.upos s0.upos+s1.upos+q0.feats
"""
"""After Zhang & Nivre (2011), with affixes, word shape and split FEATS."""

CONJUNCTIONS = """
s0.xpos+s1.xpos s0.upos+s1.upos s0.form+s1.form s0.form+s1.xpos s0.xpos+s1.form s0.lemma+s1.lemma
s0.xpos+q0.xpos s1.xpos+q0.xpos s0.form+q0.xpos s0.xpos+q0.form
s0.xpos+s1.xpos+q0.xpos s0.xpos+s1.xpos+s2.xpos s0.xpos+q0.xpos+q1.xpos
s0.feats+s1.feats s0.xpos+s1.feats s0.feats+s1.xpos
s0.xpos+s1.xpos+s0.l.deprel s0.xpos+s1.xpos+s0.r.deprel s0.xpos+s1.xpos+s1.l.deprel s0.xpos+s1.xpos+s1.r.deprel
s0.xpos+s0.rval s1.xpos+s1.rval action+s0.xpos action+s0.xpos+s1.xpos
"""
"""Conjunctions to go with it, which the paper mentions and does not list."""

TEMPLATE_SETS = {"paper": PAPER, "paper-conjunctions": PAPER + CONJUNCTIONS, "rich": RICH}
"""Name to templates, apart by white space."""


def templates_of(templates: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return the templates of a named set, or those given.

    Examples
    --------
    >>> templates_of("paper")[:2], templates_of(("s0.form",))
    (('s0.form', 's0.lemma'), ('s0.form',))
    """
    return named_templates(templates, TEMPLATE_SETS)
