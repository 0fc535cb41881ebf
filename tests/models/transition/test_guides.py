"""Guides: any scikit-learn classifier, in the kernel or in lock step."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from tests.reference.toy_parser import SMALL, TEST, TRAINING, accuracy, shown_some, trees
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import roots
from treevote.errors import ConfigError
from treevote.models.features.linear_guide import NEVER, LinearGuide, is_linear
from treevote.models.features.weights import score
from treevote.models.transition import training
from treevote.models.transition.guides import ClassifierGuide
from treevote.models.transition.parser import TransitionParser, TransitionTrainer


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (
            "sklearn.neural_network.MLPClassifier",
            {"hidden_layer_sizes": (12,), "max_iter": 60, "learning_rate_init": 0.01},
        ),
        ("sklearn.tree.DecisionTreeClassifier", {}),
        ("sklearn.ensemble.ExtraTreesClassifier", {"n_estimators": 3}),
        ("sklearn.naive_bayes.BernoulliNB", {}),
        ("sklearn.neighbors.KNeighborsClassifier", {"n_neighbors": 1}),
        ("pairs-svm", {"epochs": 4}),
    ],
)
@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_classifiers_that_are_not_linear(name: str, options: dict[str, Any]) -> None:
    parser = dataclasses.replace(SMALL, learner=name, options=options).train(TRAINING.select(range(30)))
    assert isinstance(parser.guide, ClassifierGuide)
    parse = parser.parse(TEST)
    assert (roots(parse) == 1).all()
    assert accuracy(TEST, parse) > 0.8
    again = TransitionParser.from_record(parser.record())
    assert again.trainer == parser.trainer
    assert trees(again.parse(TEST)) == trees(parse)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("sklearn.linear_model.LogisticRegression", {"max_iter": 300}),
        ("sklearn.svm.LinearSVC", {}),
        ("sklearn.linear_model.RidgeClassifier", {"fit_intercept": False}),
        ("maxent", {"epochs": 4}),
    ],
)
def test_in_lock_step_and_in_the_kernel_linear_models_parse_alike(
    name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = dataclasses.replace(SMALL, learner=name, options=options, search="greedy", prune=0.0)
    inside = trainer.train(TRAINING)
    monkeypatch.setattr(training, "is_linear", lambda learner: False)
    asked = trainer.train(TRAINING)
    assert isinstance(inside.guide, LinearGuide)
    assert isinstance(asked.guide, ClassifierGuide)
    assert trees(inside.parse(TEST)) == trees(asked.parse(TEST))


def test_two_classes_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    chains = Treebank.of(
        [(["a", "b", "c"], [0, 1, 1], ["root", "x", "x"]), (["a", "c", "b"], [0, 1, 2], ["root", "x", "x"])] * 9
    )
    for name in ("sklearn.linear_model.LogisticRegression", "maxent", "svm"):
        trainer = TransitionTrainer(learner=name, cutoff=1, search="greedy", prune=0.0)
        inside = trainer.train(chains)
        assert isinstance(inside.guide, LinearGuide)
        assert np.count_nonzero(inside.guide.bias > NEVER) == 2
        assert trees(inside.parse(chains)) == trees(chains)
        with monkeypatch.context() as patch:
            patch.setattr(training, "is_linear", lambda learner: False)
            assert trees(trainer.train(chains).parse(chains)) == trees(chains)


def test_many_batches_in_lock_step_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = dataclasses.replace(SMALL, learner="sklearn.naive_bayes.BernoulliNB").train(TRAINING)
    whole = trees(parser.parse(TEST))
    monkeypatch.setattr("treevote.models.transition.guides._BATCH", 7)
    assert trees(parser.parse(TEST)) == whole


@given(st.sets(st.integers(0, 7), min_size=2, max_size=7), st.lists(st.integers(0, 29), max_size=30))
def test_a_class_that_was_never_shown_is_never_predicted(shown: set[int], chosen: list[int]) -> None:
    keys = np.arange(1, 61, 2, dtype=np.uint64) << np.uint64(33)
    learner = shown_some(sorted(shown), 30)
    never = sorted(set(range(8)) - shown)
    weights = LinearGuide.trained(learner, keys | np.uint64(1), 8, 0.0).weights
    scores = np.zeros(8, np.int32)
    score(weights, keys[chosen], len(chosen), np.zeros(30, np.int64), scores)
    assert scores[sorted(shown)].min() > scores[never].max(initial=-(1 << 31))
    row = csr_matrix(np.isin(np.arange(30), chosen)[None].astype(np.float32))
    asked = ClassifierGuide.of(learner, keys, 8).scores(row, 8)
    assert asked[0, sorted(shown)].min() > asked[0, never].max(initial=-np.inf)


@pytest.mark.parametrize(
    ("name", "options", "problem"),
    [
        (
            "sklearn.svm.SVC",
            {},
            "cannot hold a sklearn.svm.SVC; choose a linear classifier or one of: sklearn.tree.Dec",
        ),
        ("sklearn.ensemble.HistGradientBoostingClassifier", {}, "choose a linear classifier or one of"),
        ("sklearn.neighbors.KNeighborsClassifier", {"metric": "chebyshev"}, "with metric='chebyshev'; choose another"),
    ],
)
def test_a_learner_that_no_model_can_hold_is_refused_before_training(
    name: str, options: dict[str, Any], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treevote.models.transition.training.train_guide", None)
    with pytest.raises(ConfigError, match=problem):
        dataclasses.replace(SMALL, learner=name, options=options).train(TRAINING)


def test_a_learner_with_weights_for_every_class_is_linear() -> None:
    learner = shown_some([0, 2, 5], 4)
    assert is_linear(learner)
    learner.coef_ = learner.coef_[:2]
    assert not is_linear(learner)
