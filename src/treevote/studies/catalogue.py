"""The studies by name."""

from __future__ import annotations

from treevote.studies.adaptation import AdaptationStudy, adaptation
from treevote.studies.chang_do_roth import look_ahead, policies, sentence_length, tags, waits
from treevote.studies.corston_oliver import bpm, learning_curve
from treevote.studies.ensemble import EnsembleStudy, ensemble
from treevote.studies.sagae_tsujii import agreement, direction, members
from treevote.studies.study import Study
from treevote.studies.yuret import decision_list

STUDIES: dict[str, Study | AdaptationStudy | EnsembleStudy] = {
    "members": members,
    "agreement": agreement,
    "direction": direction,
    "adaptation": adaptation,
    "tags": tags,
    "learning-curve": learning_curve,
    "sentence-length": sentence_length,
    "bpm": bpm,
    "policies": policies,
    "waits": waits,
    "look-ahead": look_ahead,
    "decision-list": decision_list,
    "ensemble": ensemble,
}
"""Name to study."""
