"""The remaining words, the focus point, and the actions on them (Chang, Do & Roth 2006, section 2).

T, the array ``remaining``, holds the words that have no head yet. The parser considers two consecutive ones, ``a``
and ``b``. ``a`` is the *focus point*:

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
Position 0 is ROOT, the word before the first of T; n + 1 is the position after the last.
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

# Columns of remaining, a row for each position 0..n + 1.
BEFORE, AFTER = 0, 1  # the neighbours in the list
HEAD = 2  # 0 if there is none yet
L1, R1 = 3, 4  # leftmost and rightmost dependent, 0 if there is none
INNER = 5  # the dependent of the same head that was outermost on the same side before, 0 if there was none
L_VALENCY, R_VALENCY = 6, 7  # numbers of dependents on either side
WIDTH = 8


class Focus(NamedTuple):
    """The state of the parser besides the remaining words."""

    a: int  # the focus point; 0 at the end of the parse
    action: int  # the last action of this round, -1 if there was none
    action2: int  # the one before
    rounds: int  # rounds begun
    arcs: int  # arcs made in this round


@leaf
def begin(remaining: Ints) -> Focus:
    """Fill ``remaining``, shape (n + 2, WIDTH), with all words, and return the focus point on the first pair."""
    n = len(remaining) - 2
    for position in range(n + 2):
        for column in range(WIDTH):
            remaining[position, column] = 0
        remaining[position, BEFORE] = position - 1
        remaining[position, AFTER] = position + 1
    return Focus(1 if n > 1 else 0, -1, -1, 1, 0)


@leaf
def entry(remaining: Ints, position: int, column: int) -> int:
    """Return an entry of ``remaining``, wide enough for a `Focus`."""
    return int(np.int64(remaining[position, column]))


@leaf
def take(remaining: Ints, focus: Focus, policy: int, most_rounds: int, action: int) -> Focus:
    """Take an action on the pair at the focus point, which is not 0, and return the next focus point."""
    a, b = focus.a, entry(remaining, focus.a, AFTER)
    here, arcs = b, focus.arcs
    if action in (LEFT, RIGHT):
        head, dependent = (a, b) if action == LEFT else (b, a)
        outermost, valency = (R1, R_VALENCY) if action == LEFT else (L1, L_VALENCY)
        remaining[dependent, HEAD], remaining[dependent, INNER] = head, remaining[head, outermost]
        remaining[head, outermost] = dependent
        remaining[head, valency] += 1
        remaining[remaining[dependent, BEFORE], AFTER] = remaining[dependent, AFTER]
        remaining[remaining[dependent, AFTER], BEFORE] = remaining[dependent, BEFORE]
        here, arcs = head, arcs + 1
        if policy == START_OVER:
            here = entry(remaining, 0, AFTER)
        elif policy == STEP_BACK and remaining[head, BEFORE] > 0:
            here = entry(remaining, head, BEFORE)
    if remaining[here, AFTER] < len(remaining) - 1:
        return Focus(here, action, focus.action, focus.rounds, arcs)
    if arcs == 0 or focus.rounds == most_rounds or remaining[here, BEFORE] == 0:
        return Focus(0, action, focus.action, focus.rounds, arcs)
    return Focus(entry(remaining, 0, AFTER), -1, -1, focus.rounds + 1, 0)


@leaf
def undo(remaining: Ints, focus: Focus, action: int) -> None:
    """Undo ``action``, the last one taken, at ``focus``: restore the earlier ``remaining``."""
    if action in (LEFT, RIGHT):
        dependent = remaining[focus.a, R1] if action == LEFT else focus.a
        head = remaining[dependent, HEAD]
        outermost, valency = (R1, R_VALENCY) if action == LEFT else (L1, L_VALENCY)
        remaining[head, outermost] = remaining[dependent, INNER]
        remaining[head, valency] -= 1
        remaining[dependent, HEAD], remaining[dependent, INNER] = 0, 0
        remaining[remaining[dependent, BEFORE], AFTER] = dependent
        remaining[remaining[dependent, AFTER], BEFORE] = dependent


@leaf
def write_heads(remaining: Ints, heads: Ints) -> None:
    """Write the head of every position, shape (n + 1,); the head of the remaining words is ROOT."""
    heads[0] = -1
    for token in range(1, len(heads)):
        heads[token] = remaining[token, HEAD]


@kernel
def words_left(n: int) -> Ints:
    """Return an array for the remaining words of a sentence of ``n`` tokens."""
    return np.empty((n + 2, WIDTH), np.int32)
