"""Exchange of words between classes: the kernel and its twin, and what a pass can never lose."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.reference import clusters as twin
from treevote.kernels import Ints
from treevote.models.learning.clusters.exchange import exchange, n_log_n, one_pass
from treevote.models.learning.vectors.bigrams import Bigrams


@st.composite
def texts(draw: st.DrawFn) -> tuple[dict[tuple[int, int], int], int]:
    """Bigrams of up to six words, and their number."""
    n_words = draw(st.integers(1, 6))
    word = st.integers(0, n_words - 1)
    pairs = draw(st.dictionaries(st.tuples(word, word), st.integers(1, 90_000), min_size=1, max_size=20))
    return pairs, n_words


def bigrams_of(pairs: dict[tuple[int, int], int], n_words: int) -> Bigrams:
    table = np.zeros((n_words, n_words), np.int64)
    for (a, b), times in pairs.items():
        table[a, b] = times
    rows, columns = np.nonzero(table)
    first = np.searchsorted(rows, np.arange(n_words + 1))
    return Bigrams(table.sum(1), first, columns.astype(np.int32), table[rows, columns])


def start(n_words: int, n_classes: int, n_fixed: int) -> Ints:
    free = n_words - n_fixed
    return np.array([k % n_classes if k < free else n_classes + k - free for k in range(n_words)], np.int32)


LOGS = np.array([0.0, *(n * np.log(n) for n in range(1, 1 << 16))])


@given(texts(), st.integers(1, 4), st.integers(0, 2))
def test_a_pass_is_that_of_the_twin(text: tuple[dict[tuple[int, int], int], int], n_classes: int, n_fixed: int) -> None:
    pairs, n_words = text
    n_fixed = min(n_fixed, n_words - 1)
    class_of = start(n_words, n_classes, n_fixed)
    expected, tie = twin.exchanged(pairs, class_of.tolist(), n_words - n_fixed, n_classes)
    assume(not tie)
    bigrams = bigrams_of(pairs, n_words)
    after = bigrams.pairs(class_of, n_classes + n_fixed)
    before, found = after.T.copy(), class_of.copy()
    moves = one_pass(bigrams, bigrams.reversed(), n_words - n_fixed, n_classes, found, after, before, LOGS)
    assert found.tolist() == expected
    assert moves == (found != class_of).sum()
    assert np.array_equal(after, bigrams.pairs(found, n_classes + n_fixed))
    assert np.array_equal(before, after.T)


@given(texts(), st.integers(1, 4))
def test_exchange_never_loses_likelihood(text: tuple[dict[tuple[int, int], int], int], n_classes: int) -> None:
    pairs, n_words = text
    found = exchange(bigrams_of(pairs, n_words), n_classes)
    first = twin.likelihood(pairs, start(n_words, n_classes, 0).tolist())
    assert twin.likelihood(pairs, found.tolist()) >= first - 1e-6 * abs(first)
    assert found.min() >= 0
    assert found.max() < n_classes


@given(texts())
def test_reversed_twice_is_the_same(text: tuple[dict[tuple[int, int], int], int]) -> None:
    bigrams = bigrams_of(*text)
    again = bigrams.reversed().reversed()
    assert [own.tolist() for own in again] == [own.tolist() for own in bigrams]


@given(st.integers(0, 1 << 40))
def test_n_log_n(n: int) -> None:
    table = np.array([0.0, *(k * np.log(k) for k in range(1, 100))])
    assert np.isclose(n_log_n(n, table), n * np.log(n) if n else 0.0)
