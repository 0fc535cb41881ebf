"""The pipeline parser as its paper has it: sentences are lists of trees, and every step makes a new state."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias


class Tree(NamedTuple):
    """A word with its dependents, from left to right."""

    token: int
    left: tuple[Tree, ...] = ()
    right: tuple[Tree, ...] = ()


class State(NamedTuple):
    """The words that are left, the index of the focus point among them, and the actions of each round so far."""

    T: tuple[Tree, ...]
    focus: int
    history: tuple[tuple[str, ...], ...]
    arcs: int = 0  # in this round


Score: TypeAlias = Callable[[State], Sequence[float]]
"""The confidence in each action, in the order of ACTIONS."""

ACTIONS = ("shift", "left", "right", "wait-left", "wait-right")


def initial(n: int) -> State:
    return State(tuple(Tree(token) for token in range(1, n + 1)), 0, ((),))


def pair(state: State) -> tuple[Tree, Tree] | None:
    """Return the two words that are considered; None when the parse is over."""
    if state.focus < 0:
        return None
    a, b = state.T[state.focus : state.focus + 2]
    return a, b


def begin(n: int) -> State:
    """Return the first state: without a pair if there are not two words."""
    return initial(n) if n > 1 else initial(n)._replace(focus=-1)


def take(state: State, action: str, policy: str, rounds: int) -> State:
    """Return the state after an action."""
    T, f = state.T, state.focus
    a, b = T[f], T[f + 1]
    arcs = state.arcs
    if action == "left":
        T, arcs = (*T[:f], a._replace(right=(*a.right, b)), *T[f + 2 :]), arcs + 1
    elif action == "right":
        T, arcs = (*T[:f], b._replace(left=(a, *b.left)), *T[f + 2 :]), arcs + 1
    else:
        f += 1
    if action in ("left", "right"):  # the head stands where a stood
        f = {"start-over": 0, "stay": f, "step-back": max(0, f - 1)}[policy]
    history = (*state.history[:-1], (*state.history[-1], action))
    if f + 1 < len(T):
        return State(T, f, history, arcs)
    if len(T) == 1 or arcs == 0 or len(history) == rounds:
        return State(T, -1, history, arcs)
    return State(T, 0, (*history, ()))


def heads_of(state: State, n: int) -> list[int]:
    """Return the head of every position; the head of words that are left is ROOT."""
    heads = [-1] + [0] * n
    for tree in state.T:
        write(tree, heads)
    return heads


def write(tree: Tree, heads: list[int]) -> None:
    for dependent in (*tree.left, *tree.right):
        heads[dependent.token] = tree.token
        write(dependent, heads)


def gold_action(state: State, heads: Sequence[int], waits: Sequence[str]) -> str:
    """Return the action that leads to a tree."""
    a, b = state.T[state.focus : state.focus + 2]
    waiting = {heads[tree.token] for tree in state.T}
    if heads[b.token] == a.token:
        return "left" if b.token not in waiting else "wait-left" if "wait-left" in waits else "shift"
    if heads[a.token] == b.token:
        return "right" if a.token not in waiting else "wait-right" if "wait-right" in waits else "shift"
    return "shift"


def derive(heads: Sequence[int], policy: str, waits: Sequence[str] = ("wait-left",)) -> Iterator[tuple[State, str]]:
    """Yield the states in which the gold action predictor is asked, and its actions, to the end of the last round."""
    state = begin(len(heads) - 1)
    while state.focus >= 0:
        complete = heads_of(state, len(heads) - 1) == list(heads)
        if complete and len(state.history) > 1 and not state.history[-1]:
            return
        action = gold_action(state, heads, waits)
        yield state, action
        state = take(state, action, policy, len(heads) + 1)


def predict(state: State, score: Score, policy: str, rounds: int, depth: int, certain: float) -> str:
    """Return the first action of the best sequence of ``depth`` actions, of the two best at each level."""

    def sequences(here: State, depth: int) -> Iterator[tuple[list[str], list[float]]]:
        if depth == 0 or here.focus < 0:
            yield [], [certain * depth]
            return
        scores = score(here)
        for k in sorted(range(len(scores)), key=lambda k: (-scores[k], k))[:2]:
            for actions, confidences in sequences(take(here, ACTIONS[k], policy, rounds), depth - 1):
                yield [ACTIONS[k], *actions], [scores[k], *confidences]

    best, most = "", float("-inf")
    for actions, confidences in sequences(state, depth):
        total = 0.0
        for confidence in confidences:
            total += confidence
        if total > most:
            best, most = actions[0], total
    return best


def parse(n: int, score: Score, policy: str, rounds: int, depth: int, certain: float) -> State:
    """Return the state at the end of the last round."""
    state = begin(n)
    while state.focus >= 0:
        state = take(state, predict(state, score, policy, rounds, depth, certain), policy, rounds)
    return state


def join(state: State, log_probabilities: Score) -> State:
    """Join the words that are left into one tree, the most probable Left or Right first; ties go to the leftmost.

    A pair is scored when it first is one, and again when one of its words has a new dependent.
    """
    T = state.T
    arcs: dict[tuple[Tree, Tree], tuple[float, str]] = {}
    while len(T) > 1:
        for f, pair in enumerate(itertools.pairwise(T)):
            if pair not in arcs:
                logs = log_probabilities(State(T, f, ((),)))
                arcs[pair] = max(logs[1], logs[2]), "right" if logs[2] > logs[1] else "left"
        f = max(range(len(T) - 1), key=lambda f: (arcs[T[f], T[f + 1]][0], -f))
        T = take(State(T, f, ((),)), arcs[T[f], T[f + 1]][1], "step-back", 1).T
    return state._replace(T=T)
