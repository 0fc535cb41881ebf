"""Learners: optima are optima, pairs are the kernel, probabilities are probabilities."""

from __future__ import annotations

import pydoc
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.special import log_softmax
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.models.learning.learners.problems import EXPECTED_FAILURES
from treevote.errors import ConfigError
from treevote.kernels import Doubles, Longs
from treevote.models.learning.features.pairs import PAIR_SCALE, SCALE
from treevote.models.learning.learners import pairs
from treevote.models.learning.learners.coordinate_descent import Features, State, curvature_along, sweep
from treevote.models.learning.learners.inequality_maxent import InequalityMaxEnt
from treevote.models.learning.learners.linear import OnlineLinearClassifier, checked_rows
from treevote.models.learning.learners.pairs import PairExpansion, PairsSVM
from treevote.models.learning.learners.registry import LEARNERS
from treevote.models.parsers.transition.calibration import fit_temperature

ESTIMATORS = [
    *(pydoc.locate(path)() for path in LEARNERS.values()),  # type: ignore[operator]
    InequalityMaxEnt(widths="count", c2=0.1, observed_only=False, fit_intercept=False),
]


def expected_failures(estimator: Any) -> dict[str, str]:
    return EXPECTED_FAILURES if isinstance(estimator, (OnlineLinearClassifier, PairsSVM)) else {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)  # type: ignore[untyped-decorator]
def test_estimators_keep_the_contract_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def test_few_rows_of_many_classes_are_no_cause_for_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        X, y, _ = checked_rows(PairsSVM(), np.eye(30), np.arange(30), None, np.float64)
    assert X.shape == (len(y), 30)


def binary(n_rows: st.SearchStrategy[int], n_columns: int) -> st.SearchStrategy[Doubles]:
    return n_rows.flatmap(lambda n: arrays(np.float64, (n, n_columns), elements=st.sampled_from([0.0, 0.0, 1.0])))


@st.composite
def problems(draw: st.DrawFn) -> tuple[Doubles, Longs, Doubles]:
    """Rows with some columns that are not binary, classes 0..2 that all occur, and weights of the rows."""
    n = draw(st.integers(6, 24))
    X = draw(binary(st.just(n), 5))
    X[:, 3] *= draw(st.sampled_from([1e-3, 1.0, 50.0]))
    X[:, 4] *= draw(arrays(np.float64, n, elements=st.sampled_from([-2.0, 0.5, 3.0])))
    y = np.concatenate([np.arange(3), draw(arrays(np.int64, n - 3, elements=st.integers(0, 2)))])
    return X, y, draw(arrays(np.float64, n, elements=st.sampled_from([0.5, 1.0, 2.0])))


def widths_of(learner: InequalityMaxEnt, X: Doubles, one_hot: Doubles) -> Doubles:
    """Width of each column and class, shape (n_columns, n_classes); infinite where there may be no weight."""
    count = (X * X).T @ one_hot
    width = learner.width * (np.sqrt(count + 1) if learner.widths == "count" else np.ones(count.shape))
    return np.where(count > 0, width, np.inf) if learner.observed_only else width


def optimum(learner: InequalityMaxEnt, X: Doubles, one_hot: Doubles) -> float:
    """Value of the dual by L-BFGS-B over the two non-negative halves of each weight, and the free intercepts."""
    width = widths_of(learner, X, one_hot)
    allowed = np.isfinite(width)
    n_classes, n_halves = one_hot.shape[1], int(allowed.sum())
    n_free = n_classes if learner.fit_intercept else 0

    def dual(halves: Doubles) -> tuple[float, Doubles]:
        alpha, beta = halves[:n_halves], halves[n_halves : 2 * n_halves]
        w = np.zeros(allowed.shape)
        w[allowed] = alpha - beta
        log_p = log_softmax(X @ w + (halves[2 * n_halves :] if n_free else 0.0), axis=1)
        rest = np.exp(log_p) * one_hot.sum(axis=1, keepdims=True) - one_hot
        slope = (X.T @ rest)[allowed]
        penalty = float(width[allowed] @ (alpha + beta) + learner.c2 / 2 * (alpha @ alpha + beta @ beta))
        gradient = [slope + width[allowed] + learner.c2 * alpha, -slope + width[allowed] + learner.c2 * beta]
        return -float((one_hot * log_p).sum()) + penalty, np.concatenate([*gradient, rest.sum(axis=0)[:n_free]])

    bounds = [(0, None)] * (2 * n_halves) + [(None, None)] * n_free
    options: Any = {"maxiter": 20_000, "maxfun": 50_000, "ftol": 1e-14, "gtol": 1e-9}
    start: Any = np.zeros(len(bounds))
    if not bounds:
        return dual(start)[0]
    return float(minimize(dual, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options).fun)


