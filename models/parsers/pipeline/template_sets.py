"""Named sets of templates for a pair, and their grammar.

It is that of `features.stack_and_queue`, with other places: ``s0`` is the focus point a and ``s1 s2
...`` the words before it that are left, with ROOT before the first; ``q0`` is b and ``q1 q2 ...`` are the words after
it. ``distance`` is that between a and b, ``action`` and ``action2`` are the last actions of the round. There are no
labels, which are not known during the search for heads.
"""

from __future__ import annotations

import dataclasses
import functools

from treevote.errors import ConfigError
from treevote.models.learning.features import rich_templates, stack_and_queue
from treevote.models.learning.features.rich_templates import RICH, of_a_pair
from treevote.models.learning.features.templates import Template, named_templates


def _check(template: Template) -> None:
    stack_and_queue.check(template)
    if any(atom.attribute == "deprel" for atom in template):
        raise ConfigError("labels are not known while heads are sought; leave it out")


GRAMMAR = dataclasses.replace(stack_and_queue.GRAMMAR, check=_check)

PAPER = """
s0.form s0.upos s0.xpos s0.feats q0.form q0.upos q0.xpos q0.feats
s0.l.form s0.l.upos s0.r.form s0.r.upos q0.l.form q0.l.upos q0.r.form q0.r.upos
s1.form s1.upos s2.form s2.upos q1.form q1.upos q2.form q2.upos q3.form q3.upos q4.form q4.upos
action
s0.form+q0.form s0.form+q0.upos s0.upos+q0.form s0.upos+q0.upos s0.xpos+q0.xpos s0.feats+q0.feats
s0.form+s0.upos+q0.upos s0.upos+q0.form+q0.upos s0.form+s0.upos+q0.form+q0.upos
s1.upos+s0.upos s1.form+s0.upos s1.upos+q0.upos s1.upos+s0.upos+q0.upos s2.upos+s1.upos+s0.upos+q0.upos
q0.upos+q1.upos q0.upos+q1.form q0.form+q1.upos q1.upos+q2.upos q2.upos+q3.upos q3.upos+q4.upos s0.upos+q1.upos
s0.form+q1.upos s0.upos+q0.upos+q1.upos s0.upos+q0.upos+q1.upos+q2.upos s1.upos+s0.upos+q0.upos+q1.upos
s0.upos+q0.upos+s0.l.upos s0.upos+q0.upos+s0.r.upos s0.upos+q0.upos+q0.l.upos s0.upos+q0.upos+q0.r.upos
action+s0.upos action+q0.upos action+s0.upos+q0.upos
"""
"""Chang, Do & Roth (2006), section 3.2: words and tags of the pair, of 2 words before and 4 after, and of dependents,
FEATS where there are any, the previous action; and conjunctions, which the paper mentions and does not list. About 50
fire at a time."""

WORDS = """
s0.form s0.lemma s0.upos s0.xpos s0.feats s0.feat s0.suffix2 s0.suffix3 s0.shape
q0.form q0.lemma q0.upos q0.xpos q0.feats q0.feat q0.suffix2 q0.suffix3 q0.shape
s1.form s1.lemma s1.upos s1.xpos s2.upos
q1.form q1.lemma q1.upos q1.xpos q1.feats q1.feat q1.suffix2 q1.suffix3 q1.shape q2.form q2.lemma q2.upos q2.xpos
q2.feats q3.upos q3.xpos q3.form q4.upos
"""
"""Single words, in addition to the rich templates of `features.rich_templates`; two more than in
an LR parser, ``s2`` and ``q4``."""

PARTS = tuple(of_a_pair(part) for part in rich_templates.PARTS)

TEMPLATE_SETS = {"paper": PAPER, "rich": WORDS + of_a_pair(RICH)}
templates_of = functools.partial(named_templates, sets=TEMPLATE_SETS)
