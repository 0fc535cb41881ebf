"""Word vectors of a text: the words on each side of a word, by pointwise mutual information, in few dimensions.

Levy, Goldberg & Dagan 2015 ("Improving distributional similarity with lessons learned from word embeddings", sections
2 and 3): counts of the words at each place of a window, their positive pointwise mutual information with smoothed
contexts, and its singular vectors, weighted by the square roots of the singular values. A word at another place is
another context, since parts of speech differ in what stands before and behind them (Ling et al. 2015).
"""

from __future__ import annotations

from collections.abc import Iterable
from inspect import signature
from typing import Any

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError
from treevote.kernels import Doubles
from treevote.models.learning.vectors.bigrams import BigramCounts

WINDOW = 2  # places on each side of a word
SMOOTHING, WEIGHTING = 0.75, 0.5  # powers of the counts of contexts, and of the singular values


def cooccurrence_vectors(
    text: Iterable[Treebank], *, size: int = 100, least: int = 3
) -> tuple[list[str], Doubles, int]:
    """Return the words that occur at least ``least`` times in a text, their vectors, and the number of all tokens.

    Words are in lower case, the most frequent first; vectors have the shape (n_words, size). Trees and tags are not
    read. Memory grows with the number of different bigrams, not with the length of the text. InputError if not more
    than ``size`` words are so frequent, or if no word tells of another; ConfigError if a number is below 1. Before
    SciPy 1.17 a second call in the same process may give words that cannot be told apart other vectors.
    """
    from scipy.sparse import csr_array, hstack
    from scipy.sparse.linalg import LinearOperator, eigsh
    from threadpoolctl import threadpool_limits

    if min(size, least) < 1:
        raise ConfigError(f"dimensions and the least number of occurrences should be at least 1, found {size}, {least}")
    counts = [BigramCounts(distance, str.lower) for distance in range(1, WINDOW + 1)]
    for treebank in text:
        for each in counts:
            each.add(treebank)
    found = [each.bigrams(least) for each in counts]
    words, _ = found[0]
    if len(words) <= size:
        times, lower = ("once", "") if least == 1 else (f"{least:,} times", ", lower --least")
        problem = f"expected more than {size:,} words that occur at least {times}, found {len(words):,}"
        raise InputError(problem, remedy=f"give more text{lower}, or ask for fewer dimensions")
    places = []
    for _, bigrams in found:
        n_all = len(bigrams.counts)
        after = csr_array((bigrams.times.astype(np.float64), bigrams.words, bigrams.first), shape=(n_all, n_all))
        places += [after[: len(words)], after.T.tocsr()[: len(words)]]
    table = hstack(places).tocoo()
    of_word: Doubles = table.sum(axis=1)
    of_context: Doubles = table.sum(axis=0) ** SMOOTHING
    row, column = table.row, table.col
    information = np.log(table.data * of_context.sum() / (of_word[row] * of_context[column]))
    table.data = np.maximum(information, 0)
    if not table.data.any():
        problem = "expected words that occur beside each other more often than by chance, found none"
        raise InputError(problem, remedy="give running text, not a list of words")
    rows, shape = table.tocsr(), (len(words), len(words))

    def squared(x: Doubles) -> Doubles:
        return np.asarray(rows @ (rows.T @ x), np.float64)

    seeded: dict[str, Any] = {"rng": 0} if "rng" in signature(eigsh).parameters else {}  # older ones have their own
    with threadpool_limits(1):  # sums of several threads would depend on their number
        squares, left = eigsh(LinearOperator(shape, squared, dtype=np.float64), size, v0=np.ones(len(words)), **seeded)
    left *= np.sign(left[np.abs(left).argmax(0), np.arange(size)])  # the largest number of each is above 0
    values = left[:, ::-1] * np.maximum(squares[::-1], 0) ** (WEIGHTING / 2)
    return words, values, counts[0].n_tokens
