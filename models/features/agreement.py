"""Agreement of two words: whether their FEATS have the same value of an attribute, such as Case or Number.

Values one by one tell it too, but each pair of them by itself. Agreement holds for all values of an attribute: a case
that was rare in training agrees as a frequent one does. A value that training does not have is as none. Clusters of
words are values of FEATS (`treevote.models.clusters`), so words agree in them, too.
"""

from __future__ import annotations

from treevote.kernels import Ints, leaf

MISSING, SAME, DIFFERENT = 1, 2, 3


@leaf
def agreement(feats: Ints, attributes: Ints, i: int, first: int, last: int) -> int:
    """Return whether a value of FEATS agrees with another word.

    Parameters
    ----------
    feats, attributes : ndarray of int32, shape (n_values,)
        Values of all words, and their attributes, as in `treevote.models.features.lexicon.WordColumns`.
    i : int
        Row of the value.
    first, last : int
        The values of the other word are rows ``first:last``.

    Returns
    -------
    int
        ``SAME`` if the other word has the value; ``DIFFERENT`` if it has another one of the attribute; or ``MISSING``.

    Examples
    --------
    >>> import numpy as np
    >>> feats, attributes = np.array([4, 6, 8, 4, 7], np.int32), np.array([0, 1, 2, 0, 1], np.int32)
    >>> [agreement(feats, attributes, i, 3, 5) for i in range(3)] == [SAME, DIFFERENT, MISSING]
    True
    """
    found = MISSING
    for j in range(first, last):
        if attributes[j] == attributes[i]:
            if feats[j] == feats[i]:
                return SAME
            found = DIFFERENT
    return found
