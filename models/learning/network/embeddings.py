"""Embeddings: a vector for each value of an attribute, and the sum of those of several values."""

from __future__ import annotations

from treevote.kernels import Floats, Ints, Longs, kernel


@kernel
def add_vectors(table: Floats, items: Ints, starts: Longs, words: Longs, sums: Floats) -> None:
    """Add the vectors of the items of each word: items ``starts[w] : starts[w + 1]`` of word ``w``, to its row."""
    for row in range(len(words)):
        for place in range(starts[words[row]], starts[words[row] + 1]):
            vector, own = table[items[place]], sums[row]
            for j in range(len(own)):
                own[j] += vector[j]


@kernel
def add_to_vectors(gradient: Floats, items: Ints, starts: Longs, words: Longs, d_sums: Floats) -> None:
    """Add the derivatives of `add_vectors` to those of the table."""
    for row in range(len(words)):
        for place in range(starts[words[row]], starts[words[row] + 1]):
            vector, own = gradient[items[place]], d_sums[row]
            for j in range(len(own)):
                vector[j] += own[j]
