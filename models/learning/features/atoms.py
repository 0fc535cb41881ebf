"""Values of atoms that occur in several sets of templates."""

from __future__ import annotations

from treevote.kernels import leaf

FAR = 9  # largest distance of the sixth bin
MAX_VALENCY = 6  # maximum count of dependents on one side; larger counts are reduced to it


@leaf
def bin_distance(distance: int, far: int) -> int:
    """Return the bin of a distance: 1, 2, 3, 4, then 5-6, from 7 up to ``far``, and more (bins 1..7)."""
    if distance <= 4:
        return distance
    if distance <= 6:
        return 5
    return 6 if distance <= far else 7
