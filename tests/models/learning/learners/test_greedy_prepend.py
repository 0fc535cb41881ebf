"""Greedy Prepend: the list of the definition, rule by rule."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from tests.reference import greedy_prepend as twin
from treevote.models.learning.learners.decision_list.candidates import intersection
from treevote.models.learning.learners.decision_list.induction import ListOptions, induce
from treevote.models.learning.learners.decision_list.rules import DecisionList, check_rules, compile_rules, decide
from treevote.models.learning.learners.decision_list.tournament import change, enlarged, tournament, value, winner

Problem = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


def problem(seed: int, n: int, n_features: int, n_classes: int, density: float) -> Problem:
    """Return binary rows, classes of which each occurs, and weights."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    return (rng.random((n, n_features)) < density).astype(float), rng.permutation(y), rng.integers(1, 4, n)


problems = st.builds(
    problem,
    st.integers(0, 100_000),
    st.integers(5, 40),
    st.integers(1, 6),
    st.integers(1, 5),
    st.sampled_from([0.2, 0.4, 0.6, 0.9]),
)


def learn(X: Any, y: Any, weights: Any = None, **options: int) -> tuple[DecisionList, NDArray[Any]]:
    """Return the list that is learnt, and the classes that its numbers stand for."""
    classes, labels = np.unique(y, return_inverse=True)
    weights = np.ones(len(labels)) if weights is None else np.asarray(weights)
    return induce(csr_matrix(X), labels.astype(np.int32), weights, ListOptions(**options)), classes


def rules_of(rules: DecisionList) -> list[twin.Rule]:
    return [
        twin.Rule(tuple(rules.pattern(number)), int(rules.classes[number]), int(rules.gains[number]))
        for number in range(len(rules.classes))
    ]


@settings(max_examples=120)
@given(problems, st.integers(1, 3), st.sampled_from([1, 3, 1_000]), st.integers(1, 4), st.sampled_from([1, 2]))
def test_the_list_is_that_of_the_definition(
    rows: Problem, min_gain: int, max_rules: int, max_length: int, free_length: int
) -> None:
    X, y, weights = rows
    options = {"min_gain": min_gain, "max_rules": max_rules, "max_length": max_length, "free_length": free_length}
    rules, classes = learn(X, y, weights, **options)
    expected = twin.learn(X, y, weights, **options)
    assert rules_of(rules) == expected
    decided = [twin.decide(expected, row) for row in X]
    assert decide(rules, X).tolist() == decided
    right = classes[rules.classes[decided]] == y
    n = len(expected)
    assert rules.decided.tolist() == np.bincount(decided, weights, n).tolist()
    assert rules.right.tolist() == np.bincount(decided, weights * right, n).tolist()
    assert weights[right].sum() == rules.gains.sum()


@pytest.mark.parametrize("free_length", [1, 2])
@pytest.mark.parametrize("max_length", [2, 3, 4])
def test_a_rule_is_specialised_up_to_the_largest_length(max_length: int, free_length: int) -> None:
    longest = 0
    for seed in (*range(19, 27), 78, 86):
        X, y, weights = problem(seed, 40, 6, 3, 0.6)
        options = {"max_length": max_length, "free_length": free_length}
        rules = rules_of(learn(X, y, weights, **options)[0])
        assert rules == twin.learn(X, y, weights, **options)
        longest = max(longest, *(len(rule.pattern) for rule in rules))
    assert longest == max_length


@settings(max_examples=30)
@given(problems)
def test_a_weight_is_as_good_as_repetition(rows: Problem) -> None:
    X, y, weights = rows
    repeated = np.repeat(np.arange(len(y)), weights)
    assert rules_of(learn(X, y, weights)[0]) == rules_of(learn(X[repeated], y[repeated])[0])


@pytest.mark.parametrize(("right", "decided", "fits"), [(0, 2, True), (2, 2, True), (3, 2, False), (-1, 2, False)])
def test_a_rule_is_right_at_most_as_often_as_it_decides(right: int, decided: int, fits: bool) -> None:
    zero, offsets = np.zeros(1, np.int32), np.zeros(2, np.int32)
    counts = np.array([decided], np.int32), np.array([right], np.int32)
    rules = DecisionList(zero[:0], offsets, zero, zero, *counts)
    with nullcontext() if fits else pytest.raises(ValueError, match="its rules"):
        check_rules(rules, 1, 1)


