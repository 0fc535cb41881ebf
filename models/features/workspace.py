"""Room for the scores of one configuration, for one thread."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Doubles, Ints, Keys, Longs, kernel
from treevote.models.features.firing import MAX_FEATURES, Scratch, scratch
from treevote.models.features.templates import TemplateTable


class Workspace(NamedTuple):
    """Room for the features of a configuration, and for the scores of actions.

    Attributes
    ----------
    scratch : Scratch
    keys : ndarray of uint64, shape (MAX_FEATURES,)
        Features.
    rows : ndarray of int64, shape (MAX_FEATURES,)
        Their rows of weights.
    scores : ndarray of int32, shape (n_actions,)
    logs : ndarray of float64, shape (n_actions,)
        Logarithms of probabilities.
    mask : ndarray of bool, shape (n_actions,)
        Which actions are legal; all at first.
    """

    scratch: Scratch
    keys: Keys
    rows: Longs
    scores: Ints
    logs: Doubles
    mask: Bools


@kernel
def workspace(table: TemplateTable, n_actions: int) -> Workspace:
    """Return room for some templates and actions."""
    return Workspace(
        scratch(table),
        np.empty(MAX_FEATURES, np.uint64),
        np.empty(MAX_FEATURES, np.int64),
        np.empty(n_actions, np.int32),
        np.empty(n_actions, np.float64),
        np.ones(n_actions, np.bool_),
    )
