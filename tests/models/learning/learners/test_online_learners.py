"""The online learners: kernels equal their twins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.special import log_softmax
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from tests.models.learning.learners.problems import problem, problems
from tests.reference import online_learners as twin
from treevote.errors import ConfigError
from treevote.kernels import Floats, Longs
from treevote.models.learning.learners.linear import OnlineLinearClassifier
from treevote.models.learning.learners.passive_aggressive import PassiveAggressive
from treevote.models.learning.learners.sgd_maxent import SGDMaxEnt

BOTH = pytest.mark.parametrize("learner", [SGDMaxEnt(rate=0.1), PassiveAggressive()], ids=["maxent", "svm"])


@settings(max_examples=30)
@given(problems, st.integers(1, 4), st.sampled_from([0.05, 0.5, 2.0]), st.integers(0, 9))
def test_maxent_descends_as_its_twin(rows: tuple[Floats, Longs, Floats], epochs: int, rate: float, seed: int) -> None:
    X, y, weights = rows
    learner = SGDMaxEnt(epochs=epochs, rate=rate, random_state=seed).fit(X, y, weights)
    W, b = twin.maxent(X.astype(float), y, weights.astype(float), epochs, rate, seed)
    # A probability on the threshold of 1e-3 may be on either side of it in single precision.
    assert learner.coef_ == pytest.approx(W, rel=1e-3, abs=0.02 * rate)
    assert learner.intercept_ == pytest.approx(b, rel=1e-3, abs=0.02 * rate)


@settings(max_examples=30)
@given(problems, st.integers(1, 4), st.sampled_from([0.02, 0.5, 1e9]), st.integers(0, 9))
def test_passive_aggressive_corrects_as_its_twin(
    rows: tuple[Floats, Longs, Floats], epochs: int, C: float, seed: int
) -> None:
    X, y, weights = rows
    learner = PassiveAggressive(epochs=epochs, C=C, random_state=seed).fit(X, y, weights)
    W, b = twin.passive_aggressive(X.astype(float), y, weights.astype(float), epochs, C, seed)
    assert learner.coef_ == pytest.approx(W, rel=1e-3, abs=1e-4)
    assert learner.intercept_ == pytest.approx(b, rel=1e-3, abs=1e-4)


@BOTH
def test_the_same_rows_and_seed_give_the_same_bytes(learner: OnlineLinearClassifier) -> None:
    X, y, weights = problem(1, 60, 4)
    first = learner.fit(X, y, weights)
    found = first.coef_.tobytes(), first.intercept_.tobytes()
    again = learner.fit(csr_matrix(X), y, weights)
    assert (again.coef_.tobytes(), again.intercept_.tobytes()) == found
    other: Any = clone(learner)
    assert other.set_params(random_state=1).fit(X, y, weights).coef_.tobytes() != found[0]


@BOTH
@given(st.integers(0, 10_000), st.sets(st.integers(0, 29), max_size=20))
@settings(max_examples=20)
def test_a_row_without_weight_is_as_good_as_left_out(
    learner: OnlineLinearClassifier, seed: int, absent: set[int]
) -> None:
    X, y, weights = problem(seed, 30, 3)
    absent = {row for row in absent if np.count_nonzero(y == y[row]) > sum(y[other] == y[row] for other in absent)}
    weights[sorted(absent)] = 0
    weighted = learner.fit(X, y, weights)
    found = weighted.coef_.copy(), weighted.intercept_.copy()
    present = weights > 0
    bare = learner.fit(X[present], y[present], weights[present])
    assert (bare.coef_ == found[0]).all()
    assert (bare.intercept_ == found[1]).all()


@BOTH
def test_heavy_rows_outvote_light_ones(learner: OnlineLinearClassifier) -> None:
    X = np.ones((40, 1), np.float32)
    y = np.array(["light", "heavy"] * 20)
    for heavy, light in (("heavy", "light"), ("light", "heavy")):
        weights = np.where(y == heavy, 3.0, 1.0)
        assert learner.fit(X, y, weights).predict([[1.0]]).tolist() == [heavy]
        assert light in learner.classes_


@BOTH
def test_two_classes_have_a_row_each(learner: OnlineLinearClassifier) -> None:
    X, y, _ = problem(3, 30, 2)
    learner.fit(X, y)
    assert learner.coef_.shape == (2, 6)
    scores = learner.decision_function(X)
    assert scores.shape == (30,)
    assert (learner.predict(X) == (scores > 0)).all()


@BOTH
def test_of_equal_scores_the_first_class_is_predicted(learner: OnlineLinearClassifier) -> None:
    X, y, _ = problem(3, 30, 3)
    learner.fit(X, y)
    learner.coef_[:] = 0
    learner.intercept_[:] = [1, 2, 2]
    assert learner.predict(X[:1]).tolist() == [1]


def test_probabilities_are_the_softmax_of_the_scores() -> None:
    X, y, _ = problem(4, 40, 4)
    learner = SGDMaxEnt(epochs=20, rate=0.5).fit(X, y)
    scores = X @ learner.coef_.T + learner.intercept_
    assert learner.decision_function(X) == pytest.approx(scores)
    assert learner.predict_log_proba(X) == pytest.approx(log_softmax(scores, axis=1), abs=1e-5)
    assert learner.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(40))
    assert (learner.predict_proba(X).argmax(axis=1) == learner.predict(X)).all()


def loss(W: NDArray[Any], b: NDArray[Any], X: Floats, y: Longs) -> float:
    return -float(log_softmax(X @ W.T + b, axis=1)[np.arange(len(y)), y].mean())


def test_maxent_comes_near_the_maximum_of_the_likelihood() -> None:
    rng = np.random.default_rng(0)
    X = (rng.random((600, 8)) < 0.5).astype(np.float32)
    logits = 2 * X @ rng.normal(size=(8, 4))
    y = np.array([rng.choice(4, p=np.exp(row) / np.exp(row).sum()) for row in logits])
    best = LogisticRegression(C=1e6, max_iter=2_000).fit(X, y)
    ours = SGDMaxEnt(epochs=100, rate=0.3).fit(X, y)
    optimum = loss(best.coef_, best.intercept_, X, y)
    assert optimum <= loss(ours.coef_, ours.intercept_, X, y) + 1e-6 <= 1.01 * optimum


def test_passive_aggressive_separates_what_can_be_separated() -> None:
    rng = np.random.default_rng(0)
    X = (rng.random((300, 10)) < 0.5).astype(np.float32)
    y = (X @ rng.normal(size=(10, 4))).argmax(axis=1)
    assert (PassiveAggressive(epochs=100, C=1.0).fit(X, y).predict(X) == y).mean() > 0.99


@BOTH
def test_progress_counts_epochs(learner: OnlineLinearClassifier) -> None:
    calls: list[tuple[int, int]] = []
    X, y, _ = problem(0, 20, 2)
    fresh: Any = clone(learner)
    fresh.set_params(epochs=3).fit(X, y, progress=lambda *call: calls.append(call))
    assert calls == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("learner", "problem_named"),
    [
        (SGDMaxEnt(epochs=0), "epochs should be at least 1, found 0"),
        (SGDMaxEnt(rate=0), "rate should be a positive number, found 0"),
        (SGDMaxEnt(rate=float("inf")), "rate should be a positive number, found inf"),
        (PassiveAggressive(C=-1), "C should be a positive number, found -1"),
        (PassiveAggressive(C=float("nan")), "C should be a positive number, found nan"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(learner: OnlineLinearClassifier, problem_named: str) -> None:
    X, y, _ = problem(0, 20, 2)
    with pytest.raises(ConfigError, match=problem_named):
        learner.fit(X, y)


@BOTH
@pytest.mark.parametrize(
    ("y", "weights", "problem_named"),
    [
        ([1, 1, 1], None, "all of one class"),
        ([1, 0, 1], [1, -1, 1], "must not be negative; its smallest value is -1.0"),
        ([0.5, 1.25, 0.1], None, "Unknown label type"),
    ],
)
def test_rows_that_make_no_sense_are_refused(
    learner: OnlineLinearClassifier, y: list[float], weights: list[float] | None, problem_named: str
) -> None:
    with pytest.raises(ValueError, match=problem_named):
        learner.fit(np.eye(3), y, weights)