@settings(max_examples=40)
@given(
    problems(),
    st.builds(
        InequalityMaxEnt,
        width=st.sampled_from([0.1, 0.5, 2.0]),
        widths=st.sampled_from(["single", "count"]),
        c2=st.sampled_from([0.0, 0.3]),
        observed_only=st.booleans(),
        fit_intercept=st.booleans(),
        tol=st.just(1e-9),
        max_iter=st.just(5_000),
    ),
)
def test_inequality_maxent_reaches_the_optimum(
    problem: tuple[Doubles, Longs, Doubles], learner: InequalityMaxEnt
) -> None:
    X, y, weights = problem
    one_hot = np.eye(3)[y] * weights[:, None]
    learner.fit(csr_matrix(X), y, weights)
    w, log_p = learner.coef_.T, learner.predict_log_proba(X)
    width = widths_of(learner, X, one_hot)
    allowed = np.isfinite(width)
    penalty = (width[allowed] * np.abs(w[allowed])).sum() + learner.c2 / 2 * (w * w).sum()
    value = -(one_hot * log_p).sum() + penalty
    best = optimum(learner, X, one_hot)
    assert value == pytest.approx(best, rel=1e-6, abs=1e-6)

    # The conditions of Karush, Kuhn and Tucker: every constraint holds, and is tight where there is a weight.
    assert not w[~allowed].any()
    missing = X.T @ (one_hot - np.exp(log_p) * weights[:, None]) - learner.c2 * w
    assert (np.abs(missing[allowed]) <= width[allowed] + 1e-6 * (1 + np.abs(X).sum())).all()
    tight = allowed & (w != 0)
    assert missing[tight] == pytest.approx(np.sign(w[tight]) * width[tight], abs=1e-6 * (1 + np.abs(X).sum()))
    if learner.fit_intercept:
        assert (np.exp(log_p) * weights[:, None]).sum(axis=0) == pytest.approx(one_hot.sum(axis=0), abs=1e-6)
    assert learner.n_active_ == np.count_nonzero(w)


@settings(max_examples=40)
@given(problems(), st.sampled_from([0.1, 2.0]), st.sampled_from([0.0, 0.3]))
def test_a_step_of_a_sweep_goes_down_and_reports_the_violation_before_it(
    problem: tuple[Doubles, Longs, Doubles], width: float, ridge: float
) -> None:
    X, y, weights = problem
    one_hot = np.eye(3)[y] * weights[:, None]
    columns, classes = (indices.ravel().astype(np.int32) for indices in np.indices((5, 3)))
    ones = np.ones(len(columns))
    features = Features(columns, classes, (X.T @ one_hot).ravel(), width * ones, ridge * ones)
    by_column = csr_matrix(X).tocsc()
    reach = 1 / np.maximum(np.abs(X).max(axis=0), 1e-300)[columns]
    mass, w = np.ones((3, len(X))), np.zeros(len(columns))
    rows = by_column.indptr.astype(np.int64), by_column.indices.astype(np.int32), by_column.data
    state = State(*rows, weights, mass, mass.sum(axis=0), weights / 3, w, reach.copy(), reach)

    def log_p() -> Doubles:
        return np.asarray(log_softmax(X @ w.reshape(5, 3), axis=1))

    def objective() -> float:
        return -float((one_hot * log_p()).sum() - width * np.abs(w).sum() - ridge / 2 * w @ w)

    for i in [*range(len(w))] * 3:
        slope = float(X[:, columns[i]] @ (np.exp(log_p()) * weights[:, None] - one_hot)[:, classes[i]] + ridge * w[i])
        violation = abs(slope + np.sign(w[i]) * width) if w[i] else max(abs(slope) - width, 0.0)
        before = objective()
        assert sweep(np.array([i]), features, state) == pytest.approx(violation, abs=1e-6)
        assert objective() <= before + 1e-9 * (1 + abs(before))
        assert pytest.approx(np.exp(log_p()), abs=1e-9) == (state.mass / state.total).T
        assert state.share * state.total == pytest.approx(weights)