@pytest.mark.parametrize(("offsets", "fits"), [([0, 1, 2, 2], True), ([0, 0, 2, 2], False), ([0, 1, 1, 2], False)])
def test_only_the_last_rule_has_no_pattern(offsets: list[int], fits: bool) -> None:
    zeros = np.zeros(3, np.int32)
    rules = DecisionList(zeros[:2], np.array(offsets, np.int32), zeros, zeros, zeros, zeros)
    with nullcontext() if fits else pytest.raises(ValueError, match="its rules"):
        check_rules(rules, 1, 1)


@pytest.mark.parametrize(
    ("feature", "label", "fits"),
    [(1, 1, True), (0, 0, True), (2, 1, False), (-1, 1, False), (1, 2, False), (1, -1, False)],
)
def test_features_and_classes_of_rules_are_known(feature: int, label: int, fits: bool) -> None:
    features, classes, zeros = np.array([feature]), np.array([label, 0]), np.zeros(2, np.int32)
    rules = DecisionList(features, np.array([0, 1, 1]), classes, zeros, zeros, zeros)
    with nullcontext() if fits else pytest.raises(ValueError, match="its rules"):
        check_rules(rules, 2, 2)


def test_the_reliability_of_a_rule_is_its_smoothed_precision() -> None:
    zero, offsets = np.zeros(1, np.int32), np.array([0, 1, 1], np.int32)
    decided, right = np.array([3, 7], np.int32), np.array([3, 1], np.int32)
    rules = DecisionList(zero, offsets, np.zeros(2, np.int32), np.zeros(2, np.int32), decided, right)
    assert compile_rules(rules, 1).reliability.tolist() == [3.5 / 4, 1.5 / 8]


def test_the_example_of_the_paper() -> None:
    """Yuret (2006), Table 1: an exception, the rule that it is made to, a rule and the default."""
    left_is_art, right_is_nn, left_is_appr, before_is_appr = range(4)
    kinds = {
        (left_is_art, right_is_nn): ("L:NK", 12),
        (left_is_art, right_is_nn, before_is_appr): ("NONE", 4),
        (left_is_appr,): ("R:NK", 5),
        (right_is_nn,): ("NONE", 7),
        (left_is_art,): ("NONE", 7),
    }
    X, y = [], []
    for features, (label, count) in kinds.items():
        for _ in range(count):
            X.append([float(feature in features) for feature in range(4)])
            y.append(label)
    rules, classes = learn(X, y)
    found = [(rules.pattern(number), classes[label]) for number, label in enumerate(rules.classes)]
    assert found == [
        ([before_is_appr], "NONE"),
        ([left_is_appr], "R:NK"),
        ([left_is_art, right_is_nn], "L:NK"),
        ([], "NONE"),
    ]
    assert classes[rules.classes[decide(rules, np.array(X))]].tolist() == y


def test_two_features_that_only_tell_together_need_free_pairs() -> None:
    X = np.array([[1, 1], [1, 0], [0, 1], [0, 0], [1, 0], [0, 1], [1, 1]])
    y = ["link", "none", "none", "none", "none", "none", "link"]
    rules, classes = learn(X, y)
    assert classes[rules.classes[decide(rules, X)]].tolist() == y
    assert len(learn(X, y, free_length=1)[0].classes) == 1


def test_one_class_gives_one_rule() -> None:
    rules, _ = learn([[1.0], [0.0]], ["a", "a"])
    assert rules_of(rules) == [twin.Rule((), 0, 2)]
    assert decide(rules, np.ones((1, 1))).tolist() == [0]


def test_weights_that_are_too_large_are_refused() -> None:
    with pytest.raises(ValueError, match="less than"):
        learn([[1.0], [0.0]], [0, 1], [2**31, 1])


@given(st.lists(st.integers(0, 30), unique=True), st.lists(st.integers(0, 3_000), unique=True))
def test_common_members_of_ascending_arrays(one: list[int], other: list[int]) -> None:
    arrays = [np.array(sorted(numbers), np.int32) for numbers in (one, other)]
    assert intersection(*arrays).tolist() == sorted(set(one) & set(other)) == intersection(*arrays[::-1]).tolist()


@given(st.integers(1, 9), st.lists(st.tuples(st.integers(0, 8), st.integers(0, 5))))
def test_a_tournament_knows_the_first_of_the_largest(size: int, changes: list[tuple[int, int]]) -> None:
    numbers, plain = tournament(size), [-1] * size
    for place, number in changes:
        if place < size:
            change(numbers, place, number)
            plain[place] = number
        for state in (numbers, enlarged(numbers)):
            assert [value(state, at) for at in range(size)] == plain
            assert winner(state) == plain.index(max(plain))
