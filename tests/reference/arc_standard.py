"""The arc-standard system by its definition: a stack of trees, a queue of words, and the actions so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Tree(NamedTuple):
    """A word and its dependents with their labels, in the order in which they were attached."""

    token: int
    left: tuple[tuple[int, Tree], ...] = ()
    right: tuple[tuple[int, Tree], ...] = ()


class Configuration(NamedTuple):
    stack: tuple[Tree, ...]
    queue: tuple[int, ...]
    history: tuple[int, ...] = ()


class Action(NamedTuple):
    kind: str
    label: int
    to_root: bool
    to_token: bool


def initial(n: int) -> Configuration:
    return Configuration((Tree(0),), tuple(range(1, n + 1)))


def is_final(configuration: Configuration) -> bool:
    return not configuration.queue and len(configuration.stack) == 1


def legal(configuration: Configuration, actions: Sequence[Action], single_root: bool) -> list[int]:
    return [i for i, action in enumerate(actions) if is_legal(configuration, action, single_root)]


def is_legal(configuration: Configuration, action: Action, single_root: bool) -> bool:
    if action.kind == "shift":
        return bool(configuration.queue)
    if len(configuration.stack) < 2:
        return False
    if configuration.stack[-2].token != 0:
        return action.to_token
    if action.kind == "reduce-right":  # ROOT would get a head
        return False
    if single_root and configuration.queue:  # a second root would follow
        return False
    return action.to_root


def advance(configuration: Configuration, chosen: int, actions: Sequence[Action]) -> Configuration:
    stack, queue, history = configuration
    action = actions[chosen]
    if action.kind == "shift":
        return Configuration((*stack, Tree(queue[0])), queue[1:], (*history, chosen))
    *rest, lower, upper = stack
    if action.kind == "reduce-left":
        grown = lower._replace(right=(*lower.right, (action.label, upper)))
    else:
        grown = upper._replace(left=(*upper.left, (action.label, lower)))
    return Configuration((*rest, grown), queue, (*history, chosen))


def outline(configuration: Configuration) -> tuple[object, ...]:
    """Return the words on the stack, each with its leftmost and rightmost dependents, and the queue."""
    words = [(tree.token, outermost(tree.left), outermost(tree.right)) for tree in configuration.stack]
    return (*words, configuration.queue)


def outermost(side: Sequence[tuple[int, Tree]]) -> int:
    """Return the word that was attached last on a side, -1 for none."""
    return side[-1][1].token if side else -1


def oracle(configuration: Configuration, heads: Sequence[int]) -> str:
    """Return the kind of action that makes a gold arc to a word that has all its gold dependents."""
    if len(configuration.stack) > 1:
        *_, lower, upper = configuration.stack
        if heads[upper.token] == lower.token and has_all(upper, heads):
            return "reduce-left"
        if heads[lower.token] == upper.token and has_all(lower, heads):
            return "reduce-right"
    return "shift"


def has_all(tree: Tree, heads: Sequence[int]) -> bool:
    attached = {dependent.token for _, dependent in tree.left + tree.right}
    return attached == {token for token, head in enumerate(heads) if token and head == tree.token}


def arcs(configuration: Configuration) -> tuple[list[int], list[int]]:
    """Return heads and labels of the tree on a stack that holds nothing else; -1 for ROOT."""
    found = {0: (-1, -1)}
    waiting = list(configuration.stack)
    while waiting:
        tree = waiting.pop()
        for label, dependent in tree.left + tree.right:
            found[dependent.token] = tree.token, label
            waiting.append(dependent)
    ordered = [found[token] for token in sorted(found)]
    return [head for head, _ in ordered], [label for _, label in ordered]
