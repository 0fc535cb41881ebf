"""A binary tree over classes: the two whose merger loses least are merged, again and again.

What a merger loses is average mutual information of neighbouring classes (Brown, Della Pietra, deSouza, Lai & Mercer
1992, "Class-based n-gram models of natural language", section 3)::

    sum over pairs of classes of N(a, b) log(N(a, b) / (left(a) right(b)))

The path of a class is a string of bits, from the root of the tree: the longer a common prefix, the more alike two
classes. Losses of all pairs are kept and corrected after each merger, as in the paper: of order n**3 steps in all.
"""

from __future__ import annotations

import numpy as np

from treevote.kernels import Bools, Doubles, Longs, kernel, leaf


def paths(pairs: Longs, n_classes: int) -> list[str]:
    """Return the path of each of the first ``n_classes``, at least 1; the others are neighbours alone.

    ``pairs[a, b]`` is how often class ``b`` follows class ``a``. In a merger the side with the smallest class is ``0``.
    Ties go to the pair with the smallest classes, first by the smaller of the two.
    """
    if n_classes == 1:
        return ["0"]
    return paths_of(merge(pairs.astype(np.float64), n_classes), n_classes)


def paths_of(mergers: Longs, n_classes: int) -> list[str]:
    """Return the path of each class in a tree with at least 2 classes.

    ``mergers``, shape (n_classes - 1, 2), are the two sides of each merger, the first ``0``: classes, or
    ``n_classes + i`` for the result of merger ``i``.
    """
    path = [""] * (2 * n_classes - 1)
    for i in range(n_classes - 2, -1, -1):
        for bit, side in zip("01", mergers[i].tolist(), strict=True):
            path[side] = path[n_classes + i] + bit
    return path[:n_classes]


@kernel
def merge(pairs: Doubles, n_classes: int) -> Longs:
    """Return the mergers as `paths_of` takes them; counts change. The smaller class stands for both from then on."""
    alive = np.ones(len(pairs), np.bool_)
    left, right = pairs.sum(axis=1), pairs.sum(axis=0)
    losses = np.full((n_classes, n_classes), np.inf)
    for a in range(n_classes):
        for b in range(a + 1, n_classes):
            losses[a, b] = loss(pairs, left, right, alive, a, b)
    mergers = np.empty((n_classes - 1, 2), np.int64)
    name = np.arange(n_classes)
    for done in range(n_classes - 1):
        # the pair (a, b) whose merger loses least; a stands for both
        at = int(np.argmin(losses))
        a, b = at // n_classes, at % n_classes
        mergers[done, 0], mergers[done, 1] = name[a], name[b]
        name[a] = n_classes + done
        losses[b], losses[:, b] = np.inf, np.inf
        # the parts of a and b leave the losses of all other pairs, and that of their merger enters them
        alive[a], alive[b] = False, False
        for c in range(n_classes):
            for d in range(c + 1, n_classes):
                if alive[c] and alive[d]:
                    losses[c, d] -= share(pairs, left, right, c, d, a) + share(pairs, left, right, c, d, b)
        alive[a] = True
        pairs[a] += pairs[b]
        pairs[:, a] += pairs[:, b]
        left[a], right[a] = left[a] + left[b], right[a] + right[b]
        for c in range(n_classes):
            for d in range(c + 1, n_classes):
                if alive[c] and alive[d]:
                    if a in (c, d):
                        losses[c, d] = loss(pairs, left, right, alive, c, d)
                    else:
                        losses[c, d] += share(pairs, left, right, c, d, a)
    return mergers


@leaf
def loss(pairs: Doubles, left: Doubles, right: Doubles, alive: Bools, a: int, b: int) -> float:
    """Return the information that is lost if two classes are merged."""
    lost = 0.0
    for c in range(len(pairs)):
        if alive[c] and c != a and c != b:
            lost += share(pairs, left, right, a, b, c)
    lefts, rights = left[a] + left[b], right[a] + right[b]
    lost += information(pairs[a, a], left[a], right[a]) + information(pairs[a, b], left[a], right[b])
    lost += information(pairs[b, a], left[b], right[a]) + information(pairs[b, b], left[b], right[b])
    return lost - information(pairs[a, a] + pairs[a, b] + pairs[b, a] + pairs[b, b], lefts, rights)


@leaf
def share(pairs: Doubles, left: Doubles, right: Doubles, a: int, b: int, c: int) -> float:
    """Return the part of the loss in the pairs of two classes with another."""
    lost = information(pairs[a, c], left[a], right[c]) + information(pairs[b, c], left[b], right[c])
    lost -= information(pairs[a, c] + pairs[b, c], left[a] + left[b], right[c])
    lost += information(pairs[c, a], left[c], right[a]) + information(pairs[c, b], left[c], right[b])
    return lost - information(pairs[c, a] + pairs[c, b], left[c], right[a] + right[b])


@leaf
def information(times: float, left: float, right: float) -> float:
    """Return ``times * log(times / (left * right))``, 0 for 0."""
    return times * np.log(times / (left * right)) if times else 0.0
