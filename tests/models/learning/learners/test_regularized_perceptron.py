"""The regularized perceptron: the kernel equals its twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.special import softmax
from sklearn.base import clone

from tests.models.learning.learners.problems import problem, problems
from tests.reference.regularized_perceptron import perceptron
from treevote.errors import ConfigError
from treevote.kernels import Floats, Longs
from treevote.models.learning.learners.registry import make_learner
from treevote.models.learning.learners.regularized_perceptron import RegularizedPerceptron


@settings(max_examples=40)
@given(
    problems, st.integers(1, 4), st.sampled_from([0.05, 0.5, 2.0]), st.sampled_from([0.0, 0.3, 2.0]), st.integers(0, 9)
)
def test_it_learns_as_its_twin(
    rows: tuple[Floats, Longs, Floats], epochs: int, rate: float, thickness: float, seed: int
) -> None:
    X, y, weights = rows
    learner = RegularizedPerceptron(epochs=epochs, rate=rate, thickness=thickness, random_state=seed)
    learner.fit(X, y, weights)
    W, b = perceptron(X, y, weights, epochs, rate, thickness, seed)
    assert learner.coef_ == pytest.approx(W, rel=1e-3, abs=1e-4)
    assert learner.intercept_ == pytest.approx(b, rel=1e-3, abs=1e-4)


def test_the_separator_is_as_thick_as_asked_for() -> None:
    rng = np.random.default_rng(0)
    X = (rng.random((60, 8)) < 0.5).astype(np.float32)
    y = (X @ rng.normal(size=(8, 3))).argmax(axis=1)
    X = np.hstack([X, np.eye(60, dtype=np.float32)])  # each row has a column of its own, so all can be separated
    for thickness in (0.5, 2.0):
        scores = RegularizedPerceptron(epochs=600, rate=0.1, thickness=thickness).fit(X, y).decision_function(X)
        own = scores[np.arange(60), y]
        assert own.min() > 0.95 * thickness
        scores[np.arange(60), y] = -np.inf
        assert scores.max() < -0.95 * thickness


def test_confidence_is_the_softmax_of_the_activations() -> None:
    X, y, _ = problem(4, 40, 4)
    learner = RegularizedPerceptron(epochs=20, rate=0.5).fit(X, y)
    activations = X @ learner.coef_.T + learner.intercept_
    assert learner.predict_proba(X) == pytest.approx(softmax(activations, axis=1), abs=1e-5)
    assert (learner.predict_proba(X).argmax(axis=1) == learner.predict(X)).all()


def test_the_same_rows_and_seed_give_the_same_bytes() -> None:
    X, y, weights = problem(1, 60, 4)
    learner: Any = RegularizedPerceptron(rate=0.3).fit(X, y, weights)
    found = learner.coef_.tobytes(), learner.intercept_.tobytes()
    again: Any = clone(learner)
    again.fit(csr_matrix(X), y, weights)
    assert (again.coef_.tobytes(), again.intercept_.tobytes()) == found
    assert again.set_params(random_state=1).fit(X, y, weights).coef_.tobytes() != found[0]


@given(st.integers(0, 10_000), st.sets(st.integers(3, 29), max_size=20))
@settings(max_examples=20)
def test_a_row_without_weight_is_as_good_as_left_out(seed: int, absent: set[int]) -> None:
    X, y, weights = problem(seed, 30, 3)
    y[:3] = [0, 1, 2]
    weights[sorted(absent)] = 0
    weighted = RegularizedPerceptron().fit(X, y, weights)
    present = weights > 0
    bare = RegularizedPerceptron().fit(X[present], y[present], weights[present])
    assert (bare.coef_ == weighted.coef_).all()
    assert (bare.intercept_ == weighted.intercept_).all()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"rate": 0.0}, "found 0.0 and 1.0"),
        ({"rate": float("inf")}, "found inf and"),
        ({"thickness": -1.0}, "found 0.01 and -1.0"),
        ({"thickness": float("nan")}, "and nan"),
        ({"epochs": 0}, "epochs should be at least 1, found 0"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(options: dict[str, Any], named: str) -> None:
    X, y, _ = problem(0, 20, 2)
    with pytest.raises(ConfigError, match=named):
        RegularizedPerceptron(**options).fit(X, y)


def test_it_has_a_short_name() -> None:
    learner: Any = make_learner("perceptron", {"thickness": 3.0}, seed=5)
    assert isinstance(learner, RegularizedPerceptron)
    assert (learner.thickness, learner.random_state) == (3.0, 5)
