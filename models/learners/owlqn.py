"""OWL-QN: limited-memory quasi-Newton minimisation of a smooth convex function plus a weighted 1-norm.

``F(w) = f(w) + sum_i penalty[i] |w[i]|``. F has no derivative where a weight is 0, but it is smooth within an
orthant, where no weight changes its sign. So each step chooses an orthant (that of the current point, a weight at
0 going downhill), follows the L-BFGS direction of f inside it and sets to 0 whatever would leave it. Coordinates with
penalty 0 are free to change their sign.

Source: Andrew & Gao, "Scalable training of L1-regularized log-linear models", ICML 2007, Algorithm 1; the two-loop
recursion is Nocedal & Wright, "Numerical Optimization", 2nd edition, Algorithm 7.4.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from treevote.kernels import Doubles

SUFFICIENT_DECREASE = 1e-4
HALVINGS = 40


class Optimum(NamedTuple):
    """Where the search ended.

    Attributes
    ----------
    w : ndarray of float64, shape (d,)
        The point; weights that are not needed are exactly 0.
    value : float
        ``F(w)``.
    slope : float
        Largest absolute value in the pseudo-gradient at ``w``: 0 at the optimum.
    n_iter : int
        Steps taken.
    """

    w: Doubles
    value: float
    slope: float
    n_iter: int


def pseudo_gradient(w: Doubles, gradient: Doubles, penalty: Doubles) -> Doubles:
    """Return the subgradient of F with the smallest norm; it is 0 everywhere at the optimum and only there.

    Parameters
    ----------
    w, gradient, penalty : ndarray of float64, shape (d,)
        The point, the gradient of the smooth part there, and the factors of ``|w|``.

    Examples
    --------
    >>> pseudo_gradient(np.array([2.0, 0.0, 0.0]), np.array([1.0, -3.0, 0.5]), np.ones(3)).tolist()
    [2.0, -2.0, 0.0]
    """
    right, left = gradient + penalty, gradient - penalty
    return np.where(w > 0, right, np.where(w < 0, left, np.minimum(right, 0) + np.maximum(left, 0)))


def owlqn(
    smooth: Callable[[Doubles], tuple[float, Doubles]],
    start: Doubles,
    penalty: Doubles,
    *,
    tol: float,
    max_iter: int,
    memory: int = 8,
) -> Optimum:
    """Minimise ``smooth(w) + sum(penalty * abs(w))``.

    Parameters
    ----------
    smooth : callable
        From ``w`` to the value of f and its gradient (a new array each time).
    start : ndarray of float64, shape (d,)
        Where to begin.
    penalty : ndarray of float64, shape (d,)
        Non-negative factors of ``|w|``.
    tol : float
        Stop when no entry of the pseudo-gradient is larger than this.
    max_iter : int
        Stop after so many steps.
    memory : int, default=8
        Pairs of differences kept; each takes ``16 d`` bytes.

    Returns
    -------
    Optimum
        ``slope > tol`` if the search ended for another reason than ``tol``: ``max_iter``, or no step makes F smaller
        in floating point.

    Examples
    --------
    >>> def bowl(w):
    ...     return float(((w - 3) ** 2).sum()) / 2, w - 3
    >>> owlqn(bowl, np.zeros(3), np.array([0.0, 1.0, 5.0]), tol=1e-9, max_iter=50).w.round(6).tolist()
    [3.0, 2.0, 0.0]
    """
    w = start
    loss, gradient = smooth(w)
    value = loss + float(penalty @ np.abs(w))
    history: deque[tuple[Doubles, Doubles]] = deque(maxlen=memory)
    n_iter = 0
    while True:
        downhill = -pseudo_gradient(w, gradient, penalty)
        slope = float(np.abs(downhill).max(initial=0.0))
        if slope <= tol or n_iter >= max_iter:
            return Optimum(w, value, slope, n_iter)
        direction = _quasi_newton(downhill, history)
        direction[direction * downhill <= 0] = 0.0
        if not history:
            direction /= np.linalg.norm(direction)
        orthant = np.where(w != 0, np.sign(w), np.sign(downhill))
        for halving in range(HALVINGS):
            new = w + 0.5**halving * direction
            new[(new * orthant <= 0) & (penalty > 0)] = 0.0
            loss, new_gradient = smooth(new)
            new_value = loss + float(penalty @ np.abs(new))
            if new_value < value and new_value <= value - SUFFICIENT_DECREASE * float(downhill @ (new - w)):
                break
        else:
            if not history:
                return Optimum(w, value, slope, n_iter)
            history.clear()  # the curvature misled us: once more along the plain pseudo-gradient
            continue
        step, change = new - w, new_gradient - gradient
        if float(step @ change) > 1e-10 * float(change @ change):
            history.append((step, change))
        w, value, gradient = new, new_value, new_gradient
        n_iter += 1


def _quasi_newton(downhill: Doubles, history: deque[tuple[Doubles, Doubles]]) -> Doubles:
    """Return the inverse Hessian that ``history`` suggests times ``downhill``."""
    direction = downhill.copy()
    shares = []
    for step, change in reversed(history):
        share = float(step @ direction) / float(step @ change)
        direction -= share * change
        shares.append(share)
    if history:
        step, change = history[-1]
        direction *= float(step @ change) / float(change @ change)
    for (step, change), share in zip(history, reversed(shares), strict=True):
        direction += (share - float(change @ direction) / float(step @ change)) * step
    return direction
