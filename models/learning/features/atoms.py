"""Values of atoms that occur in several sets of templates."""

from __future__ import annotations

from treevote.kernels import Ints, leaf

FAR = 9  # largest distance of the sixth bin
MAX_VALENCY = 6  # maximum count of dependents on one side; larger counts are reduced to it
MISSING, SAME, DIFFERENT = 1, 2, 3  # agreement


@leaf
def bin_distance(distance: int, far: int) -> int:
    """Return the bin of a distance: 1, 2, 3, 4, then 5-6, from 7 up to ``far``, and more (bins 1..7)."""
    if distance <= 4:
        return distance
    if distance <= 6:
        return 5
    return 6 if distance <= far else 7


@leaf
def agreement(feats: Ints, attributes: Ints, i: int, first: int, last: int) -> int:
    """Return whether the value of FEATS in row ``i`` agrees with another word, whose values are rows ``first:last``.

    ``SAME`` if the other word has the value, ``DIFFERENT`` if it has another one of the attribute, such as Case, else
    ``MISSING``. Agreement holds for all values of an attribute: a case that was rare in training agrees as a frequent
    one does. A value that training does not have is as none. Clusters are values of FEATS (`clusters`): words agree in
    them.
    """
    found = MISSING
    for j in range(first, last):
        if attributes[j] == attributes[i]:
            if feats[j] == feats[i]:
                return SAME
            found = DIFFERENT
    return found
