"""Named sets of templates for arcs, siblings and grandparents."""

from __future__ import annotations

ARCS = """
h.lower h.lemma h.upos h.xpos h.lower+h.upos h.lemma+h.upos h.lower+h.xpos
d.lower d.lemma d.upos d.xpos d.lower+d.upos d.lemma+d.upos d.lower+d.xpos
h.lower+h.upos+d.lower+d.upos h.upos+d.lower+d.upos h.lower+d.lower+d.upos h.lower+h.upos+d.upos h.lower+h.upos+d.lower
h.lower+d.lower h.upos+d.upos h.lower+d.upos h.upos+d.lower
h.lemma+h.upos+d.lemma+d.upos h.upos+d.lemma+d.upos h.lemma+h.upos+d.upos
h.lemma+d.lemma h.lemma+d.upos h.upos+d.lemma h.lemma+d.lower h.lower+d.lemma
h.lower+h.xpos+d.lower+d.xpos h.xpos+d.lower+d.xpos h.lower+h.xpos+d.xpos h.xpos+d.xpos h.lower+d.xpos h.xpos+d.lower
h.lemma+d.xpos h.xpos+d.lemma h.xpos+d.upos h.upos+d.xpos
h.prefix5 d.prefix5 h.prefix5+h.upos d.prefix5+d.upos h.prefix5+d.prefix5 h.prefix5+d.upos h.upos+d.prefix5
h.suffix3+d.upos h.upos+d.suffix3 h.suffix2+d.suffix2 h.suffix3+d.suffix3
h.upos+h.next.upos+d.prev.upos+d.upos h.prev.upos+h.upos+d.prev.upos+d.upos
h.upos+h.next.upos+d.upos+d.next.upos h.prev.upos+h.upos+d.upos+d.next.upos
h.upos+h.next.upos+d.upos h.prev.upos+h.upos+d.upos h.upos+d.prev.upos+d.upos h.upos+d.upos+d.next.upos
h.prev.upos+h.upos+h.next.upos+d.upos h.upos+d.prev.upos+d.upos+d.next.upos
h.xpos+h.next.xpos+d.prev.xpos+d.xpos h.prev.xpos+h.xpos+d.prev.xpos+d.xpos
h.xpos+h.next.xpos+d.xpos+d.next.xpos h.prev.xpos+h.xpos+d.xpos+d.next.xpos
h.xpos+h.next.xpos+d.xpos h.prev.xpos+h.xpos+d.xpos h.xpos+d.prev.xpos+d.xpos h.xpos+d.xpos+d.next.xpos
d.upos+d.prev.lower d.upos+d.next.lower h.upos+d.upos+d.prev.lower h.upos+d.upos+d.next.lower
h.upos+b.upos+d.upos h.xpos+b.xpos+d.xpos
h.feats+d.feats h.upos+h.feats+d.upos+d.feats h.upos+h.feats+d.upos h.upos+d.upos+d.feats
h.lemma+d.upos+d.feats h.upos+h.feats+d.lemma h.upos+h.agree+d.upos+d.agree
h.feat+d.feat h.upos+h.feat+d.upos+d.feat h.upos+h.feat+d.upos h.upos+d.upos+d.feat
"""
"""After McDonald et al. (2005), Table 1, with lemmas, affixes and FEATS."""

PRUNER = """
h.upos d.upos h.lower+d.upos h.upos+d.lower h.lemma+d.upos h.upos+d.lemma h.lemma+d.lemma h.upos+d.upos h.xpos+d.xpos
h.lower+d.lower h.upos+h.next.upos+d.prev.upos+d.upos h.prev.upos+h.upos+d.prev.upos+d.upos
h.upos+h.next.upos+d.upos+d.next.upos h.prev.upos+h.upos+d.upos+d.next.upos
h.upos+h.next.upos+d.upos h.prev.upos+h.upos+d.upos h.upos+d.prev.upos+d.upos h.upos+d.upos+d.next.upos
h.upos+b.upos+d.upos h.upos+h.feats+d.upos h.upos+d.upos+d.feats
"""
"""A few of these, for the model that prunes arcs."""

SIBLINGS = """
s.upos+d.upos h.upos+s.upos+d.upos s.xpos+d.xpos h.xpos+s.xpos+d.xpos
s.lower+d.lower s.lemma+d.lemma s.lower+d.upos s.upos+d.lower s.lemma+d.upos s.upos+d.lemma
h.lemma+s.upos+d.upos h.upos+s.lemma+d.upos h.upos+s.upos+d.lemma h.lower+s.upos+d.upos
h.lemma+s.lemma+d.upos h.lemma+s.upos+d.lemma h.upos+s.lemma+d.lemma
s.feats+d.feats h.upos+s.feats+d.feats h.upos+h.feats+s.upos+d.upos
h.upos+s.upos+s.feats+d.upos h.upos+s.upos+d.upos+d.feats h.lemma+s.feats+d.feats
h.upos+s.upos+d.upos+d.prev.upos h.upos+s.upos+d.upos+d.next.upos h.upos+s.upos+d.upos+s.prev.upos
h.upos+s.upos+d.upos+s.next.upos h.upos+s.upos+d.upos+h.prev.upos h.upos+s.upos+d.upos+h.next.upos
s.upos+d.upos+d.prev.upos s.upos+d.upos+s.next.upos
labels labels+h.upos labels+h.lemma labels+s.upos+d.upos labels+h.upos+s.upos+d.upos
"""
"""After McDonald & Pereira (2006) and Carreras (2007), with lemmas, FEATS, neighbours and likely labels."""

GRANDPARENTS = """
g.upos+d.upos g.upos+h.upos+d.upos g.xpos+d.xpos g.xpos+h.xpos+d.xpos
g.lower+d.lower g.lemma+d.lemma g.lower+d.upos g.upos+d.lower g.lemma+d.upos g.upos+d.lemma
g.lemma+h.upos+d.upos g.upos+h.lemma+d.upos g.upos+h.upos+d.lemma g.lower+h.upos+d.upos g.upos+h.lower+d.upos
g.upos+h.upos+d.lower g.lemma+h.lemma+d.upos g.lemma+h.upos+d.lemma g.upos+h.lemma+d.lemma
g.feats+d.feats g.upos+h.upos+d.feats g.upos+g.feats+h.upos+d.upos g.upos+h.upos+h.feats+d.upos
g.upos+h.upos+d.upos+d.feats h.upos+g.feats+d.feats
g.upos+h.upos+d.upos+d.prev.upos g.upos+h.upos+d.upos+d.next.upos g.upos+h.upos+d.upos+h.prev.upos
g.upos+h.upos+d.upos+h.next.upos g.upos+h.upos+d.upos+g.prev.upos g.upos+h.upos+d.upos+g.next.upos
labels labels+h.upos labels+h.lemma labels+g.upos+d.upos labels+g.upos+h.upos+d.upos
"""
"""Likewise for grandparents."""
