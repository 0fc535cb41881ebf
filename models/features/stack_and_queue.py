"""The grammar of templates over a stack and a queue.

Places: ``s0 s1 ... s99`` items of the stack from its top, ``q0 q1 ... q99`` words of the queue. Steps: ``l`` ``l2``
the leftmost and second leftmost dependent, ``r`` ``r2`` the rightmost and second rightmost, ``prev`` ``next`` the
neighbouring word of the sentence. ``s0.l.upos`` is the tag of the leftmost dependent of the top of the stack.

Attributes besides those of the lexicon: ``feat`` (each attribute=value of FEATS by itself), ``deprel`` (label of the
arc to its head, for dependents), ``lval rval`` (number of dependents on the left, on the right). Without a place:
``distance`` (between ``s1`` and ``s0``, binned), ``action`` and ``action2`` (the last action and the one before).
"""

from __future__ import annotations

from treevote.models.features.templates import LEXICON, Grammar

STACK, QUEUE, LEFT, LEFT2, RIGHT, RIGHT2, NEXT, PREV = range(8)
"""Places and steps."""
FEAT, DEPREL, LVAL, RVAL, DISTANCE, LAST_ACTION, LAST_ACTION2, WORD = range(1, 9)
"""Kinds of atoms; the value of ``feat`` is the number of the word plus 1, as is that of a whole word."""

GRAMMAR = Grammar(
    places={f"{letter}{depth}": (step, depth) for letter, step in (("s", STACK), ("q", QUEUE)) for depth in range(100)},
    steps={"l": LEFT, "l2": LEFT2, "r": RIGHT, "r2": RIGHT2, "next": NEXT, "prev": PREV},
    attributes=LEXICON | {"feat": (FEAT, 0), "deprel": (DEPREL, 0), "lval": (LVAL, 0), "rval": (RVAL, 0)},
    globals={"distance": DISTANCE, "action": LAST_ACTION, "action2": LAST_ACTION2},
    sets=("feat",),
    most_sets=2,
)
