"""The kernels of the biaffine parser: equal to slow twins; a row of a product depends on no other row."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import network as twin
from treevote.models.learning.network import character_convolution as convolution
from treevote.models.learning.network import lstm
from treevote.models.learning.network.activations import SLOPE, logistic, rectify, slope_of, tanh
from treevote.models.learning.network.batches import Batch, batches
from treevote.models.learning.network.encoder import add_to_vectors, add_vectors
from treevote.models.learning.network.products import WIDTH, add_product, affine, product
from treevote.models.learning.network.training import BETA1, BETA2, BLOCK, EPSILON, Adam

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(0, 9)


def floats(rng: np.random.Generator, *shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return rng.normal(size=shape).astype(np.float32)


@given(seeds, sizes, sizes, sizes)
def test_a_product_adds_in_the_order_of_the_inner_dimension(seed: int, n: int, k: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    a, b, c = floats(rng, n, k), floats(rng, k, m), floats(rng, n, m)
    expected = twin.product(a, b, c)
    add_product(a, b, c)
    assert (c == expected).all()


@given(seeds, st.integers(1, 9), st.integers(1, 12))
def test_a_row_of_a_product_depends_on_no_other_row(seed: int, n: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    a, b, bias = floats(rng, n, k), floats(rng, k, WIDTH + 3), floats(rng, WIDTH + 3)
    whole = affine(a, b, bias)
    for row in range(n):
        assert (affine(a[row : row + 1], b, bias)[0] == whole[row]).all()
    assert product(a.T, a) == pytest.approx(a.T @ a, abs=1e-4)


def test_activations_are_near_the_functions_and_in_their_bounds() -> None:
    for x in (*np.linspace(-12, 12, 2_001, dtype=np.float32), np.float32(3e38), np.float32(-3e38)):
        assert float(tanh(x)) == pytest.approx(math.tanh(x), abs=1e-5)
        assert float(logistic(x)) == pytest.approx((1 + math.tanh(float(x) / 2)) / 2, abs=1e-5)
        assert -1 <= tanh(x) <= 1
    x = np.array([-2, 0, 3], np.float32)
    assert rectify(x).tolist() == pytest.approx([-2 * SLOPE, 0, 3])
    assert slope_of(rectify(x)).tolist() == pytest.approx([SLOPE, SLOPE, 1])


@given(seeds, st.lists(st.integers(1, 6), min_size=1, max_size=4), st.booleans())
def test_lstms_of_a_batch_are_those_of_its_sentences(seed: int, lengths: list[int], backward: bool) -> None:
    rng, n = np.random.default_rng(seed), 3
    offsets = np.concatenate([[0], np.cumsum(sorted(lengths, reverse=True))]).astype(np.int64)
    batch = Batch.of(np.arange(len(lengths)), offsets)
    x, recurrent = floats(rng, len(batch.slots), 4 * n), floats(rng, n, 4 * n)
    mask = rng.choice([0, 2], (len(lengths), n)).astype(np.float32)
    h, c, before = np.zeros((3, len(x), n), np.float32)
    lstm.run(x[batch.slots], recurrent, batch.starts, backward, mask, h, c, before)
    found = h[batch.rows]
    for i, (begin, end) in enumerate(itertools.pairwise(offsets)):
        order = slice(None, None, -1) if backward else slice(None)
        expected = twin.lstm(list(x[begin:end][order].astype(float)), recurrent.astype(float), mask[i].astype(float))
        assert found[begin:end][order] == pytest.approx(np.array(expected), abs=1e-4)


@given(seeds, st.lists(st.lists(st.integers(0, 4), max_size=5), max_size=4))
def test_filters_take_the_maximum_over_places(seed: int, spelled: list[list[int]]) -> None:
    rng, n_filters = np.random.default_rng(seed), 3
    vectors, filters, bias = floats(rng, 5, 2), floats(rng, 3, 2, n_filters), floats(rng, n_filters)
    tables = convolution.tables_of(vectors, filters)
    starts = np.concatenate([[0], np.cumsum([*map(len, spelled)])]).astype(np.int64)
    letters = np.array([letter for own in spelled for letter in own], np.int32)
    values = np.empty((len(spelled), n_filters), np.float32)
    words = np.arange(len(spelled))
    convolution.convolve(tables, bias, letters, starts, words, values, np.empty(values.shape, np.int32))
    for own, letters_of_word in zip(values, spelled, strict=True):
        assert own.tolist() == pytest.approx(twin.convolution(tables, bias, letters_of_word), abs=1e-4)


@given(seeds, st.lists(st.lists(st.integers(0, 4), max_size=3), min_size=1, max_size=4))
def test_vectors_of_several_items_are_added(seed: int, bags: list[list[int]]) -> None:
    rng = np.random.default_rng(seed)
    table, words = floats(rng, 5, 2), rng.integers(0, len(bags), 6)
    starts = np.concatenate([[0], np.cumsum([*map(len, bags)])]).astype(np.int64)
    items = np.array([item for bag in bags for item in bag], np.int32)
    sums, gradient = np.zeros((6, 2), np.float32), np.zeros_like(table)
    add_vectors(table, items, starts, words, sums)
    assert sums == pytest.approx(np.array([table[bags[word]].sum(0) for word in words]), abs=1e-5)
    add_to_vectors(gradient, items, starts, words, np.ones_like(sums))
    assert gradient[:, 0].tolist() == [sum(bags[word].count(item) for word in words) for item in range(5)]


@settings(max_examples=20)
@given(seeds, st.integers(1, 2 * BLOCK + 1))
def test_steps_are_those_of_adam(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    start = floats(rng, n)
    adam, x, m, v = Adam.of(start.copy()), start.astype(float), np.zeros(n), np.zeros(n)
    for number in range(1, 4):
        gradient = floats(rng, n)
        m, v = BETA1 * m + (1 - BETA1) * gradient, BETA2 * v + (1 - BETA2) * gradient.astype(float) ** 2
        x -= 0.1 * (m / (1 - BETA1**number)) / (np.sqrt(v / (1 - BETA2**number)) + EPSILON)
        adam.step(gradient, number, 0.1)
        assert adam.parameters == pytest.approx(x, abs=1e-4)
        assert (gradient == 0).all()


def test_a_block_without_derivatives_stays_as_it_is() -> None:
    adam = Adam.of(np.zeros(2 * BLOCK, np.float32))
    adam.step(np.ones(2 * BLOCK, np.float32), 1, 0.1)
    before = adam.parameters.copy()
    gradient = np.zeros(2 * BLOCK, np.float32)
    gradient[BLOCK] = 1
    adam.step(gradient, 2, 0.1)
    assert (adam.parameters != before).tolist() == [False] * BLOCK + [True] * BLOCK


@given(st.lists(st.integers(1, 9), max_size=12), st.integers(1, 30), st.none() | seeds)
def test_batches_hold_every_sentence_once(lengths: list[int], n_slots: int, seed: int | None) -> None:
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    found = list(batches(offsets, n_slots, None if seed is None else np.random.default_rng(seed)))
    assert sorted(np.concatenate([[], *(batch.sentences for batch in found)]).tolist()) == [*range(len(lengths))]
    for batch in found:
        assert len(batch.slots) <= n_slots or len(batch.sentences) == 1
        expected = [np.arange(int(offsets[i]), int(offsets[i + 1])) for i in batch.sentences]
        assert batch.in_order.tolist() == np.concatenate(expected).tolist()
        assert (
            batch.sentence_of[batch.rows].tolist()
            == np.repeat(np.arange(len(expected)), np.diff(batch.offsets)).tolist()
        )
