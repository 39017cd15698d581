r"""How far a point is from the optimality conditions of the constrained problem, in numbers without units.

References
----------
Problem (29) of [barlaud2015]_.

.. [barlaud2015] Barlaud, M., Combettes, P. L. and Fillatre, L. (2015). Constrained convex Neyman-Pearson
   classification using an outer approximation splitting method. Preprint hal-01160831.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

# a constraint within this much of its bound (relative to what the risks can resolve) may carry a multiplier
NEARLY_ACTIVE = 1e-6
# a weight this small beside the largest counts as 0 when multipliers are chosen
AT_ZERO = 1e-9


@dataclass(frozen=True)
class KKTResidual:
    """The parts of the KKT residual and the multipliers it was computed with.

    Attributes
    ----------
    stationarity, complementarity, feasibility : float
        Largest violations, each 0 at an optimum.
    multipliers : ndarray, shape (q,)
        Of the constrained risks.
    l2, l1 : float
        Of ||w||_2 <= radius and ||w||_1 <= radius.
    """

    stationarity: float
    complementarity: float
    feasibility: float
    multipliers: np.ndarray
    l2: float
    l1: float

    @property
    def largest(self):
        """The KKT residual."""
        return max(self.stationarity, self.complementarity, self.feasibility)


def kkt_residual(risks, sets, x, z0, z1, *, multipliers=None, gradient=None, risk_gradients=None):
    r"""Return the KKT residual of the problem at x, with given multipliers or with the best ones.

    The Lagrangian is :math:`\varphi^+ + \sum_k \lambda_k (\varphi^-_k - \tau_k) + \nu_2 (\|w\|_2 - r_2) + \nu_1
    (\|w\|_1 - r_1)`, with signs of w as they are asked for. Stationarity is the largest distance, over the
    coordinates j, of its partial derivatives from 0, each divided by

    .. math:: s_j = \sqrt{\overline{\phi'(z)^2}} \sqrt{\overline{x_{j}^2}} \text{ over class 1}
        + \sum_k \lambda_k \sqrt{\overline{\phi'(z)^2}} \sqrt{\overline{x_j^2}} \text{ over class 0},

    which bounds what the rows can add up to: neither the units of a column nor vanishing slopes (as along a direction
    in which the infimum is not attained) make it small. With an intercept, columns are taken about their means: that
    only moves b, and far from 0 the means would outweigh all that the columns tell. Where signs or an l1 norm leave a
    partial derivative an interval, the distance is that of the proximal step: from w_j, times the root mean square of
    its column, to where a step of the ratio would take it. Complementarity is the multiplier times the slack, over the
    mean slope of class 1 (at most the mean loss where the loss is logistic); feasibility is the excess of each risk
    over its bound, over the mean slope of its rows, and the relative excess of the norms.

    Parameters
    ----------
    risks : ClassRisks
        The functions.
    sets : WeightSets
        The sets that hold w.
    x : ndarray, shape (dim,)
        The point.
    z0, z1 : ndarray
        Its margins.
    multipliers : tuple (ndarray of shape (q,), float, float), optional
        Of the risks, of the l2 and of the l1 ball. By default nonnegative least squares over the constraints within
        1e-6 of their bounds chooses those with the smallest stationarity over the coordinates without kink or sign.
    gradient : ndarray, shape (dim,), optional
        Of the objective, if it is known.
    risk_gradients : ndarray, shape (q, dim), optional
        Of the risks, if they are known.

    Returns
    -------
    KKTResidual
    """
    n_risks, w = risks.levels.size, x[: risks.p]
    slopes0, slopes1 = risks.loss.derivative(z0), risks.loss.derivative(z1)
    values, mean1 = risks.risks(z0), float(np.mean(-slopes1))
    size0 = np.sqrt(risks.weights @ slopes0**2)
    mean0 = risks.weights @ -slopes0
    slack = risks.levels - values
    near = slack <= NEARLY_ACTIVE * np.maximum(np.abs(risks.levels), mean0)
    if gradient is None:
        gradient = risks.gradient(z1)
    if risk_gradients is None:
        risk_gradients = np.zeros((n_risks, risks.dim))
        for k in np.flatnonzero(near if multipliers is None else multipliers[0] > 0):
            risk_gradients[k] = risks.risk_gradient(z0, k)
    gradient, risk_gradients = risks.about_origin(gradient), risks.about_origin(risk_gradients)
    norm2, norm1 = float(np.linalg.norm(w)), float(np.abs(w).sum())
    normal2 = np.zeros(risks.dim)
    if norm2 > 0:
        normal2[: risks.p] = w / norm2
    sign = np.zeros(risks.dim)
    sign[: risks.p] = np.sign(w)
    base = np.sqrt(np.mean(slopes1**2)) * risks.spread1
    floor = np.where(base > 0, base, np.where(risks.spread0 > 0, size0.max() * risks.spread0, 1.0))
    if multipliers is None:
        columns = [risk_gradients[k] for k in np.flatnonzero(near)]
        use2 = sets.l2 is not None and norm2 >= sets.l2 * (1 - NEARLY_ACTIVE)
        use1 = sets.l1 is not None and norm1 >= sets.l1 * (1 - NEARLY_ACTIVE)
        columns += [normal2] if use2 else []
        columns += [sign] if use1 else []
        found = _least_residual(columns, gradient, floor, _free(risks, sets, w))
        lam = np.zeros(n_risks)
        lam[near] = found[: int(near.sum())]
        nu2 = float(found[int(near.sum())]) if use2 else 0.0
        nu1 = float(found[-1]) if use1 else 0.0
    else:
        lam, nu2, nu1 = multipliers
    total = gradient + lam @ risk_gradients + nu2 * normal2
    scale = base + (lam @ size0) * risks.spread0
    stationarity = float(np.max(_distance(risks, sets, w, total, scale, nu1)))
    products = [float(np.max(np.abs(lam * slack)))]
    products += [] if sets.l2 is None else [nu2 * abs(sets.l2 - norm2)]
    products += [] if sets.l1 is None else [nu1 * abs(sets.l1 - norm1)]
    complementarity = max(products) / mean1 if mean1 > 0 else 0.0
    excess = np.divide(-slack, mean0, out=np.where(slack < 0, np.inf, 0.0), where=mean0 > 0)
    return KKTResidual(
        stationarity=stationarity,
        complementarity=complementarity,
        feasibility=max(0.0, float(np.max(excess)), sets.violation(w)),
        multipliers=lam,
        l2=float(nu2),
        l1=float(nu1),
    )


def _free(risks, sets, w):
    """Return the coordinates where the Lagrangian is smooth: all but those at 0 under signs or an l1 norm."""
    free = np.ones(risks.dim, dtype=bool)
    if sets.nonnegative or sets.l1 is not None:
        size = np.abs(w) * np.maximum(risks.spread0, risks.spread1)[: risks.p]
        free[: risks.p] = size > AT_ZERO * size.max()
    return free


def _least_residual(columns, gradient, scale, free):
    """Return the nonnegative weights of the normals that come nearest to minus the gradient."""
    if not columns:
        return np.zeros(0)
    matrix = (np.array(columns) / scale)[:, free].T
    lengths = np.linalg.norm(matrix, axis=0)
    lengths[lengths == 0] = 1.0
    return nnls(matrix / lengths, -(gradient / scale)[free])[0] / lengths


def _distance(risks, sets, w, total, scale, nu1):
    """Return what a step along minus the partial derivatives, in units of `scale`, would move; 0 at an optimum."""
    ratio = np.divide(total, scale, out=np.zeros_like(total), where=scale > 0)
    away = np.abs(ratio)
    if sets.nonnegative or sets.l1 is not None:
        inner = slice(0, risks.p)
        # the size of a coordinate is its part in the margins, which has no unit
        size = w * np.maximum(risks.spread0, risks.spread1)[inner]
        level = np.divide(nu1, scale[inner], out=np.zeros(risks.p), where=scale[inner] > 0)
        moved = size - ratio[inner]
        nearest = np.maximum(moved - level, 0.0)
        if not sets.nonnegative:
            nearest = nearest - np.maximum(-moved - level, 0.0)
        away[inner] = np.abs(size - nearest)
    return away
