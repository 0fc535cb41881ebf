"""T as the kernels have it for a state of the twin, and random walks of the twin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.reference import pipeline as twin
from treevote.kernels import Ints
from treevote.models.parsers.pipeline.configuration import (
    ACTIONS,
    AFTER,
    BEFORE,
    HEAD,
    INNER,
    L1,
    L_VALENCY,
    R1,
    R_VALENCY,
    Focus,
    words_left,
)


def table_of(state: twin.State, n: int) -> Ints:
    """Return the T of a state; words that have a head keep no neighbours."""
    T = words_left(n)
    T[:] = 0
    line = [0, *(tree.token for tree in state.T), n + 1]
    T[line, BEFORE], T[line, AFTER] = [-1, *line[:-1]], [*line[1:], n + 2]

    def enter(tree: twin.Tree) -> None:
        for side, outermost, valency in ((tree.left, L1, L_VALENCY), (tree.right[::-1], R1, R_VALENCY)):
            T[tree.token, outermost] = side[0].token if side else 0
            T[tree.token, valency] = len(side)
            for k, dependent in enumerate(side):
                T[dependent.token, HEAD] = tree.token
                T[dependent.token, INNER] = side[k + 1].token if k + 1 < len(side) else 0
                enter(dependent)

    for tree in state.T:
        enter(tree)
    return T


def focus_of(state: twin.State) -> Focus:
    """Return the focus point of a state."""
    last = [-1, -1, *(ACTIONS.index(action) for action in state.history[-1])]
    a = state.T[state.focus].token if state.focus >= 0 else 0
    return Focus(a, last[-1], last[-2], len(state.history), state.arcs)


def walk(n: int, policy: str, rounds: int, picks: Sequence[int]) -> Iterator[twin.State]:
    """Yield the states with a pair that a sequence of actions leads to."""
    state = twin.begin(n)
    for pick in picks:
        if state.focus < 0:
            return
        yield state
        state = twin.take(state, ACTIONS[pick], policy, rounds)
