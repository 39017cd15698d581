r"""The dual of the Neyman-Pearson problem with several classes: multipliers out of estimated probabilities.

Minimise :math:`\sum_k w_k R_k(\phi)` subject to :math:`R_k(\phi) = P(\phi(X) \ne k \mid Y = k) \le \alpha_k` for some
classes k. For multipliers :math:`\lambda \ge 0` (0 where k has no level) the Lagrangian is least at the classifier with
costs,

.. math:: \phi_\lambda(x) = \arg\max_k c_k p_k(x), \quad c_k = (w_k + \lambda_k) / \pi_k,

with the class shares :math:`\pi_k` and probabilities :math:`p_k(x) = P(Y = k \mid X = x)`, and the dual function is

.. math:: G(\lambda) = \sum_k w_k + \sum_k \lambda_k (1 - \alpha_k) - E \max_k c_k p_k(X).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linprog

# widest box for the multipliers, as a multiple of the sum of the weights, and the factor by which it grows
FIRST_BOX, GROWTH, LAST_BOX = 100.0, 10.0, 1e8


@dataclass(frozen=True)
class DualSolution:
    """Multipliers that maximise a dual function.

    Attributes
    ----------
    lam : ndarray, shape (K,)
        Multipliers, 0 where the class has no level.
    value : float
        The dual function there: a lower bound on the weighted sum of errors, as estimated.
    gap : float or None
        Certificate: an upper bound on the maximum, less `value`; zero at the optimum. None where there is none.
    feasible : bool
        False if `value` exceeds the sum of the weights, which no weighted sum of errors does.
    converged : bool
        Whether the gap is below the tolerance.
    n_iter : int
        Evaluations of the dual function.
    """

    lam: np.ndarray
    value: float
    gap: float | None
    feasible: bool
    converged: bool
    n_iter: int

    def scaled(self, factor):
        """Return the solution of the problem with weights `factor` times as large."""
        gap = None if self.gap is None else self.gap * factor
        return replace(self, lam=self.lam * factor, value=self.value * factor, gap=gap)


def plug_in_dual(lam, ratios, weights, alphas):
    """Return G and a supergradient at `lam` where expectations are means over rows.

    Parameters
    ----------
    lam : ndarray, shape (K,)
        Multipliers.
    ratios : ndarray, shape (n, K)
        Estimated probabilities divided by the class shares.
    weights, alphas : ndarray, shape (K,)
        Weights; levels, NaN where a class has none.

    Returns
    -------
    value : float
    slope : ndarray, shape (K,)
        Estimated error less alpha; 0 where there is no level.
    """
    costs = weights + lam
    scaled = ratios * costs
    best = scaled.argmax(axis=1)
    rows = np.arange(best.size)
    has = np.isfinite(alphas)
    value = weights.sum() + float(lam[has] @ (1 - alphas[has])) - float(scaled[rows, best].mean())
    caught = np.bincount(best, weights=ratios[rows, best], minlength=weights.size) / best.size
    return value, np.where(has, 1 - np.where(has, alphas, 0.0) - caught, 0.0)


def maximise_plug_in(ratios, weights, alphas, *, tol=1e-6, max_iter=1000):
    r"""Return the `DualSolution` of the plug-in dual by Kelley's cutting planes.

    G is concave and piecewise linear. Each evaluation gives a plane above it; the maximum of the lower envelope of all
    planes over a box is an upper bound on the maximum of G, and the next point. The box grows while the maximum lies on
    its border. G above the sum of the weights at any point proves that the estimated problem has no solution, even
    among randomised classifiers: every classifier within the levels has a weighted sum of at most that, and at
    least G (weak duality). `ratios`, `weights`, `alphas` as in `plug_in_dual`.
    """
    has = np.flatnonzero(np.isfinite(alphas))
    total = float(weights.sum())
    limit = FIRST_BOX * total
    lam, best_lam, best = np.zeros(weights.size), np.zeros(weights.size), -np.inf
    planes, heights, upper, n_iter = [], [], np.inf, 0
    while n_iter < max_iter and upper - best > tol * total:
        value, slope = plug_in_dual(lam, ratios, weights, alphas)
        n_iter += 1
        if value > best:
            best, best_lam = value, lam
        if best > total * (1 + tol):
            return DualSolution(best_lam, best, None, False, False, n_iter)
        planes.append(np.append(1.0, -slope[has]))
        heights.append(value - slope[has] @ lam[has])
        lam, upper, limit = _next_point(planes, heights, has, weights.size, limit, total, best, tol)
    gap = max(float(upper - best), 0.0)
    at_border = bool(np.any(best_lam >= LAST_BOX * total))
    return DualSolution(best_lam, best, gap, True, gap <= tol * total and not at_border, n_iter)


def _next_point(planes, heights, has, n_classes, limit, total, best, tol):
    """The highest point below all planes, in a box that grows while that point lies on its border."""
    while True:
        box = [(None, None)] + [(0.0, limit)] * has.size
        target = np.append(-1.0, np.zeros(has.size))
        found = linprog(target, A_ub=np.array(planes), b_ub=np.array(heights), bounds=box, method="highs")
        lam = np.zeros(n_classes)
        lam[has] = found.x[1:]
        upper = -float(found.fun)
        done = upper - best <= tol * total
        if not (done and np.any(lam[has] >= limit)) or limit >= LAST_BOX * total:
            return lam, upper, limit
        limit *= GROWTH


def held_out_dual(lam, ratios, codes, weights, alphas):
    """Return the Lagrangian of the classifier with multipliers `lam` at its errors on labelled rows, and these errors.

    `ratios`, `weights`, `alphas` as in `plug_in_dual`; `codes` are the true classes of the rows, each of them present.
    """
    errors = class_errors(ratios * (weights + lam), codes)
    has = np.isfinite(alphas)
    return float(weights @ errors + lam[has] @ (errors[has] - alphas[has])), errors


def class_errors(scaled, codes):
    """Return the share of the rows of each class that have their largest value elsewhere, shape (K,)."""
    n_classes = scaled.shape[1]
    wrong = scaled.argmax(axis=1) != codes
    return np.bincount(codes, weights=wrong, minlength=n_classes) / np.bincount(codes, minlength=n_classes)


def maximise_held_out(ratios, codes, weights, alphas, start, *, max_steps=60):
    """Return the `DualSolution` of the held-out criterion by a pattern search in the logarithm of the costs.

    The criterion has jumps and is not concave, so that a local maximum is found, from `start` and from 0; there is no
    certificate. Each multiplier is tried up and down by a factor on weight + multiplier, which is halved (on the
    logarithmic scale) when nothing improves.
    """
    has = np.flatnonzero(np.isfinite(alphas))
    total = float(weights.sum())
    floor = np.where(weights > 0, weights, total)
    best_lam, best, n_iter = None, -np.inf, 0
    for first in (np.zeros(weights.size), start):
        lam, value = first, held_out_dual(first, ratios, codes, weights, alphas)[0]
        factor = 4.0
        for _ in range(max_steps):
            moves = [_moved(lam, k, f, floor[k]) for k in has for f in (factor, 1 / factor)]
            values = [held_out_dual(move, ratios, codes, weights, alphas)[0] for move in moves]
            n_iter += len(moves)
            top = int(np.argmax(values))
            if values[top] > value:
                lam, value = moves[top], values[top]
            else:
                factor = np.sqrt(factor)
            if value > total or factor < 1 + 1e-4:
                break
        if value > best:
            best_lam, best = lam, value
    return DualSolution(best_lam, best, None, best <= total, True, n_iter)


def _moved(lam, k, factor, floor):
    moved = lam.copy()
    moved[k] = max((lam[k] + floor) * factor - floor, 0.0)
    return moved
