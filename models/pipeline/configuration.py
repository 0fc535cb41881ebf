"""The words that are left, the focus point, and the actions on them (Chang, Do & Roth 2006, section 2).

``T`` holds the words that have no head yet. The parser considers two consecutive ones, ``a`` and ``b``; ``a`` is the
*focus point*:

- ``Left``: a is the head of b, and b leaves T;
- ``Right``: b is the head of a, and a leaves T;
- ``Shift``: there is no arc between them, or it has to wait;
- ``WaitLeft``: a is the head of b, but b may still miss dependents, so the arc has to wait;
- ``WaitRight``: b is the head of a, likewise.

Without the two waits, Shift takes their place. After Shift or a wait the focus point is b; after Left or Right it
depends on the policy: *Start Over* goes to the first word of T, *Stay* to the word that has become a head, *Step
Back* to the word before that, if there is one. When the last word of T is the focus point, there is no pair: a new
*round* begins at the first word, unless a single word is left, the round has made no arc (the next one would be the
same) or the maximum number of rounds is reached. The number of pairs is quadratic in the number of words for Start
Over, and a few for each word and round for the other two.

T is a linked list in which an action changes a few numbers, and `undo` puts them back: a look ahead needs no copies.
The focus point is a value. Position 0 is ROOT, the word before the first of T; n + 1 is the position after the last.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from treevote.kernels import Ints, kernel, leaf

ACTIONS = ("shift", "left", "right", "wait-left", "wait-right")
SHIFT, LEFT, RIGHT, WAIT_LEFT, WAIT_RIGHT = range(len(ACTIONS))

Policy: TypeAlias = Literal["start-over", "stay", "step-back"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
START_OVER, STAY, STEP_BACK = range(len(POLICIES))

# Columns of T, a row for each position 0..n + 1.
BEFORE, AFTER = 0, 1  # the neighbours in T
HEAD = 2  # 0 if there is none yet
L1, R1 = 3, 4  # leftmost and rightmost dependent, 0 if there is none
INNER = 5  # the dependent of the same head that was outermost on the same side before, 0 if there was none
L_VALENCY, R_VALENCY = 6, 7  # numbers of dependents on either side
WIDTH = 8


class Focus(NamedTuple):
    """The state of the parser, except T.

    Attributes
    ----------
    a : int
        The focus point; 0 at the end of the parse.
    action, action2 : int
        The last action of this round and the one before, -1 if there was none.
    rounds : int
        Rounds begun.
    arcs : int
        Arcs made in this round.
    """

    a: int
    action: int
    action2: int
    rounds: int
    arcs: int


@leaf
def begin(T: Ints) -> Focus:
    """Fill T, shape (n + 2, WIDTH), with all words, and return the focus point on the first pair."""
    n = len(T) - 2
    for position in range(n + 2):
        for column in range(WIDTH):
            T[position, column] = 0
        T[position, BEFORE] = position - 1
        T[position, AFTER] = position + 1
    return Focus(1 if n > 1 else 0, -1, -1, 1, 0)


@leaf
def entry(T: Ints, position: int, column: int) -> int:
    """Return an entry of T, wide enough for a `Focus`."""
    return int(np.int64(T[position, column]))


@leaf
def take(T: Ints, focus: Focus, policy: int, most_rounds: int, action: int) -> Focus:
    """Take an action on the pair at the focus point, which is not 0: change T, and return the next focus point."""
    a, b = focus.a, entry(T, focus.a, AFTER)
    here, arcs = b, focus.arcs
    if action in (LEFT, RIGHT):
        head, dependent = (a, b) if action == LEFT else (b, a)
        outermost, valency = (R1, R_VALENCY) if action == LEFT else (L1, L_VALENCY)
        T[dependent, HEAD], T[dependent, INNER] = head, T[head, outermost]
        T[head, outermost] = dependent
        T[head, valency] += 1
        T[T[dependent, BEFORE], AFTER] = T[dependent, AFTER]
        T[T[dependent, AFTER], BEFORE] = T[dependent, BEFORE]
        here, arcs = head, arcs + 1
        if policy == START_OVER:
            here = entry(T, 0, AFTER)
        elif policy == STEP_BACK and T[head, BEFORE] > 0:
            here = entry(T, head, BEFORE)
    if T[here, AFTER] < len(T) - 1:
        return Focus(here, action, focus.action, focus.rounds, arcs)
    if arcs == 0 or focus.rounds == most_rounds or T[here, BEFORE] == 0:
        return Focus(0, action, focus.action, focus.rounds, arcs)
    return Focus(entry(T, 0, AFTER), -1, -1, focus.rounds + 1, 0)


@leaf
def undo(T: Ints, focus: Focus, action: int) -> None:
    """Undo ``action``, the last one taken, at ``focus``: restore the earlier T."""
    if action in (LEFT, RIGHT):
        dependent = T[focus.a, R1] if action == LEFT else focus.a
        head = T[dependent, HEAD]
        outermost, valency = (R1, R_VALENCY) if action == LEFT else (L1, L_VALENCY)
        T[head, outermost] = T[dependent, INNER]
        T[head, valency] -= 1
        T[dependent, HEAD], T[dependent, INNER] = 0, 0
        T[T[dependent, BEFORE], AFTER] = dependent
        T[T[dependent, AFTER], BEFORE] = dependent


@leaf
def write_heads(T: Ints, heads: Ints) -> None:
    """Write the head of every position, shape (n + 1,); the head of words that are left in T is ROOT."""
    heads[0] = -1
    for token in range(1, len(heads)):
        heads[token] = T[token, HEAD]


@kernel
def room(n: int) -> Ints:
    """Return an array for the T of a sentence of ``n`` tokens."""
    return np.empty((n + 2, WIDTH), np.int32)
