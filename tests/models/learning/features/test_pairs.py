"""Pairs of features: those that occur together often enough, and the rows with a column for each."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from treevote.models.learning.features.pairs import PAIR_SCALE, SCALE, count_pairs, write_pairs

N_COLUMNS = 6


@given(st.lists(st.sets(st.integers(0, N_COLUMNS - 1)).map(sorted), max_size=8), st.integers(1, 3))
def test_rows_have_a_column_for_each_pair_that_occurs_often_enough(rows: list[list[int]], min_count: int) -> None:
    counts = Counter(pair for row in rows for pair in itertools.combinations(row, 2))
    pairs = sorted(((j, i) for (i, j), count in counts.items() if count >= min_count))
    starts = np.append(0, np.cumsum([len(row) for row in rows])).astype(np.int64)
    columns = np.array(list(itertools.chain(*rows)), np.int32)
    by_column = csr_array((np.ones(len(columns)), columns, starts), shape=(len(rows), N_COLUMNS)).tocsc()
    column_starts, own_rows = by_column.indptr.astype(np.int32), by_column.indices.astype(np.int32)
    n_pairs, earlier = count_pairs(starts, columns, column_starts, own_rows, min_count)
    assert n_pairs.tolist() == [sum(j == column for j, _ in pairs) for column in range(N_COLUMNS)]
    assert earlier.tolist() == [i for _, i in pairs]

    values = np.arange(2.0, 2 + len(columns))
    pair_starts = np.append(0, np.cumsum(n_pairs))
    found = csr_array(
        write_pairs(starts, columns, values, pair_starts, earlier)[::-1], shape=(len(rows), N_COLUMNS + len(pairs))
    )
    expected = np.zeros(found.shape)
    for number, (row, first) in enumerate(zip(rows, starts.tolist(), strict=False)):
        value_of = dict(zip(row, values[first:].tolist(), strict=False))
        for column, value in value_of.items():
            expected[number, column] = value * SCALE
        for place, (j, i) in enumerate(pairs):
            if i in value_of and j in value_of:
                expected[number, N_COLUMNS + place] = value_of[i] * value_of[j] * PAIR_SCALE
    assert np.allclose(found.toarray(), expected)


def test_there_may_be_more_pairs_than_the_first_array_holds() -> None:
    n = 60
    columns, ones = np.arange(n, dtype=np.int32), np.arange(n + 1, dtype=np.int32)
    n_pairs, earlier = count_pairs(np.array([0, n]), columns, ones, np.zeros(n, np.int32), 1)
    assert n_pairs.tolist() == list(range(n))
    assert earlier.tolist() == [i for j in range(n) for i in range(j)]
