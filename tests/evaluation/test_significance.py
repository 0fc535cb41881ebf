"""Intervals and tests: laws, and simulations in which the truth is known."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treevote.corpus.treebank import Treebank
from treevote.evaluation import significance
from treevote.evaluation.evaluation import evaluate_systems
from treevote.evaluation.intervals import (
    Moments,
    effective_size,
    f1,
    moments,
    percentiles,
    share,
    sum_by_key,
    wilson,
)
from treevote.evaluation.paired import paired
from treevote.evaluation.results import Rate
from treevote.evaluation.significance import bootstrap_p, bootstrap_sums, holm, randomization_p, rates, swapped_sums
from treevote.evaluation.verdict import Probability
from treevote.kernels import Doubles, Longs

counts = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12)


def sentences(pairs: list[tuple[int, int]]) -> tuple[Longs, Longs]:
    """Counts of sentences with x right of n."""
    return np.array([min(pair) for pair in pairs]), np.array([max(pair) for pair in pairs])


# -- intervals --------------------------------------------------------------------------------------------------------


@given(counts)
def test_a_share_lies_within_its_interval(pairs: list[tuple[int, int]]) -> None:
    rate = share(moments(*sentences(pairs)))
    assert (rate.value is None) == (rate.low is None) == (rate.high is None) == (rate.gold == 0)
    if rate.value is not None and rate.low is not None and rate.high is not None:
        assert 0 <= rate.low <= rate.value <= rate.high <= 100
        assert rate.low < rate.high


@given(counts)
def test_the_effective_size_is_never_more_than_there_is(pairs: list[tuple[int, int]]) -> None:
    sums = moments(*sentences(pairs))
    assert 0 < effective_size(sums) <= sums.n or sums.n == 0


def test_independent_tokens_count_in_full_and_sentences_of_one_kind_as_one_each() -> None:
    single = moments(np.array([1] * 80 + [0] * 20), np.ones(100, np.int64))
    assert effective_size(single) == pytest.approx(100, rel=0.02)
    blocks = moments(np.array([10] * 80 + [0] * 20), np.full(100, 10))
    assert effective_size(blocks) == pytest.approx(100, rel=0.02)
    narrow, wide = share(single), share(blocks)
    assert (narrow.low, narrow.high) == pytest.approx((wide.low, wide.high), abs=0.05)


def test_wilson_on_values_from_the_literature() -> None:
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)  # Newcombe 1998, table I, method 3
    assert wilson(15 / 148, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0, 0.1611), abs=5e-5)
    assert wilson(1 / 29, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)


def test_a_share_and_its_interval_are_in_percent() -> None:
    found = share(moments(np.array([81]), np.array([263])))  # of one sentence: its words count as independent
    assert (found.value, found.low, found.high) == pytest.approx((30.80, 25.53, 36.62), abs=5e-3)


def test_rates_of_nothing_have_no_interval() -> None:
    nothing = share(Moments(0, 0, 0, 0, 0, 0))
    assert nothing == Rate(None, None, None, "wilson", 0, 0, 0)
    assert (nothing.precision, nothing.recall) == (None, None)
    assert f1(0, 0, 0, np.full(3, np.nan)) == Rate(None, None, None, "bootstrap", 0, 0, 0)
    assert percentiles(np.full(3, np.nan)) == (None, None)


@given(st.lists(st.tuples(st.integers(-1, 3), st.booleans(), st.integers(0, 4)), max_size=20))
def test_sums_by_key_are_moments_of_the_tokens_of_each_key(tokens: list[tuple[int, bool, int]]) -> None:
    tokens.sort(key=lambda token: token[2])
    key, right, sentence = (np.array([int(token[i]) for token in tokens], np.int64) for i in range(3))
    sums = sum_by_key(key, right, sentence, 4)
    for k in range(4):
        x = np.bincount(sentence[key == k], weights=right[key == k], minlength=5).astype(np.int64)
        assert Moments(*sums[k].tolist()) == moments(x, np.bincount(sentence[key == k], minlength=5))


# -- resampling -------------------------------------------------------------------------------------------------------


@given(st.integers(1, 40), st.integers(0, 2**32))
def test_bootstrap_samples_are_of_the_same_size_and_the_same_for_all_columns(n: int, seed: int) -> None:
    column = np.arange(n)
    sums = bootstrap_sums(np.stack([np.ones(n, np.int64), column, 3 * column], axis=1), 20, seed)
    assert (sums[:, 0] == (n if n > 1 else 0)).all()  # one sentence has no other samples
    assert (sums[:, 2] == 3 * sums[:, 1]).all()
    assert (sums == bootstrap_sums(np.stack([np.ones(n, np.int64), column, 3 * column], axis=1), 20, seed)).all()


def test_every_sentence_is_drawn_equally_often() -> None:
    n = 7
    times = bootstrap_sums(np.eye(n, dtype=np.int64), 10_000, 3).mean(axis=0)
    assert np.allclose(times, 1, atol=0.05)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 20])
def test_every_sentence_is_swapped_in_half_of_the_permutations_and_independently(n: int) -> None:
    swapped = swapped_sums(np.eye(n, dtype=np.int64), 20_000, 5)
    assert set(swapped.ravel().tolist()) <= {0, 1}
    assert np.allclose(swapped.mean(axis=0), 0.5, atol=0.02)
    for i, j in itertools.combinations(range(n), 2):
        assert abs((swapped[:, i] & swapped[:, j]).mean() - 0.25) < 0.02


def test_sums_are_exact_however_large() -> None:
    small, large = np.array([[1], [0], [1], [3]]), np.array([[10**12 + 1], [0], [10**12 + 1], [3 * (10**12 + 1)]])
    assert (swapped_sums(large, 50, 2) == (10**12 + 1) * swapped_sums(small, 50, 2)).all()
    assert (bootstrap_sums(large, 50, 2) == (10**12 + 1) * bootstrap_sums(small, 50, 2)).all()


def test_permutations_in_many_blocks_are_as_random_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(significance, "BLOCK", 5)
    swapped = swapped_sums(np.eye(9, dtype=np.int64), 4_000, 5)
    assert np.allclose(swapped.mean(axis=0), 0.5, atol=0.05)
    assert abs((swapped[1:] == swapped[:-1]).mean() - 0.5) < 0.02  # neighbours come from different blocks


# -- tests ------------------------------------------------------------------------------------------------------------


def test_the_randomization_test_is_the_exact_one_in_the_limit() -> None:
    first = np.array([[[3, 5]], [[4, 4]], [[1, 6]], [[5, 7]], [[2, 2]]])
    second = np.array([[[1, 4]], [[4, 5]], [[2, 6]], [[3, 7]], [[0, 3]]])
    observed = abs(rates(first.sum(axis=0)) - rates(second.sum(axis=0)))[0]
    extreme = 0
    for swap in itertools.product([False, True], repeat=5):
        mask = np.array(swap)[:, None, None]
        ours, theirs = np.where(mask, second, first).sum(axis=0), np.where(mask, first, second).sum(axis=0)
        extreme += abs(rates(ours) - rates(theirs))[0] >= observed - 1e-9
    assert randomization_p(first, second, 100_000, 1)[0] == pytest.approx(extreme / 32, abs=0.005)


@given(counts, st.integers(0, 99))
def test_equal_systems_give_one(pairs: list[tuple[int, int]], seed: int) -> None:
    system = np.stack(sentences(pairs), axis=1)[:, None, :]
    assert randomization_p(system, system, 50, seed).tolist() == [1.0]
    assert bootstrap_p(0.0, np.zeros(50)) == 1.0


@given(counts, counts, st.integers(0, 99))
def test_p_does_not_depend_on_the_order_of_the_systems(
    one: list[tuple[int, int]], other: list[tuple[int, int]], seed: int
) -> None:
    n = min(len(one), len(other))
    first, second = (np.stack(sentences(pairs[:n]), axis=1)[:, None, :] for pairs in (one, other))
    assert randomization_p(first, second, 200, seed) == pytest.approx(randomization_p(second, first, 200, seed))


@settings(max_examples=20)
@given(counts, counts)
def test_a_difference_is_that_of_the_two_rates(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    n = min(len(one), len(other))
    first, second = (np.stack(sentences(pairs[:n]), axis=1) for pairs in (one, other))
    found, totals = paired(first, second), (first.sum(axis=0), second.sum(axis=0))
    if not n or not totals[0][1] or not totals[1][1]:
        assert (found.before, found.after, found.points) == (None, None, None)
        return
    before, after = (100 * right / whole for right, whole in totals)
    assert (found.before, found.after) == pytest.approx((before, after))
    assert found.points == pytest.approx(after - before)


def test_nothing_to_count_gives_one() -> None:
    assert paired(np.empty((0, 2), np.int64), np.empty((0, 2), np.int64)).p == Probability(1.0)
    assert bootstrap_p(math.nan, np.full(9, np.nan)) == 1.0
    assert randomization_p(np.zeros((3, 1, 2), np.int64), np.zeros((3, 1, 2), np.int64), 9, 0).tolist() == [1.0]


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_against_its_definition(values: list[float]) -> None:
    corrected = holm(values)
    order = np.argsort(values, kind="stable")
    for rank, i in enumerate(order):
        steps = [min(1.0, (len(values) - r) * values[order[r]]) for r in range(rank + 1)]
        assert corrected[i] == max(steps)
    assert all(after >= before for before, after in zip(values, corrected, strict=True))


# -- simulations ------------------------------------------------------------------------------------------------------

LENGTHS = 0.08
"""Sentence lengths are geometric with this parameter: 12.5 words in the mean."""


def simulate(rng: np.random.Generator, n: int, systems: int) -> list[Longs]:
    """Return counts of systems of the same accuracy: shape (n, 2, 2), a share and an F1.

    Sentences differ in length and difficulty, and a difficult one is so for all systems. Of the share, a token is right
    with the probability of its sentence. Of the F1, the system has more or fewer tokens than there are.
    """
    length = rng.geometric(LENGTHS, n)
    ease = rng.beta(6, 1.5, n)
    found = []
    for _ in range(systems):
        right = rng.binomial(length, ease)
        extra = rng.binomial(length, 0.1)
        found.append(np.stack([np.stack([right, length], 1), np.stack([2 * right, 2 * length + extra], 1)], 1))
    return found


TRUE = np.array([80.0, 100 * 2 * 0.8 / 2.1])
"""The rates that the systems of `simulate` would have on a corpus without end."""


def share_of_differences(trials: int, n: int, seed: int) -> Doubles:
    """Return how often p < 0.05 for systems without a true difference: by bootstrap and randomization, share and F1."""
    rng = np.random.default_rng(seed)
    significant = np.zeros((2, 2))
    for trial in range(trials):
        first, second = simulate(rng, n, 2)
        samples = [rates(bootstrap_sums(one.reshape(n, 4), 1000, trial).reshape(-1, 2, 2)) for one in (first, second)]
        difference = rates(first.sum(axis=0)) - rates(second.sum(axis=0))
        drawn = samples[0] - samples[1]
        significant[0] += [bootstrap_p(float(difference[k]), drawn[:, k]) < 0.05 for k in (0, 1)]
        significant[1] += randomization_p(first, second, 1000, trial) < 0.05
    return significant / trials


def coverage(trials: int, n: int, seed: int) -> Doubles:
    """Return how often an interval has the true rate in it: bootstrap of share and F1, Wilson of the share."""
    rng = np.random.default_rng(seed)
    covered = np.zeros(3)
    for trial in range(trials):
        (system,) = simulate(rng, n, 1)
        samples = rates(bootstrap_sums(system.reshape(n, 4), 1000, trial).reshape(-1, 2, 2))
        intervals = [percentiles(samples[:, k]) for k in (0, 1)]
        rate = share(moments(system[:, 0, 0], system[:, 0, 1]))
        intervals.append((rate.low, rate.high))
        for k, (low, high) in enumerate(intervals):
            assert low is not None
            assert high is not None
            covered[k] += low <= TRUE[k % 2] <= high
    return covered / trials


def test_systems_without_a_true_difference_are_seldom_told_apart() -> None:
    shares = share_of_differences(150, 150, 1)
    assert (shares <= 0.11).all()  # the binomial 99.9 % quantile of 150 trials at 5 %
    assert (shares >= 0.0066).all()


def test_intervals_cover_the_true_value() -> None:
    covered = coverage(150, 150, 2)
    assert (covered >= 0.89).all()
    assert (covered <= 0.9934).all()


def test_one_sentence_gives_no_interval_and_tells_no_systems_apart() -> None:
    first, second = np.array([[4, 4]]), np.array([[3, 4]])
    found = paired(first, second)
    assert (found.points, found.low, found.high, found.p.p) == (-25.0, None, None, 1.0)
    words = ["a", "dog", "barks"]
    gold = Treebank.of([(words, [2, 3, 0], ["det", "nsubj", "root"])])
    other = Treebank.of([(words, [3, 3, 0], ["det", "nsubj", "root"])])
    evaluation = evaluate_systems(gold, {"a": gold, "b": other})
    for test in evaluation.comparison.tests:
        assert (test.low, test.high, test.bootstrap) == (None, None, 1.0)
