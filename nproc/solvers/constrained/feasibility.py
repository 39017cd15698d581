r"""Whether the constraints can be met at all: a point strictly inside, or a lower bound that proves that there is none.

References
----------
Equations (27) and (28) of [barlaud2015]_.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.solvers.constrained.interior_point import InteriorPoint

# how far inside the constraints a starting point should lie, relative to their levels
ROOM = 0.1
# a bound over all weights is one over those with a margin of at most this size on a typical row
FAR = 1e6
# the barrier parameter, times its constraints, at which the search for a feasible point ends
LEAST = 1e-14


@dataclass(frozen=True)
class Feasibility:
    """A point strictly inside the constraints, or why there is none.

    Attributes
    ----------
    x : ndarray or None
        A point that satisfies all constraints strictly.
    lower_bound : float
        Proved lower bound on the least value of max_k (risk_k - level_k); -inf where nothing was proved, because a
        point was found.
    reason : str
        In words.
    """

    x: np.ndarray | None
    lower_bound: float = -np.inf
    reason: str = "feasible"


class LevelProblem:
    """Minimise s so that risk_k(w) - level_k <= s: the coordinates are (w, s), without an intercept."""

    def __init__(self, risks):
        self.risks, self.p = risks, risks.p
        self.unit = np.zeros(risks.dim + 1)
        self.unit[-1] = 1.0

    def margins(self, x):
        return self.risks.margins0(x[:-1]), x[-1:]

    def objective(self, margins):
        return float(margins[1][0])

    def constraints(self, margins):
        return self.risks.risks(margins[0]) - self.risks.levels - margins[1][0]

    def gradients(self, margins):
        jacobian = np.array(
            [np.append(self.risks.risk_gradient(margins[0], k), -1.0) for k in range(self.risks.levels.size)]
        )
        return self.unit, jacobian

    def hessian(self, margins, multipliers, extra):
        return self.risks.hessian(self.risks.row_weights0(margins[0], multipliers), extra, class0_only=True)

    def scale(self, margins, multipliers):
        slopes = np.sqrt(self.risks.weights @ self.risks.loss.derivative(margins[0]) ** 2)
        return np.append((multipliers[: slopes.size] @ slopes) * self.risks.rms0, 1.0)


def tangent_bound(risks, sets, x, z0, multipliers):
    """Return a lower bound on max_k (risk_k - level_k) over the sets: the tangent of a mixture of the risks at x.

    Parameters
    ----------
    risks : ClassRisks
        The functions.
    sets : WeightSets
        The sets that hold w; without a ball, the bound is for a ball so large that nothing beyond it counts.
    x : ndarray, shape (dim,)
        Where the tangent touches.
    z0 : ndarray, shape (m0,)
        The margins of class 0 there.
    multipliers : ndarray, shape (q,)
        At least 0 and not all 0: the mixture.

    Returns
    -------
    float
    """
    mixture = multipliers / multipliers.sum()
    rows, slopes = mixture @ risks.weights, risks.loss.derivative(z0)
    losses, w = risks.loss.value(z0), x[: risks.p]
    # lengths in units in which every column has the same size, so that one far away point has large margins
    size = np.where(risks.rms0 > 0, risks.rms0, 1.0)
    far = FAR * (1.0 + float(np.linalg.norm(x * size)))
    best = -np.inf
    # rows on their way to infinity may be left at the infimum of the loss: their slopes then do not count
    for least in (0.0,) if np.isneginf(risks.loss.infimum) else (0.0, 1e-6, 1e-3):
        kept = -slopes >= least
        value = float(rows @ np.where(kept, losses, risks.loss.infimum)) - float(mixture @ risks.levels)
        gradient = risks.combined_gradient0(np.where(kept, rows * slopes, 0.0))
        steep = np.minimum(gradient, 0.0) if sets.nonnegative else gradient
        reach = far * float(np.linalg.norm(steep / size))
        if sets.bounded and not risks.fit_intercept:
            reach = min(reach, sets.support(-gradient, np.inf))
        best = max(best, value - float(gradient[: risks.p] @ w + gradient[risks.p :] @ x[risks.p :]) - reach)
    return best


def inner_weights(risks, sets):
    """Return weights strictly inside the sets: 0, or small positive ones under signs."""
    if not sets.nonnegative:
        return np.zeros(risks.p)
    size = np.maximum(risks.rms0, risks.rms1)[: risks.p]
    w = 0.1 / (risks.p * np.where(size > 0, size, max(float(size.max()), 1.0)))
    if sets.l1 is not None:
        w *= min(1.0, 0.25 * sets.l1 / float(w.sum()))
    if sets.l2 is not None:
        w *= min(1.0, 0.25 * sets.l2 / float(np.linalg.norm(w)))
    return w


def clearly_below_levels(risks, z0):
    """Return whether every constrained risk lies below its level by a share of it."""
    values = risks.risks(z0)
    # where the level is close to 0, a share of it would not do
    wanted = ROOM * np.maximum(np.abs(risks.levels), 1e-3 if np.isneginf(risks.loss.infimum) else 0.0)
    return bool(np.all(values <= risks.levels - wanted))


def _lengthened_until_below_levels(risks, x):
    """Return a multiple of x strictly inside the levels, or None where that takes too large a one."""
    for power in range(1, 60):
        if clearly_below_levels(risks, risks.margins0(2.0**power * x)):
            return 2.0**power * x
    return None


def find_interior(risks, sets, *, max_iter):
    """Return a `Feasibility` for constraints on the risks of class 0 and the weights.

    With an intercept there is always a point: enough of it sends all risks of class 0 to the infimum of the loss.
    Without one, the largest excess of the risks over their levels is minimised by the interior point method until it
    is below 0, or until the tangent of a mixture of the risks proves that it cannot be.

    Parameters
    ----------
    risks : ClassRisks
        The functions.
    sets : WeightSets
        The sets that hold w.
    max_iter : int
        Most Newton steps.

    Returns
    -------
    Feasibility
    """
    x = np.zeros(risks.dim)
    x[: risks.p] = inner_weights(risks, sets)
    if np.any(risks.levels <= risks.loss.infimum):
        return Feasibility(
            None, float(risks.loss.infimum - risks.levels.min()), "infeasible: the loss is above its level"
        )
    z0 = risks.margins0(x)
    if risks.fit_intercept:
        shift = 0.0
        while not clearly_below_levels(risks, z0 + shift):
            shift = 2.0 * shift + 0.5
        x[-1] = -shift
        return Feasibility(x)
    if clearly_below_levels(risks, z0):
        return Feasibility(x)
    problem = LevelProblem(risks)
    start = np.append(x, 1.0 + float(np.max(risks.risks(z0) - risks.levels)))
    method = InteriorPoint(problem, sets, start)
    bound = -np.inf
    for _ in range(max_iter):
        dual, _ = method.prepare()
        z0 = method.margins[0]
        if clearly_below_levels(risks, z0):
            return Feasibility(method.x[:-1].copy())
        if not sets.bounded and float(z0.min()) > 0:
            # no class 0 row is an error, so that longer weights send all risks to the infimum of the loss
            longer = _lengthened_until_below_levels(risks, method.x[:-1])
            if longer is not None:
                return Feasibility(longer)
        excess = float(np.max(risks.risks(z0) - risks.levels))
        if excess > 0:
            bound = max(bound, tangent_bound(risks, sets, method.x[:-1], z0, method.lam[: risks.levels.size]))
            if bound > 0 and bound >= 0.9 * excess:
                break
        # a risk whose infimum is not attained needs many steps to show it: its slopes must all but vanish
        least = LEAST / method.n_bounds
        if method.mu <= least and dual <= LEAST:
            break
        method.lower_mu(least)
        if not method.step():
            break
    x, z0 = method.x[:-1], method.margins[0]
    if np.all(risks.risks(z0) < risks.levels):
        return Feasibility(x.copy())
    if bound > 0:
        reason = f"infeasible: a class 0 risk exceeds its level by at least {bound:.6g}, whatever the weights"
        return Feasibility(None, bound, reason)
    return Feasibility(
        None, bound, "undecided: no weights were found strictly below the levels, and no proof that there are none"
    )
