"""The members of the ensemble by name."""

from __future__ import annotations

from collections.abc import Iterable

from treevote.errors import unknown
from treevote.models.transition.parser import TransitionTrainer

MEMBERS = {
    "lr-maxent-forward": TransitionTrainer(direction="forward", learner="maxent"),
    "lr-maxent-backward": TransitionTrainer(direction="backward", learner="maxent"),
    "lr-svm-forward": TransitionTrainer(direction="forward", learner="svm", search="greedy"),
    "lr-svm-backward": TransitionTrainer(direction="backward", learner="svm", search="greedy"),
}
"""Name to trainer."""

DEFAULT_MEMBERS = ("lr-maxent-forward", "lr-maxent-backward", "lr-svm-forward")
"""Directions and kinds of learner as in the ensemble of Sagae & Tsujii (2007), section 3."""


def members_of(names: Iterable[str]) -> dict[str, TransitionTrainer]:
    """Return the trainers of the named members.

    Raises
    ------
    ConfigError
        If there is no member of a name; the nearest is named.

    Examples
    --------
    >>> members_of(["lr-svm-backward"])["lr-svm-backward"].direction
    'backward'
    """
    names = list(names)
    for name in names:
        if name not in MEMBERS:
            raise unknown("member", name, MEMBERS)
    return {name: MEMBERS[name] for name in names}
