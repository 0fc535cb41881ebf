"""Trees by their definitions, for short sentences only."""

from __future__ import annotations

from collections.abc import Sequence


def dominates(heads: Sequence[int], head: int, word: int) -> bool:
    """``head`` is ``word`` or above it; safe on cycles."""
    for _ in heads:
        if word == head:
            return True
        if word <= 0:
            return False
        word = heads[word]
    return False


def is_tree(heads: Sequence[int]) -> bool:
    n = len(heads) - 1
    if heads[0] != -1 or any(not 0 <= head <= n for head in heads[1:]):
        return False
    return all(dominates(heads, 0, token) for token in range(1, n + 1))


def non_projective_arcs(heads: Sequence[int]) -> list[bool]:
    return [False] + [
        any(
            not dominates(heads, heads[token], word)
            for word in range(min(heads[token], token) + 1, max(heads[token], token))
        )
        for token in range(1, len(heads))
    ]


def has_crossing_arcs(heads: Sequence[int]) -> bool:
    """Two arcs cross if each has one end strictly within the other; ROOT stands at the left."""
    arcs = [(min(head, token), max(head, token)) for token, head in enumerate(heads) if token]
    return any(a < c < b < d for a, b in arcs for c, d in arcs)
