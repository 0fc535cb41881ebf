"""Probabilities for the scores of a max-margin classifier: Platt's sigmoids, and a softmax with a temperature.

Fit either on scores of rows that the classifier was not trained on: on its training rows it is far too sure.

Platt: for each class k against the rest, ``p_k = 1 / (1 + exp(A_k s_k + B_k))``, then the row is divided by its sum.
Source: Platt, "Probabilistic outputs for support vector machines", in Advances in Large Margin Classifiers, 1999; the
Newton method that never fails is Lin, Lin & Weng, "A note on Platt's probabilistic outputs for support vector
machines", Machine Learning 68, 2007.

Temperature: ``p = softmax(s / T)``, one number for all classes: the order of the classes is that of the scores. Source:
Guo, Pleiss, Sun & Weinberger, "On calibration of modern neural networks", ICML 2017, section 4.2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_expit, log_softmax, softmax

from treevote.kernels import Doubles


class PlattScaling(NamedTuple):
    """The sigmoids of all classes.

    Attributes
    ----------
    A, B : ndarray of float64, shape (n_classes,)
        Slopes, at most 0: a higher score is never less probable; and offsets.
    """

    A: Doubles
    B: Doubles


_STEPS = 100
_HALVINGS = 40


def fit_platt(scores: ArrayLike, y: ArrayLike) -> PlattScaling:
    """Fit the sigmoids of all classes.

    Parameters
    ----------
    scores : array, shape (n_rows, n_classes)
        Finite scores of held-out rows.
    y : array of int, shape (n_rows,)
        The column of the right class of each row. A class that no row has gets the same small probability for all
        scores.

    Raises
    ------
    ValueError
        If the arrays do not fit together, or a score is not finite.

    Examples
    --------
    >>> A, B = fit_platt([[2.0, -1.0], [1.0, 0.5], [-1.0, 1.0], [0.5, 1.0]], [0, 0, 1, 1])
    >>> platt([[3.0, 0.0]], A, B).round(2).tolist()
    [[0.69, 0.31]]
    """
    S, labels = _checked(scores, y)
    sigmoids = np.array([_sigmoid(S[:, k], labels == k) for k in range(S.shape[1])])
    return PlattScaling(sigmoids[:, 0].copy(), sigmoids[:, 1].copy())


def platt(scores: ArrayLike, A: ArrayLike, B: ArrayLike) -> Doubles:
    """Return the probabilities, shape (n_rows, n_classes); parameters as returned by `fit_platt`."""
    log_sigmoids = log_expit(-(np.asarray(A) * np.asarray(scores, np.float64) + np.asarray(B)))
    probabilities: Doubles = softmax(log_sigmoids, axis=1)  # in logarithms, so that no row has the sum 0
    return probabilities


def fit_temperature(scores: ArrayLike, y: ArrayLike) -> float:
    """Return the temperature T, in 1e-6..1e6, at which ``softmax(scores / T)`` makes the right classes most likely.

    Parameters
    ----------
    scores, y
        As in `fit_platt`.

    Raises
    ------
    ValueError
        As in `fit_platt`.

    Examples
    --------
    >>> sure = [[4.0, 0.0], [0.0, 4.0], [4.0, 0.0], [4.0, 0.0]]
    >>> round(fit_temperature(sure, [0, 1, 0, 1]), 2)  # so that 4 / T is log(3 / 1)
    3.64
    """
    S, labels = _checked(scores, y)
    rows = np.arange(len(S))

    def loss(log_temperature: float) -> float:
        return -float(log_softmax(S / np.exp(log_temperature), axis=1)[rows, labels].mean())

    # The loss is convex in 1 / T, so it has one valley in log T, too.
    found = minimize_scalar(loss, bounds=(np.log(1e-6), np.log(1e6)), method="bounded", options={"xatol": 1e-6})
    return float(np.exp(found.x))


def _checked(scores: ArrayLike, y: ArrayLike) -> tuple[Doubles, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    S, labels = np.asarray(scores, np.float64), np.asarray(y)
    if S.ndim != 2 or labels.shape != S.shape[:1] or not len(S):
        raise ValueError(f"expected scores (n_rows, n_classes) and y (n_rows,), found {S.shape} and {labels.shape}")
    if not np.isfinite(S).all():
        raise ValueError("every score should be a finite number")
    if labels.dtype.kind not in "iu" or labels.min() < 0 or labels.max() >= S.shape[1]:
        raise ValueError(f"y should hold numbers of columns, 0..{S.shape[1] - 1}")
    return S, labels.astype(np.int64)


def _sigmoid(s: Doubles, positive: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> tuple[float, float]:
    """Return A and B of one class, by Newton's method with backtracking (Lin, Lin & Weng 2007, Algorithm 1)."""
    n_positive = int(positive.sum())
    n_negative = len(s) - n_positive
    # Platt's targets: not quite 1 and 0, as if each class had one more row of either kind.
    target = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    flat = 0.0, float(np.log1p(-target.mean()) - np.log(target.mean()))
    scale = float(np.abs(s).max()) or 1.0
    s = s / scale

    def loss(a: float, b: float) -> float:
        margin = a * s + b
        return -float(target @ log_expit(-margin) + (1 - target) @ log_expit(margin))

    A, B = 0.0, float(np.log((n_negative + 1) / (n_positive + 1)))
    value = loss(A, B)
    for _ in range(_STEPS):
        p = expit(-(A * s + B))
        rest, variance = target - p, p * (1 - p)
        gradient = np.array([rest @ s, rest.sum()])
        if np.abs(gradient).max() < 1e-10 * len(s):
            break
        cross = variance @ s
        hessian = np.array([[variance @ (s * s) + 1e-12, cross], [cross, variance.sum() + 1e-12]])
        step = -np.linalg.solve(hessian, gradient)
        for halving in range(_HALVINGS):
            a, b = A + 0.5**halving * step[0], B + 0.5**halving * step[1]
            new_value = loss(a, b)
            if new_value < value + 1e-4 * 0.5**halving * float(gradient @ step):
                break
        else:
            break  # as low as floating point goes
        A, B, value = a, b, new_value
    # Where scores speak against their class, they say nothing: the best sigmoid that does not fall is flat.
    return (A / scale, B) if A <= 0 else flat
