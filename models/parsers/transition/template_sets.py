"""Named sets of feature templates."""

from __future__ import annotations

import functools

from treevote.models.learning.features.rich_templates import RICH
from treevote.models.learning.features.templates import named_templates

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
numbers of dependents on the two sides replace their sum."""

WORDS = """
s0.form s0.lemma s0.upos s0.xpos s0.feats s0.feat s0.suffix2 s0.suffix3 s0.shape
s1.form s1.lemma s1.upos s1.xpos s1.feats s1.feat s1.suffix2 s1.suffix3 s1.shape
s2.form s2.lemma s2.upos s2.xpos
q0.form q0.lemma q0.upos q0.xpos q0.feats q0.feat q1.form q1.lemma q1.upos q1.xpos q1.feats q2.upos q2.xpos q2.form
q0.suffix2 q0.suffix3 q0.shape
"""
"""Single words, in addition to the rich templates of `treevote.models.learning.features.rich_templates`."""

CONJUNCTIONS = """
s0.xpos+s1.xpos s0.upos+s1.upos s0.form+s1.form s0.form+s1.xpos s0.xpos+s1.form s0.lemma+s1.lemma
s0.xpos+q0.xpos s1.xpos+q0.xpos s0.form+q0.xpos s0.xpos+q0.form
s0.xpos+s1.xpos+q0.xpos s0.xpos+s1.xpos+s2.xpos s0.xpos+q0.xpos+q1.xpos
s0.feats+s1.feats s0.xpos+s1.feats s0.feats+s1.xpos
s0.xpos+s1.xpos+s0.l.deprel s0.xpos+s1.xpos+s0.r.deprel s0.xpos+s1.xpos+s1.l.deprel s0.xpos+s1.xpos+s1.r.deprel
s0.xpos+s0.rval s1.xpos+s1.rval action+s0.xpos action+s0.xpos+s1.xpos
"""
"""Additional conjunctions, which the paper mentions and does not list."""

TEMPLATE_SETS = {"paper": PAPER, "paper-conjunctions": PAPER + CONJUNCTIONS, "rich": WORDS + RICH}
templates_of = functools.partial(named_templates, sets=TEMPLATE_SETS)
