"""Tag dictionary: counts of classes by form, and the weight of this evidence.

In training a token does not see its own class in the dictionary, so a form that occurs once is as unknown as a new
word: the affixes learn what they are for, and the weight of the dictionary is what it deserves on new text.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Ints, Longs, leaf
from treevote.store.record import Record
from treevote.store.validation import check_offsets, column

N_SHARES = 5  # ranges of the share of a class in the count of a form
N_CELLS = 4 * N_SHARES  # number of weights: one for each range of the count, and of the share


class Dictionary(NamedTuple):
    """Counts in CSR form: form ``f`` had ``classes[offsets[f] : offsets[f + 1]]``, which ascend, with ``counts``."""

    offsets: Ints
    classes: Ints
    counts: Ints

    @classmethod
    def of(cls, forms: Ints, classes: Ints, n_forms: int) -> Dictionary:
        """Count the classes of forms."""
        pairs, counts = np.unique(np.stack([forms, classes]), axis=1, return_counts=True)
        offsets = np.append(0, np.cumsum(np.bincount(pairs[0], minlength=n_forms)))
        return cls(offsets.astype(np.int32), pairs[1].astype(np.int32), counts.astype(np.int32))

    def record(self) -> Record:
        """Return the dictionary as data."""
        return Record("dictionary", arrays=self._asdict())

    @classmethod
    def from_record(cls, record: Record, n_forms: int, n_classes: int) -> Dictionary:
        """Return the dictionary of a record; raises as `treevote.store.validation.rebuild` expects."""
        offsets, classes, counts = (column(record, name, np.int32) for name in cls._fields)
        check_offsets("offsets", offsets, n_forms, len(classes))
        if len(counts) != len(classes) or ((counts < 1) | (counts > 1 << 30)).any():
            raise ValueError("the counts of its dictionary")
        pairs = np.repeat(np.arange(n_forms) * n_classes, np.diff(offsets)) + classes
        if ((classes < 0) | (classes >= n_classes)).any() or (pairs[1:] <= pairs[:-1]).any():
            raise ValueError("the classes of its dictionary")
        return cls(offsets, classes, counts)


@leaf
def find_cells(dictionary: Dictionary, form: int, first: int, last: int, gold: int, found: Longs, cells: Longs) -> int:
    """Write the classes in ``first:last`` that a form had, and the cell of each; return their number.

    One occurrence of the class ``gold``, -1 for none, is left out. ``form`` is -1 for an unknown one.
    """
    if form < 0:
        return 0
    start, end = dictionary.offsets[form], dictionary.offsets[form + 1]
    total = -1 if gold >= 0 else 0
    for i in range(start, end):
        if first <= dictionary.classes[i] < last:
            total += dictionary.counts[i]
    if total <= 0:
        return 0
    level = 0 if total == 1 else 1 if total < 4 else 2 if total < 10 else 3
    n = 0
    for i in range(start, end):
        cell_class = dictionary.classes[i]
        if first <= cell_class < last:
            count = dictionary.counts[i] - (1 if cell_class == gold else 0)
            if count > 0:
                share = count / total
                rank = 0 if share <= 0.1 else 1 if share <= 0.35 else 2 if share <= 0.65 else 3 if share < 0.95 else 4
                found[n] = cell_class
                cells[n] = N_SHARES * level + rank
                n += 1
    return n
