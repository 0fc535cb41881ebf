"""The context of an arc in its tree: dependents, siblings, and the order in which arcs get their labels."""

from __future__ import annotations

from treevote.kernels import Ints, kernel

LINKS = ("l", "r", "il", "ir", "ls", "rs", "lval", "rval", "rank")
"""Columns of the links: outermost dependent on the left and on the right, innermost likewise, sibling before and after;
number of dependents on the left and on the right, and of those between the position and its head."""
LEFT, RIGHT, INNER_LEFT, INNER_RIGHT, BEFORE, AFTER, N_LEFT, N_RIGHT, RANK = range(len(LINKS))


@kernel
def link(heads: Ints, links: Ints) -> None:
    """Find dependents and siblings of every position of a tree.

    Parameters
    ----------
    heads : ndarray of int32, shape (n + 1,)
        A tree, projective or not.
    links : ndarray of int32, shape (n + 1, len(LINKS))
        Receives positions, -1 where there is none, and numbers.

    Examples
    --------
    >>> import numpy as np
    >>> links = np.empty((4, len(LINKS)), np.int32)
    >>> link(np.array([-1, 2, 0, 2], np.int32), links)
    >>> dict(zip(LINKS, links[2].tolist()))
    {'l': 1, 'r': 3, 'il': 1, 'ir': 3, 'ls': -1, 'rs': -1, 'lval': 1, 'rval': 1, 'rank': 0}
    >>> links[1, AFTER], links[3, BEFORE]
    (np.int32(3), np.int32(1))
    """
    for token in range(len(heads)):
        for column in range(len(LINKS)):
            links[token, column] = -1 if column < N_LEFT else 0
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


@kernel
def bottom_up(links: Ints, order: Ints) -> None:
    """Write the positions of a tree level by level, the deepest first; in each level from left to right by head.

    Parameters
    ----------
    links : ndarray of int32, shape (n + 1, len(LINKS))
        As `link` writes them.
    order : ndarray of int32, shape (n + 1,)
        Receives the positions; the last is 0, ROOT. Dependents come before their head, siblings from left to right.

    Examples
    --------
    >>> import numpy as np
    >>> links, order = np.empty((4, len(LINKS)), np.int32), np.empty(4, np.int32)
    >>> link(np.array([-1, 2, 0, 2], np.int32), links)
    >>> bottom_up(links, order)
    >>> order.tolist()
    [1, 3, 2, 0]
    """
    free = len(order) - 1
    order[free] = 0
    for done in range(len(order) - 1, -1, -1):
        head = order[done]
        token = links[head, RIGHT] if links[head, RIGHT] >= 0 else links[head, INNER_LEFT]
        while token >= 0:
            free -= 1
            order[free] = token
            token = links[token, BEFORE]
