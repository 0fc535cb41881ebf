"""Values of atoms that several sets of templates know."""

from __future__ import annotations

from treevote.kernels import kernel

MAX_VALENCY = 6
"""More dependents on a side count as so many."""


@kernel
def bin_distance(distance: int) -> int:
    """Return the bin of a distance: 1, 2, 3, 4, then 5-6, 7-9 and 10 or more (bins 1..7).

    Examples
    --------
    >>> [bin_distance(distance) for distance in (1, 4, 5, 9, 10, 99)]
    [1, 4, 5, 6, 7, 7]
    """
    if distance <= 4:
        return distance
    if distance <= 6:
        return 5
    if distance <= 9:
        return 6
    return 7
