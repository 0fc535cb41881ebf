"""Learners by name: treevote's own by a short one, any scikit-learn classifier by its dotted name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, cast

from treevote.errors import ConfigError, shortened, unknown
from treevote.protocols import Learner

LEARNERS = {
    "maxent": "treevote.models.learners.sgd_maxent.SGDMaxEnt",
    "inequality-maxent": "treevote.models.learners.inequality_maxent.InequalityMaxEnt",
    "svm": "treevote.models.learners.passive_aggressive.PassiveAggressive",
    "pairs-svm": "treevote.models.learners.pairs.PairsSVM",
    "perceptron": "treevote.models.learners.regularized_perceptron.RegularizedPerceptron",
}
"""Short name to class."""

_TRUSTED = ("sklearn.", "treevote.models.learners.")

_MAX_DOTS = 9


def make_learner(name: str, options: Mapping[str, Any], seed: int) -> Learner:
    """Return a new learner.

    Parameters
    ----------
    name : str
        A key of ``LEARNERS``, or the dotted name of a scikit-learn classifier.
    options : mapping
        Its parameters.
    seed : int
        Its ``random_state``, where it has one and ``options`` do not name it.

    Raises
    ------
    ConfigError
        If there is no such learner, it is not a classifier, or has no such parameter.

    Examples
    --------
    >>> make_learner("sklearn.linear_model.LogisticRegression", {"C": 0.5}, seed=3)
    LogisticRegression(C=0.5, random_state=3)
    >>> make_learner("svn", {}, seed=0)
    Traceback (most recent call last):
    treevote.errors.ConfigError: unknown learner 'svn'; did you mean 'svm'? known: maxent, ...
    """
    from sklearn.base import is_classifier  # slow to import, and not needed to parse

    dotted = LEARNERS.get(name, name)
    module, _, attribute = dotted.rpartition(".")
    if not dotted.startswith(_TRUSTED):
        raise unknown("learner", name, LEARNERS)
    if dotted.count(".") > _MAX_DOTS or not all(map(str.isidentifier, dotted.split("."))):
        raise ConfigError(f"learner {shortened(name)!r} is no dotted name; check it in scikit-learn's documentation")
    try:
        kind = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError):
        raise ConfigError(
            f"there is no class {shortened(dotted)}; check the name in scikit-learn's documentation"
        ) from None
    if not (isinstance(kind, type) and hasattr(kind, "fit") and hasattr(kind, "predict")):
        raise ConfigError(f"{dotted} is not a classifier; give the name of a class with fit and predict")
    try:
        learner = kind()
    except TypeError as error:
        raise ConfigError(f"{dotted} cannot be made from options alone ({error}); choose another") from error
    if not is_classifier(learner):
        raise ConfigError(f"{dotted} is not a classifier, it predicts numbers or groups; choose one that is")
    known = learner.get_params()
    for option in options:
        if option not in known:
            raise unknown(f"option of {name}", option, sorted(known))
    if "random_state" in known and "random_state" not in options:
        learner.set_params(random_state=seed)
    return cast("Learner", learner.set_params(**options))
