"""The rich templates that LR and pipeline parsers share, written for the stack and the queue of an LR parser."""

from __future__ import annotations

import re

RICH = """
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
s0.upos+s1.lemma s0.upos+s0.feat+s1.upos s0.upos+s1.upos+s1.feat s0.feat+s1.feat s0.agree+s1.agree
s0.feats+s1.feats s0.feat+s1.upos
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
"""After Zhang & Nivre (2011), with affixes and split FEATS. The templates of single words are in the files of the
families, since the order of templates is part of the keys of features."""

WORDS = ("s0", "s1", "q0", "q1", "s0.upos s0.prev.upos s0.next.upos", "s1.upos s1.prev.upos s1.next.upos")
PARTS = (*WORDS, "s2", "s0.upos s0.lval s0.rval", "s1.upos s1.lval s1.rval")
"""The parts of the templates whose scores are cached, see `features.partial_scores`: those whose values
come again in other sentences."""

JOINT = (
    *WORDS,
    "s0.upos s1.upos q0.upos distance",
    "s0.upos s1.upos s1.next.upos s0.prev.upos",
    "s0 s1 distance",
    "s0 q0",
    "s1 q0",
    "s0 s1 q0",
)
"""The joint parts of a beam: words of the top items and of the queue, which come again in other items of the beam."""

OTHERS = (
    "s2",
    "s0.upos s0.lval s0.rval",
    "s1.upos s1.lval s1.rval",
    "action action2 s0.upos s1.upos",
    "s0.upos s1.upos s0.l s0.l.deprel s0.l2.upos s0.l2.deprel s0.l.l.upos",
    "s0.upos s1.upos s0.r s0.r.deprel s0.r2.upos s0.r2.deprel s0.r.r.upos",
    "s0.upos s1.upos s1.l s1.l.deprel s1.l2.upos s1.l2.deprel s1.l.l.upos",
    "s0.upos s1.upos s1.r s1.r.deprel s1.r2.upos s1.r2.deprel s1.r.r.upos",
)
"""The other parts of a beam: subtrees of the top items, and what was done before."""

_OF_A_PAIR = {"s0": "q0", "s1": "s0", "s2": "s1", "q0": "q1", "q1": "q2"}


def of_a_pair(templates: str) -> str:
    """Return templates in the notation of a pipeline parser, without those that contain labels.

    The pair of an LR parser is ``s1`` and ``s0``, that of a pipeline parser ``s0`` and ``q0``.

    >>> of_a_pair("s1.upos+s0.upos+q0.upos s0.l.deprel s2.upos")
    's0.upos+q0.upos+q1.upos s1.upos'
    """
    renamed = re.sub(r"\b[sq][0-9]", lambda place: _OF_A_PAIR[place[0]], templates)
    return " ".join(template for template in renamed.split() if ".deprel" not in template)
