"""A convolution over the letters of a word, and the maximum over its places (Santos & Zadrozny 2014; Ma & Hovy 2016).

A filter at a place is a sum over three letters: the one before, its own, and the one behind. Each term depends on one
letter alone, so the terms of all letters are three tables, and a filter adds three numbers.
"""

from __future__ import annotations

import numpy as np

from treevote.kernels import Floats, Ints, Longs, kernel
from treevote.models.learning.network.activations import tanh
from treevote.models.learning.network.products import add_product, product

WINDOW = 3


def tables_of(vectors: Floats, filters: Floats) -> Floats:
    """Return the terms of filters, shape (WINDOW, n_letters, n_filters).

    ``vectors`` are those of letters, shape (n_letters, size), ``filters`` have the shape (WINDOW, size, n_filters).
    """
    return np.stack([product(vectors, own) for own in filters])


def add_to_letters(vectors: Floats, filters: Floats, d_tables: Floats, d_vectors: Floats, d_filters: Floats) -> None:
    """Add the derivatives of `tables_of` to those of vectors and filters."""
    for own, d_table, d_own in zip(filters, d_tables, d_filters, strict=True):
        add_product(d_table, np.ascontiguousarray(own.T), d_vectors)
        add_product(np.ascontiguousarray(vectors.T), d_table, d_own)


@kernel
def convolve(
    tables: Floats, bias: Floats, letters: Ints, starts: Longs, words: Longs, values: Floats, places: Ints
) -> None:
    """Write the value of each filter for each word, shape (n_words, n_filters), and the place of its maximum.

    The letters of word ``w`` are ``starts[w] : starts[w + 1]``. The first of equal places counts. A word without
    letters has the values 0 and the places -1.
    """
    sums = np.empty_like(bias)
    for row in range(len(words)):
        first, last = starts[words[row]], starts[words[row] + 1]
        best, at = values[row], places[row]
        best[:], at[:] = 0, -1
        for place in range(first, last):
            middle = tables[1, letters[place]]
            for j in range(len(sums)):
                sums[j] = bias[j] + middle[j]
            if place > first:
                left = tables[0, letters[place - 1]]
                for j in range(len(sums)):
                    sums[j] += left[j]
            if place < last - 1:
                right = tables[2, letters[place + 1]]
                for j in range(len(sums)):
                    sums[j] += right[j]
            for j in range(len(sums)):
                better = place == first or sums[j] > best[j]
                best[j], at[j] = sums[j] if better else best[j], place if better else at[j]
        for j in range(len(sums)):
            best[j] = tanh(best[j])


@kernel
def convolve_back(
    d_values: Floats, values: Floats, places: Ints, letters: Ints, starts: Longs, words: Longs, d_tables: Floats,
    d_bias: Floats,
) -> None:  # fmt: skip
    """Add the derivatives of `convolve` to those of tables and bias."""
    one = np.float32(1.0)
    for row in range(len(words)):
        first, last = starts[words[row]], starts[words[row] + 1]
        for j in range(len(d_bias)):
            place, value = places[row, j], values[row, j]
            if place >= 0:
                d = d_values[row, j] * (one - value * value)
                d_bias[j] += d
                d_tables[1, letters[place], j] += d
                if place > first:
                    d_tables[0, letters[place - 1], j] += d
                if place < last - 1:
                    d_tables[2, letters[place + 1], j] += d
