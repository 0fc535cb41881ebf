"""Packed weights: scores are those of the matrix, rounded; damaged rows are refused and never read beyond."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from treevote.errors import ConfigError, ModelError
from treevote.kernels import Doubles, Floats, Ints, Keys, Shorts
from treevote.models.learning.features.weights import (
    LEAST,
    exponential,
    find_places,
    log_probabilities,
    only_class,
    pack,
    score,
    unpack,
)

N_CLASSES = 20
KEYS = np.arange(1, 401, 2, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) | np.uint64(1)


def matrix(seed: int, n_features: int, share: float, n_classes: int = N_CLASSES) -> tuple[Floats, Floats]:
    """Return coefficients of which a share is filled, so that some rows are dense, some sparse, some empty."""
    rng = np.random.default_rng(seed)
    filled = rng.random((n_features, n_classes)) < share * rng.random((n_features, 1)) * 2
    coefficients = np.where(filled, rng.normal(size=filled.shape), 0).astype(np.float32)
    return coefficients, rng.normal(size=n_classes).astype(np.float32)


def scores_of(
    coefficients: Floats, intercept: Floats, epsilon: float, chosen: list[int], strange: Keys
) -> tuple[Ints, float]:
    """Pack weights and score a configuration that has the chosen features, and some the model has never seen."""
    kept, packed, bias, scale = pack(KEYS[: len(coefficients)], coefficients, intercept, epsilon)
    weights = unpack(kept, packed, bias, scale)
    keys = np.concatenate([KEYS[chosen], strange])
    scores = np.zeros(len(intercept), np.int32)
    score(weights, keys, len(keys), np.zeros(len(keys), np.int64), scores)
    return scores, scale


@settings(max_examples=60)
@given(
    st.integers(0, 10_000),
    st.integers(0, 50),
    st.sampled_from([0.02, 0.1, 0.5]),
    st.sampled_from([0.0, 0.01, 0.3]),
    st.data(),
)
def test_scores_are_those_of_the_matrix_rounded(
    seed: int, n_features: int, share: float, epsilon: float, data: st.DataObject
) -> None:
    coefficients, intercept = matrix(seed, n_features, share)
    chosen = data.draw(st.lists(st.integers(0, n_features - 1), max_size=20)) if n_features else []
    scores, scale = scores_of(coefficients, intercept, epsilon, chosen, np.array([2**63], np.uint64))
    largest = max(np.abs(coefficients).max(initial=0), np.abs(intercept).max())
    assert scale == pytest.approx(largest / 32_000)
    kept = coefficients[chosen]
    sparse = np.abs(kept) < max(epsilon * largest, scale / 2)
    dense_rows = 16 * np.count_nonzero(~sparse, axis=1) > N_CLASSES
    kept[sparse & ~dense_rows[:, None]] = 0  # in rows of few weights, those near zero are dropped
    rounded = np.round(kept * np.float32(1 / scale)).astype(int)
    assert scores.tolist() == (np.round(intercept / scale).astype(int) + rounded.sum(axis=0)).tolist()
    exact = intercept + coefficients[chosen].sum(axis=0)
    assert np.abs(scores * scale - exact).max() <= (len(chosen) + 1) * (max(epsilon * largest, scale) + 1e-6)


@pytest.mark.parametrize(("n_filled", "n_classes"), [(0, 20), (1, 20), (1, 16), (1, 15), (2, 20), (20, 20)])
def test_rows_are_as_short_as_can_be(n_filled: int, n_classes: int) -> None:
    coefficients = np.zeros((1, n_classes), np.float32)
    coefficients[0, :n_filled] = 1
    kept, packed, _, _ = pack(KEYS[:1], coefficients, np.zeros(n_classes, np.float32), 1.0)
    assert len(kept) == (n_filled > 0)
    dense = 16 * n_filled > n_classes
    expected = [-1, *([32_000] * n_filled), *([0] * (n_classes - n_filled))] if dense else [1, 0, 32_000]
    assert packed.tolist() == (expected if n_filled else [])


def test_weights_of_nothing() -> None:
    scores, _ = scores_of(np.zeros((0, 3), np.float32), np.zeros(3, np.float32), 0.0, [], np.array([7], np.uint64))
    assert scores.tolist() == [0, 0, 0]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", ["coefficients", "intercept"])
def test_weights_that_are_no_numbers_are_refused(value: float, place: str) -> None:
    coefficients, intercept = matrix(0, 5, 0.5)
    (coefficients if place == "coefficients" else intercept).flat[3] = value
    with pytest.raises(ConfigError, match="not finite numbers"):
        pack(KEYS[:5], coefficients, intercept, 0.01)


def places_by_hand(packed: list[int], n_classes: int, n_rows: int) -> list[int] | None:
    """Read rows off a list, which cannot be read beyond its end."""
    places, at = [], 0
    try:
        for _ in range(n_rows):
            places.append(at)
            size = packed[at]
            row = [packed[at + 1 + i] for i in range(n_classes if size == -1 else max(-size, 2 * size))]
            if size < -1 and not 0 <= row[0] <= row[0] + len(row) - 1 <= n_classes:
                return None
            if size >= 0 and not all(0 <= row[i] < n_classes for i in range(0, 2 * size, 2)):
                return None
            at += 1 + len(row)
    except IndexError:
        return None
    return [*places, at]


rows_of_numbers = st.lists(
    st.lists(st.integers(-3, 3), max_size=30)
    | st.just([-1, 5, 5, 5])
    | st.just([2, 0, 9, 2, 9])
    | st.just([0])
    | st.just([1, 3, 9])
    | st.just([32_767])
    | st.just([-32_768])
    | st.just([-3, 1, 9, 9])
    | st.just([-3, 2, 9, 9]),
    max_size=8,
).map(lambda parts: np.array([number for part in parts for number in part], np.int16))


@given(rows_of_numbers, st.integers(0, 8))
def test_damaged_rows_are_refused(packed: Shorts, n_rows: int) -> None:
    n_classes = 3
    expected = places_by_hand(packed.tolist(), n_classes, n_rows)
    # What stands behind the rows must not matter: they are a part of a larger array here.
    for rest in (0, -1, 1, 32_767):
        around = np.full(len(packed) + 100, rest, np.int16)
        around[: len(packed)] = packed
        places = np.zeros(n_rows, np.int64)
        end = find_places(around[: len(packed)], n_classes, places)
        if expected is not None:
            assert [*places.tolist(), end] == expected
        else:
            assert end == -1 or end > len(packed)  # a dense row at the end may be cut short
    keys = KEYS[:n_rows]
    if expected is not None and expected[-1] == len(packed):
        unpack(keys, packed, np.zeros(n_classes, np.int32), 1.0)
    else:
        with pytest.raises(ModelError, match="the weights of a model do not fit its features"):
            unpack(keys, packed, np.zeros(n_classes, np.int32), 1.0)


@given(st.lists(st.dictionaries(st.integers(0, 4), st.integers(-9, 9), min_size=1), max_size=6), st.data())
def test_rows_of_each_kind_are_added(rows: list[dict[int, int]], data: st.DataObject) -> None:
    packed = list[int]()
    for row in rows:
        span = range(min(row), max(row) + 1)
        packed += data.draw(
            st.sampled_from(
                [
                    [len(row), *(number for pair in row.items() for number in pair)],
                    [-1, *(row.get(k, 0) for k in range(5))],
                    [-1 - len(span), span.start, *(row.get(k, 0) for k in span)],
                ]
            )
        )
    bias, keys, scores = np.arange(5, dtype=np.int32), KEYS[: len(rows)], np.zeros(5, np.int32)
    weights = unpack(keys, np.array(packed, np.int16), bias, 1.0)
    score(weights, keys, len(keys), np.zeros(len(keys), np.int64), scores)
    assert scores.tolist() == [k + sum(row.get(k, 0) for row in rows) for k in range(5)]


@pytest.mark.parametrize(
    ("packed", "n_rows"),
    [
        ([], 1),
        ([0], 2),
        ([0, 0], 1),
        ([-2], 1),
        ([1, 3, 9], 1),  # there are three classes
        ([1, -1, 9], 1),
        ([2, 0, 9, 2], 1),
        ([-1, 5, 5], 1),
        ([-1, 5, 5, 5, 0], 1),
        ([0, 32_767], 2),
        ([-3, 2, 9, 9], 1),
        ([-3, -1, 9, 9], 1),
        ([-3, 1, 9], 1),
    ],
)
def test_each_kind_of_damage_is_refused(packed: list[int], n_rows: int) -> None:
    with pytest.raises(ModelError, match="the weights of a model do not fit its features"):
        unpack(KEYS[:n_rows], np.array(packed, np.int16), np.zeros(3, np.int32), 1.0)


@given(
    st.lists(st.tuples(st.integers(-300_000, 300_000), st.booleans()), min_size=1, max_size=8),
    st.sampled_from([1e-6, 1e-4, 1.0, 100.0]),
)
@example([(0, True), (-120_000, True)], 1e-4)
def test_log_probabilities_are_a_softmax_over_what_is_legal(classes: list[tuple[int, bool]], scale: float) -> None:
    mask = np.array([legal for _, legal in classes])
    mask[0] = True
    scores = np.array([value for value, _ in classes], np.int32)
    result: Doubles = np.full(len(scores), 99.0)
    log_probabilities(scores, mask, scale, result)
    logs = (scores[mask] - scores[mask].max()) * scale
    assert result[mask] == pytest.approx(logs - np.log(np.exp(logs[logs > LEAST]).sum()), rel=1e-9, abs=1e-9)
    assert (result[~mask] == 99.0).all()


@given(st.floats(LEAST, 0))
def test_the_exponential_has_ten_digits(x: float) -> None:
    assert exponential(x) == pytest.approx(math.exp(x), rel=1e-10)


def test_the_only_class_is_that_of_a_mask_with_one() -> None:
    for mask in ([False, True, False], [True, True, False], [False, False, False], [False, False, True]):
        only = [k for k, allowed in enumerate(mask) if allowed]
        assert only_class(np.array(mask)) == (only[0] if len(only) == 1 else -1)
