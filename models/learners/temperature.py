"""Temperature scaling: probabilities for the scores of a max-margin classifier.

``p = softmax(s / T)``. One temperature T for all classes keeps the order of their scores. Fit it on held-out rows: on
its training rows a classifier is overconfident.

Source: Guo, Pleiss, Sun & Weinberger, "On calibration of modern neural networks", ICML 2017, section 4.2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax


def fit_temperature(scores: ArrayLike, y: ArrayLike) -> float:
    """Return the temperature T, in 1e-6..1e6, of the highest likelihood under ``softmax(scores / T)``.

    Parameters
    ----------
    scores : array, shape (n_rows, n_classes)
        Finite scores of held-out rows.
    y : array of int, shape (n_rows,)
        Column of the correct class of each row.

    Raises
    ------
    ValueError
        If the arrays do not fit together, or a score is not finite.

    Examples
    --------
    >>> overconfident = [[4.0, 0.0], [0.0, 4.0], [4.0, 0.0], [4.0, 0.0]]
    >>> round(fit_temperature(overconfident, [0, 1, 0, 1]), 2)  # so that 4 / T is log(3 / 1)
    3.64
    """
    S, labels = np.asarray(scores, np.float64), np.asarray(y)
    if S.ndim != 2 or labels.shape != S.shape[:1] or not len(S):
        raise ValueError(f"expected scores (n_rows, n_classes) and y (n_rows,), found {S.shape} and {labels.shape}")
    if not np.isfinite(S).all():
        raise ValueError("every score should be a finite number")
    if labels.dtype.kind not in "iu" or labels.min() < 0 or labels.max() >= S.shape[1]:
        raise ValueError(f"y should hold numbers of columns, 0..{S.shape[1] - 1}")
    rows = np.arange(len(S))

    def loss(log_temperature: float) -> float:
        return -float(log_softmax(S / np.exp(log_temperature), axis=1)[rows, labels].mean())

    # The loss is convex in 1 / T, so it has one valley in log T, too.
    found = minimize_scalar(loss, bounds=(np.log(1e-6), np.log(1e6)), method="bounded", options={"xatol": 1e-6})
    return float(np.exp(found.x))