@pytest.mark.parametrize(
    ("begin", "seen", "expected"),
    [(0.0, 2.5, 0.5), (0.0, 1.5, -0.5), (0.0, 2.0, 0.0), (0.0, 3.5, 1.0), (1.0, 0.0, 0.0)],
)
def test_the_first_step_is_that_of_the_variance_of_even_odds(begin: float, seen: float, expected: float) -> None:
    """Four rows of two classes: from a weight of 0 the slope is 2 - seen, the variance 4 / 4; a step is 1 at most."""
    one, w = np.ones(1), np.array([begin])
    features = Features(np.zeros(1, np.int32), np.zeros(1, np.int32), seen * one, 0 * one, 0 * one)
    mass = np.stack([np.exp(begin) * np.ones(4), np.ones(4)])
    rows = np.array([0, 4]), np.arange(4, dtype=np.int32), np.ones(4)
    total = mass.sum(axis=0)
    sweep(np.zeros(1, np.int64), features, State(*rows, np.ones(4), mass, total, 1 / total, w, one, one))
    assert w == pytest.approx([expected])
    assert mass[0] == pytest.approx(np.exp(w[0]))


@given(problems(), st.data())
def test_the_product_with_the_hessian_is_the_change_of_the_slope(
    problem: tuple[Doubles, Longs, Doubles], data: st.DataObject
) -> None:
    X, _, weights = problem
    features = data.draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, unique=True).map(sorted))
    columns, classes = np.array(features, np.int32).T
    v, w = (data.draw(arrays(np.float64, len(features), elements=st.sampled_from([-1.0, 0.0, 0.5]))) for _ in range(2))

    def p_at(own: Doubles) -> Doubles:
        coef = np.zeros((5, 3))
        coef[columns, classes] = own
        return np.exp(log_softmax(X @ coef, axis=1))

    def slope_at(own: Doubles) -> Doubles:
        return np.asarray((X.T @ (p_at(own) * weights[:, None]))[columns, classes])

    rows, p = csr_matrix(X), p_at(w)
    pairs = np.searchsorted(columns, np.arange(6)).astype(np.int64)
    product = curvature_along(
        v, rows.indptr.astype(np.int64), rows.indices, rows.data, pairs, classes, p, p * weights[:, None]
    )
    assert product == pytest.approx((slope_at(w + 1e-5 * v) - slope_at(w - 1e-5 * v)) / 2e-5, abs=1e-6, rel=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_single_widths_are_the_penalty_of_logistic_regression(n_classes: int) -> None:
    X, y = load_iris(return_X_y=True)
    X, y = (np.median(X, axis=0) < X)[y < n_classes].astype(np.float64), y[y < n_classes]
    learner = InequalityMaxEnt(width=0.8, observed_only=False, fit_intercept=False, tol=1e-9).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # how to ask for the 1-norm differs between versions of scikit-learn
        reference = LogisticRegression(
            C=1 / 0.8, penalty="l1", solver="saga", fit_intercept=False, tol=1e-9, max_iter=10_000
        ).fit(X, y)
    assert learner.predict_proba(X) == pytest.approx(reference.predict_proba(X), abs=1e-5)
    assert learner.decision_function(X).shape == reference.decision_function(X).shape
    assert learner.coef_.shape == reference.coef_.shape


def test_pairs_have_32_bit_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    assert np.iinfo(np.int32).max == pairs._MAX_COLUMNS
    monkeypatch.setattr(pairs, "_MAX_COLUMNS", 5)
    assert len(PairExpansion.of([[1, 1, 0], [0, 1, 1]], 1).earlier) == 2
    monkeypatch.setattr(pairs, "_MAX_COLUMNS", 4)
    with pytest.raises(ConfigError, match="2 pairs are too many"):
        PairExpansion.of([[1, 1, 0], [0, 1, 1]], 1)


@given(binary(st.integers(4, 12), 4), st.data())
def test_wide_constraints_leave_the_class_frequencies(X: Doubles, data: st.DataObject) -> None:
    y = data.draw(arrays(np.int64, len(X), elements=st.integers(0, 2)))
    learner = InequalityMaxEnt(width=float(len(X)), tol=1e-10).fit(X, y)
    assert learner.n_active_ == 0
    frequencies = np.unique(y, return_counts=True)[1] / len(y)
    assert learner.predict_proba(X) == pytest.approx(np.tile(frequencies, (len(X), 1)), abs=1e-6)


def test_inequality_maxent_repeats_itself_and_does_not_mind_how_rows_are_stored() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 3, 30)
    one, other = InequalityMaxEnt().fit(X, y), InequalityMaxEnt().fit(X, y)
    assert one.coef_.tobytes() == other.coef_.tobytes()
    halves = np.tile(X[:, ::-1] / 2, 2).ravel()  # every entry in two halves, columns backward
    stored = csr_matrix((halves, np.tile([1, 0], 2 * len(X)), np.arange(0, len(halves) + 1, 4)), X.shape)
    assert InequalityMaxEnt().fit(stored, y).coef_ == pytest.approx(one.coef_)
    assert stored.nnz == len(halves)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=10)
