"""Agreement of two words: whether their FEATS have the same value of an attribute, such as Case or Number.

Agreement holds for all values of an attribute: a case that was rare in training agrees as a frequent one does. A value
that training does not have is as none. Clusters are values of FEATS (`clusters`): words agree in them.
"""

from __future__ import annotations

from treevote.kernels import Ints, leaf

MISSING, SAME, DIFFERENT = 1, 2, 3


@leaf
def agreement(feats: Ints, attributes: Ints, i: int, first: int, last: int) -> int:
    """Return whether the value of FEATS in row ``i`` agrees with another word, whose values are rows ``first:last``.

    ``SAME`` if the other word has the value, ``DIFFERENT`` if it has another one of the attribute, else ``MISSING``.
    """
    found = MISSING
    for j in range(first, last):
        if attributes[j] == attributes[i]:
            if feats[j] == feats[i]:
                return SAME
            found = DIFFERENT
    return found
