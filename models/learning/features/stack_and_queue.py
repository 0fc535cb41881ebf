"""The grammar of templates over a stack and a queue.

Places: ``s0 s1 ... s99`` items of the stack from its top, ``q0 q1 ... q99`` words of the queue. Steps: ``l`` ``l2``
the leftmost and second leftmost dependent, ``r`` ``r2`` the rightmost and second rightmost, ``prev`` ``next`` the
neighbouring word of the sentence. ``s0.l.upos`` is the tag of the leftmost dependent of the top of the stack.

Attributes besides those of the lexicon: ``feat`` (each attribute=value of FEATS by itself), ``deprel`` (label of the
arc to its head, for dependents), ``lval rval`` (number of dependents on the left, on the right), and for two words
``agree`` (whether they have the same value of each attribute of FEATS, such as ``s0.agree+s1.agree``). Without a place:
``distance`` (between ``s1`` and ``s0``, binned), ``action`` and ``action2`` (the last action and the one before).
"""

from __future__ import annotations

from treevote.errors import ConfigError
from treevote.models.learning.features.templates import LEXICON, Grammar, Template

STACK, QUEUE, LEFT, LEFT2, RIGHT, RIGHT2, NEXT, PREV = range(8)  # places and steps
FEAT, DEPREL, LVAL, RVAL, DISTANCE, LAST_ACTION, LAST_ACTION2, WORD, AGREE = range(1, 10)
"""Kinds of atoms; the value of ``feat`` and ``agree`` is the number of the word plus 1, as is that of a whole word."""


def check(template: Template) -> None:
    """Raise ConfigError unless ``agree`` is that of two words, without ``feat``."""
    sets = [atom.attribute for atom in template if atom.attribute in ("feat", "agree")]
    if "agree" in sets and sets != ["agree", "agree"]:
        raise ConfigError("'agree' is about two words; give it to both, and leave 'feat' out")


GRAMMAR = Grammar(
    places={f"{letter}{depth}": (step, depth) for letter, step in (("s", STACK), ("q", QUEUE)) for depth in range(100)},
    steps={"l": LEFT, "l2": LEFT2, "r": RIGHT, "r2": RIGHT2, "next": NEXT, "prev": PREV},
    attributes=LEXICON
    | {"feat": (FEAT, 0), "agree": (AGREE, 0), "deprel": (DEPREL, 0), "lval": (LVAL, 0), "rval": (RVAL, 0)},
    globals={"distance": DISTANCE, "action": LAST_ACTION, "action2": LAST_ACTION2},
    sets=("feat", "agree"),
    most_sets=2,
    check=check,
)