@given(problems(), st.sampled_from([-12, 12]))
def test_the_unit_of_the_columns_changes_no_step(problem: tuple[Doubles, Longs, Doubles], power: int) -> None:
    X, y, weights = problem
    learner = InequalityMaxEnt(width=0.0, fit_intercept=False, tol=0.0, max_iter=4)
    coef = learner.fit(X, y, weights).coef_.copy()
    assert learner.fit(X * 2.0**power, y, weights).coef_ * 2.0**power == pytest.approx(coef, rel=1e-6, abs=1e-9)


def test_learners_refuse_bad_parameters_and_rows() -> None:
    X, y = np.eye(4), [0, 0, 1, 1]
    with pytest.raises(ConfigError, match="width must be a number of at least 0, but it is -1"):
        InequalityMaxEnt(width=-1.0).fit(X, y)
    with pytest.raises(ConfigError, match="did you mean 'count'"):
        InequalityMaxEnt(widths="counts").fit(X, y)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="min_count must be a number of at least 1"):
        PairsSVM(min_count=0).fit(X, y)
    with pytest.raises(ValueError, match="must not be negative"):
        InequalityMaxEnt().fit(X, y, [1, 1, 1, -1])
    with pytest.warns(ConvergenceWarning, match="raise one of them"):
        InequalityMaxEnt(width=0.01, tol=0.0, max_iter=2).fit(X, y)


def test_a_class_without_weight_is_never_seen() -> None:
    learner = InequalityMaxEnt().fit(np.eye(3), [0, 1, 2], [1, 1, 0])
    assert learner.classes_.tolist() == [0, 1]


