"""Learners by name: treevote's own by a short one, the linear classifiers of scikit-learn by their dotted one."""

from __future__ import annotations

import importlib
import typing
from collections.abc import Mapping
from typing import Any, cast

from treevote.config import converted
from treevote.errors import ConfigError, require_known, unknown
from treevote.protocols import Learner

LEARNERS = {
    "maxent": "treevote.models.learning.learners.sgd_maxent.SGDMaxEnt",
    "inequality-maxent": "treevote.models.learning.learners.inequality_maxent.InequalityMaxEnt",
    "svm": "treevote.models.learning.learners.passive_aggressive.PassiveAggressive",
    "pairs-svm": "treevote.models.learning.learners.pairs.PairsSVM",
    "perceptron": "treevote.models.learning.learners.regularized_perceptron.RegularizedPerceptron",
}
"""Short name to class."""

_LINEAR_MODELS = "LogisticRegression LogisticRegressionCV Perceptron RidgeClassifier RidgeClassifierCV SGDClassifier"
LINEAR = (*(f"sklearn.linear_model.{name}" for name in _LINEAR_MODELS.split()), "sklearn.svm.LinearSVC")
"""The classifiers of scikit-learn with a weight for each feature and class, learned from sparse rows."""


_ONE_AGAINST_REST = "sklearn.linear_model.SGDClassifier"


def has_softmax(name: str, learner: Learner) -> bool:
    """Tell whether the softmax of the scores of a learner are its probabilities; it may have none, or of another kind.

    Those of some of scikit-learn are of each class against the rest.

    >>> sgd, logistic = "sklearn.linear_model.SGDClassifier", "sklearn.linear_model.LogisticRegression"
    >>> learners = ("maxent", {}), ("svm", {}), (sgd, {"loss": "log_loss"}), (logistic, {"solver": "liblinear"})
    >>> [has_softmax(name, make_learner(name, options, seed=0)) for name, options in learners]
    [True, False, False, False]
    """
    is_one_against_rest = name == _ONE_AGAINST_REST or getattr(learner, "solver", None) == "liblinear"
    return hasattr(learner, "predict_proba") and not is_one_against_rest


def make_learner(name: str, options: Mapping[str, Any], seed: int) -> Learner:
    """Return a new learner: a key of ``LEARNERS``, or one of ``LINEAR``.

    ``seed`` is its ``random_state``, where it has one and ``options`` do not name it. ConfigError if there is no such
    learner, or it has no such parameter.

    >>> make_learner("sklearn.linear_model.LogisticRegression", {"C": 0.5}, seed=3)
    LogisticRegression(C=0.5, random_state=3)
    """
    if name not in LEARNERS and name not in LINEAR:
        error = unknown("learner", name, (*LEARNERS, *LINEAR))
        raise ConfigError(f"{error}; any other takes a plug-in with a parser of its own (docs/recipes/plug-in.md)")
    module, _, attribute = LEARNERS.get(name, name).rpartition(".")
    try:
        learner = getattr(importlib.import_module(module), attribute)()
    except AttributeError:
        raise ConfigError(f"the installed scikit-learn has no {name}; choose another learner") from None
    known = learner.get_params()
    for option in options:
        require_known(f"option of {name}", option, sorted(known))
    if name in LEARNERS:  # those of scikit-learn check their own
        hints = typing.get_type_hints(type(learner).__init__)
        options = {option: converted(hints[option], value, f"options.{option}") for option, value in options.items()}
    if "random_state" in known and "random_state" not in options:
        learner.set_params(random_state=seed)
    return cast("Learner", learner.set_params(**options))
