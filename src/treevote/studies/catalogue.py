"""The studies by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from treevote.ensemble.members import DEFAULT_MEMBERS
from treevote.studies.agreement import agreement
from treevote.studies.bpm import bpm
from treevote.studies.decision_list import decision_list
from treevote.studies.direction import direction
from treevote.studies.learning_curve import learning_curve
from treevote.studies.look_ahead import look_ahead
from treevote.studies.members import FOUR, members
from treevote.studies.policies import policies
from treevote.studies.sentence_length import sentence_length
from treevote.studies.tables import Report
from treevote.studies.tags import tags
from treevote.studies.waits import waits
from treevote.studies.workbench import Workbench


class Study(NamedTuple):
    """A study.

    Attributes
    ----------
    summary : str
        One line.
    run : callable
        Makes its tables.
    members : tuple of str
        The members that it is about, unless others are named; empty where they cannot be chosen.
    fewest : int
        Members that it needs.
    """

    summary: str
    run: Callable[[Workbench], Report]
    members: tuple[str, ...] = ()
    fewest: int = 1


STUDIES = {
    "members": Study("LR members and their vote (Sagae & Tsujii 2007, Table 2)", members, FOUR, 2),
    "agreement": Study("how right members are where two of them agree (Sagae & Tsujii 2007)", agreement, FOUR, 2),
    "direction": Study("sides of the heads, and the gain of reading backward (Sagae & Tsujii 2007)", direction),
    "tags": Study(
        "gold or predicted tags in training and test (Chang, Do & Roth 2006, Table 5)", tags, DEFAULT_MEMBERS[:1]
    ),
    "learning-curve": Study(
        "accuracy over training sizes (Corston-Oliver et al. 2006, Figure 2)", learning_curve, DEFAULT_MEMBERS
    ),
    "sentence-length": Study(
        "accuracy by length of the sentence (Chang, Do & Roth 2006, Table 4)", sentence_length, DEFAULT_MEMBERS
    ),
    "bpm": Study("a Bayes Point Machine against its perceptrons (Corston-Oliver et al. 2006, Table 4)", bpm),
    "policies": Study("actions and accuracy by policy of the focus point (Chang, Do & Roth 2006, Table 1)", policies),
    "waits": Study("with and without the action WaitLeft (Chang, Do & Roth 2006, Table 2)", waits),
    "look-ahead": Study("depth of the look ahead (Chang, Do & Roth 2006, Table 3)", look_ahead),
    "decision-list": Study("decision lists by context and attribute (Yuret 2006, Tables 3, 4 and 7)", decision_list),
}
"""Name to study."""