@given(binary(st.integers(1, 10), 6), binary(st.integers(1, 10), 6), st.integers(1, 3))
@example(np.eye(6)[:2] + np.eye(6)[2:4], np.eye(6)[1:2] + np.eye(6)[2:3], 1)  # 1 is beyond the pairs of 2, before 3
def test_pairs_are_the_products_of_columns_that_occur_together(X: Doubles, Z: Doubles, min_count: int) -> None:
    expansion = PairExpansion.of(csr_matrix(X), min_count)
    later = np.repeat(np.arange(6), np.diff(expansion.starts))
    found = [*zip(expansion.earlier.tolist(), later.tolist(), strict=True)]
    polynomial = PolynomialFeatures(degree=2, interaction_only=True, include_bias=False).fit(X)
    pairs = [tuple(np.flatnonzero(powers).tolist()) for powers in polynomial.powers_]
    together = X.T @ X
    kept = [p for p, pair in enumerate(pairs) if len(pair) == 2 and together[pair] >= min_count]
    assert sorted(found) == [pairs[p] for p in kept]
    place = {pair: p for p, pair in enumerate(pairs)}
    order = [*range(6), *(place[i, j] for i, j in found)]
    weighted = Z * [1, 2, 1, -1, 1, 0.5]
    expanded = expansion.expand(csr_matrix(weighted))
    scales = np.repeat([SCALE, PAIR_SCALE], [6, len(found)])
    assert expanded.toarray() / scales == pytest.approx(np.asarray(polynomial.transform(weighted))[:, order])
    assert expanded.has_sorted_indices
    assert expanded.indices.dtype == np.int32


@given(binary(st.integers(1, 10), 6), binary(st.integers(1, 10), 6))
def test_scaled_pairs_are_the_polynomial_kernel(X: Doubles, Z: Doubles) -> None:
    expansion = PairExpansion.of(X, 1)
    inner = (expansion.expand(X) @ expansion.expand(Z).T).toarray()
    assert inner + 1 == pytest.approx(polynomial_kernel(X, Z, degree=2, gamma=1, coef0=1))


def test_linear_machine_over_pairs_is_the_machine_with_the_kernel() -> None:
    rng = np.random.default_rng(0)
    X = (rng.random((60, 10)) < 0.3).astype(np.float64)
    y = (X[:, 0] + X[:, 1] + (X[:, 2] * X[:, 3])).astype(np.int64)
    Z = (rng.random((40, 10)) < 0.3).astype(np.float64)
    options: Any = {"tol": 1e-8, "decision_function_shape": "ovo"}
    polynomial: Any = {"kernel": "poly", "degree": 2, "gamma": 1, "coef0": 1}
    kernel_machine = SVC(**polynomial, **options).fit(X, y)
    expansion = PairExpansion.of(X, 1)
    linear = SVC(kernel="linear", **options).fit(expansion.expand(X), y)
    assert linear.decision_function(expansion.expand(Z)) == pytest.approx(kernel_machine.decision_function(Z), abs=1e-5)


@st.composite
def held_out(draw: st.DrawFn) -> tuple[Doubles, Longs]:
    n = draw(st.integers(2, 30))
    scores = draw(arrays(np.float64, (n, 3), elements=st.floats(-20, 20, width=32)))
    return scores * draw(st.sampled_from([1e-6, 1.0, 1e6])), draw(arrays(np.int64, n, elements=st.integers(0, 2)))


@settings(max_examples=20)
@given(held_out(), st.sampled_from([0.01, 3.0]))
def test_temperature_is_the_best_and_in_the_unit_of_the_scores(sample: tuple[Doubles, Longs], unit: float) -> None:
    scores, y = sample[0] / (np.abs(sample[0]).max() or 1.0), sample[1]

    def loss(T: float) -> float:
        return -float(log_softmax(scores / T, axis=1)[np.arange(len(y)), y].mean())

    T = fit_temperature(scores, y)
    assert 1e-6 <= T <= 1e6
    assert all(loss(T) <= loss(other) + 1e-6 for other in np.geomspace(1e-5, 1e5, 41))
    if 1e-3 < T < 1e3:
        assert loss(fit_temperature(unit * scores, y) / unit) == pytest.approx(loss(T), abs=1e-6)


def test_equal_scores_are_the_first_class() -> None:
    learner = InequalityMaxEnt().fit(np.eye(2), [0, 1])
    learner.coef_, learner.intercept_ = np.zeros_like(learner.coef_), np.zeros_like(learner.intercept_)
    assert learner.predict(np.eye(2)).tolist() == [0, 0]


def test_weights_of_rows_are_of_the_type_that_is_asked_for() -> None:
    for dtype in (np.float64, np.float32):
        _, _, weights = checked_rows(PairsSVM(), np.eye(2), [0, 1], [1, 2], dtype)
        assert weights.dtype == dtype
