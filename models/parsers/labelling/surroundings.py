"""The context of an arc in its tree: dependents, siblings, and the order in which arcs get their labels."""

from __future__ import annotations

import numpy as np

from treevote.kernels import Ints, kernel

LINKS = ("l", "r", "il", "ir", "ls", "rs", "lval", "rval", "rank")
"""Columns of the links: outermost dependent on the left and on the right, innermost likewise, sibling before and after;
number of dependents on the left and on the right, and of those between the position and its head."""
LEFT, RIGHT, INNER_LEFT, INNER_RIGHT, BEFORE, AFTER, N_LEFT, N_RIGHT, RANK = range(len(LINKS))


@kernel
def link(heads: Ints) -> Ints:
    """Return dependents and siblings of every position of a tree, projective or not; -1 for none.

    >>> dict(zip(LINKS, link(np.array([-1, 2, 0, 2], np.int32))[2].tolist()))
    {'l': 1, 'r': 3, 'il': 1, 'ir': 3, 'ls': -1, 'rs': -1, 'lval': 1, 'rval': 1, 'rank': 0}
    """
    links = np.full((len(heads), len(LINKS)), -1, np.int32)
    links[:, N_LEFT:] = 0
    for token in range(1, len(heads)):
        head = heads[token]
        before = links[head, RIGHT] if links[head, RIGHT] >= 0 else links[head, INNER_LEFT]
        if before >= 0:
            links[token, BEFORE] = before
            links[before, AFTER] = token
        if token < head:
            if links[head, LEFT] < 0:
                links[head, LEFT] = token
            links[head, INNER_LEFT] = token
            links[token, RANK] = links[head, N_LEFT]  # from the left, and turned round below
            links[head, N_LEFT] += 1
        else:
            if links[head, INNER_RIGHT] < 0:
                links[head, INNER_RIGHT] = token
            links[head, RIGHT] = token
            links[token, RANK] = links[head, N_RIGHT]
            links[head, N_RIGHT] += 1
    for token in range(1, len(heads)):
        if token < heads[token]:
            links[token, RANK] = links[heads[token], N_LEFT] - 1 - links[token, RANK]
    return links


@kernel
def bottom_up(links: Ints) -> Ints:
    """Return the positions of a tree level by level, the deepest first; in each level from left to right by head.

    Dependents come before their head, siblings from left to right; the last position is 0, ROOT.
    """
    order, free = np.zeros(len(links), np.int32), len(links) - 1
    for done in range(len(order) - 1, -1, -1):
        head = order[done]
        token = links[head, RIGHT] if links[head, RIGHT] >= 0 else links[head, INNER_LEFT]
        while token >= 0:
            free -= 1
            order[free] = token
            token = links[token, BEFORE]
    return order
