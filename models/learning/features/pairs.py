"""Pairs of features that occur together: their columns, and the rows with a column for each pair."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treevote.kernels import Ints, Longs, kernel

SCALE, PAIR_SCALE = float(np.sqrt(3)), float(np.sqrt(2))
"""Factors of columns and of pairs, with which inner products are those of the polynomial kernel of degree 2, less 1:
see `treevote.models.learning.learners.pairs`."""


@kernel
def count_pairs(
    row_starts: Longs, columns: Ints, column_starts: Ints, rows: Ints, min_count: int
) -> tuple[Longs, Ints]:
    """Return the number of earlier columns paired with each column, and these columns, ascending for each column.

    A pair occurs together in at least ``min_count`` rows. For each column, count the columns before it in its rows: the
    upper triangle of ``X' X``, one row at a time, so that only the counts of one column are in memory. The rows come as
    CSR with sorted columns, and as CSC.
    """
    n_columns = len(column_starts) - 1
    n_pairs = np.zeros(n_columns, np.int64)
    earlier = np.empty(1024, np.int32)
    used = 0
    place = row_starts[:-1].copy()  # of the column in each of its rows
    together = np.zeros(n_columns, np.int32)
    met = np.empty(n_columns, np.int32)
    for j in range(n_columns):
        n_met = 0
        for entry in range(column_starts[j], column_starts[j + 1]):
            row = rows[entry]
            for other in range(row_starts[row], place[row]):
                i = columns[other]
                if together[i] == 0:
                    met[n_met] = i
                    n_met += 1
                together[i] += 1
            place[row] += 1
        if used + n_met > len(earlier):
            longer = np.empty(2 * len(earlier) + n_met, np.int32)
            longer[:used] = earlier[:used]
            earlier = longer
        for i in np.sort(met[:n_met]):
            if together[i] >= min_count:
                earlier[used] = i
                used += 1
                n_pairs[j] += 1
            together[i] = 0
    return n_pairs, earlier[:used].copy()


@kernel
def write_pairs(
    row_starts: Longs, columns: Ints, values: NDArray[Any], starts: Longs, earlier: Ints
) -> tuple[Longs, Ints, NDArray[Any]]:
    """Return the rows, as CSR with sorted columns, with the columns of their pairs, scaled for the kernel.

    The columns paired with column j are ``earlier[starts[j]:starts[j + 1]]``, ascending.
    """
    n_rows, n_columns = len(row_starts) - 1, len(starts) - 1
    capacity = 0
    for row in range(n_rows):
        m = row_starts[row + 1] - row_starts[row]
        capacity += m * (m + 1) // 2
    new_starts = np.zeros(n_rows + 1, np.int64)
    new_columns, new_values = np.empty(capacity, np.int32), np.empty(capacity, values.dtype)
    used = 0
    for row in range(n_rows):
        first, last = row_starts[row], row_starts[row + 1]
        for entry in range(first, last):
            new_columns[used] = columns[entry]
            new_values[used] = values[entry] * SCALE
            used += 1
        for later in range(first, last):
            place, end = starts[columns[later]], starts[columns[later] + 1]
            for entry in range(first, later):
                if place >= end:
                    break
                place += np.searchsorted(earlier[place:end], columns[entry])
                if place < end and earlier[place] == columns[entry]:
                    new_columns[used] = n_columns + place
                    new_values[used] = values[entry] * values[later] * PAIR_SCALE
                    used += 1
        new_starts[row + 1] = used
    return new_starts, new_columns[:used], new_values[:used]
