"""The studies by name."""

from __future__ import annotations

from treevote.studies import adaptation, chang_do_roth, corston_oliver, ensemble, sagae_tsujii, yuret
from treevote.studies.ensemble import EnsembleStudy
from treevote.studies.study import Study

STUDIES: dict[str, Study | EnsembleStudy] = {
    "members": sagae_tsujii.members,
    "agreement": sagae_tsujii.agreement,
    "direction": sagae_tsujii.direction,
    "adaptation": adaptation.adaptation,
    "tags": chang_do_roth.tags,
    "learning-curve": corston_oliver.learning_curve,
    "sentence-length": chang_do_roth.sentence_length,
    "bpm": corston_oliver.bpm,
    "policies": chang_do_roth.policies,
    "waits": chang_do_roth.waits,
    "look-ahead": chang_do_roth.look_ahead,
    "decision-list": yuret.decision_list,
    "ensemble": ensemble.ensemble,
}
