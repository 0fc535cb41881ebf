"""Learners by name: a linear classifier of scikit-learn is packed and predicts alike; any other is refused."""

from __future__ import annotations

import dataclasses
import inspect
import re
import warnings
from ast import literal_eval
from typing import Any

import numpy as np
import pytest
import sklearn.svm
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from tests.reference.toy_parser import SMALL, TRAINING, shown_some, trees
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError
from treevote.models.learning.features.linear_guide import NEVER, LinearGuide, coefficients_of
from treevote.models.learning.features.weights import score
from treevote.models.learning.learners.registry import LEARNERS, LINEAR, make_learner
from treevote.models.parsers.transition.parser import TransitionTrainer

N_FEATURES = 12
KEYS = np.arange(1, 2 * N_FEATURES, 2, dtype=np.uint64) << np.uint64(33) | np.uint64(1)


@pytest.mark.parametrize("classes", [(1, 5), (0, 2, 3, 6)], ids=str)
@pytest.mark.parametrize("name", [name for name in (*LEARNERS, *LINEAR) if name != "pairs-svm"])
def test_a_linear_classifier_is_packed_and_predicts_alike(name: str, classes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    dense = (rng.random((200, N_FEATURES)) < 0.3).astype(np.float32)
    rows: Any = csr_matrix(dense)
    learner: Any = make_learner(name, {}, seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scikit-learn, on what will change in it
        learner.fit(rows, np.array(classes)[(dense @ rng.normal(size=(N_FEATURES, len(classes)))).argmax(1)])
    weights = LinearGuide.packing(coefficients_of(learner, 8), KEYS, 0.0).weights
    scores, expected = np.zeros(8, np.int32), learner.decision_function(rows)
    if expected.ndim == 1:
        expected = np.column_stack([-expected, expected]) / 2
    for row, known in zip(rows, expected, strict=True):
        score(weights, KEYS[row.indices], len(row.indices), np.zeros(N_FEATURES, np.int64), scores)
        own = scores[list(classes)] * weights.scale
        assert own - own.mean() == pytest.approx(known - known.mean(), abs=weights.scale * (N_FEATURES + 1))
        assert (np.delete(scores, classes) < scores[list(classes)].min()).all()


@pytest.mark.parametrize("name", LEARNERS)
def test_settings_are_as_documented(name: str) -> None:
    learner = type(make_learner(name, {}, seed=0))
    documented = dict(re.findall(r"^    (\w+) : .*default=(.+)$", learner.__doc__ or "", re.MULTILINE))
    signature = inspect.signature(learner).parameters
    assert {own: literal_eval(default) for own, default in documented.items()} == {
        own: parameter.default for own, parameter in signature.items()
    }


@given(st.sets(st.integers(0, 7), min_size=2, max_size=7), st.lists(st.integers(0, 29), max_size=30))
def test_a_class_that_was_never_shown_is_never_predicted(shown: set[int], chosen: list[int]) -> None:
    keys = np.arange(1, 61, 2, dtype=np.uint64) << np.uint64(33)
    never = sorted(set(range(8)) - shown)
    weights = LinearGuide.packing(coefficients_of(shown_some(sorted(shown), 30), 8), keys | np.uint64(1), 0.0).weights
    scores = np.zeros(8, np.int32)
    score(weights, keys[chosen], len(chosen), np.zeros(30, np.int64), scores)
    assert scores[sorted(shown)].min() > scores[never].max(initial=-(1 << 31))


@pytest.mark.parametrize("name", ["sklearn.linear_model.LogisticRegression", "maxent", "svm"])
def test_two_classes_are_enough(name: str) -> None:
    chains = Treebank.of(
        [(["a", "b", "c"], [0, 1, 1], ["root", "x", "x"]), (["a", "c", "b"], [0, 1, 2], ["root", "x", "x"])] * 9
    )
    parser = TransitionTrainer(learner=name, cutoff=1, search="greedy", prune=0.0).train(chains)
    assert isinstance(parser.guide, LinearGuide)
    assert np.count_nonzero(parser.guide.bias > NEVER) == 2
    assert trees(parser.parse(chains)) == trees(chains)


@pytest.mark.parametrize(
    "name",
    [
        "sklearn.ensemble.RandomForestClassifier",
        "sklearn.linear_model.LinearRegression",
        "sklearn.naive_bayes.BernoulliNB",
        "sklearn.neighbors.KNeighborsClassifier",
        "sklearn.neural_network.MLPClassifier",
        "sklearn.svm.SVC",
        "sklearn.svm._classes.LinearSVC",
        "sklearn.tree.DecisionTreeClassifier",
        "treevote.models.learning.learners.sgd_maxent.SGDMaxEnt",
    ],
)
def test_any_other_learner_is_refused_with_what_there_is(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treevote.models.parsers.transition.training.train_guide", None)
    with pytest.raises(
        ConfigError, match=f"^unknown learner '{name}'; (did you mean '.*'. )?known: maxent, "
    ) as caught:
        dataclasses.replace(SMALL, learner=name).train(TRAINING)
    assert all(known in str(caught.value) for known in (*LEARNERS, *LINEAR, "docs/recipes/plug-in.md"))


def test_a_classifier_that_scikit_learn_gave_up_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(sklearn.svm, "LinearSVC")
    with pytest.raises(ConfigError, match=r"the installed scikit-learn has no sklearn\.svm\.LinearSVC; choose another"):
        make_learner("sklearn.svm.LinearSVC", {}, seed=0)
