r"""The constrained problem by interior point Newton steps, from a feasible point to the KKT conditions.

References
----------
Problem (29) of [barlaud2015]_; the method is not theirs.

.. [barlaud2015] Barlaud, M., Combettes, P. L. and Fillatre, L. (2015). Constrained convex Neyman-Pearson
   classification using an outer approximation splitting method. Preprint hal-01160831.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg import qr

from nproc.solvers.class_risks import ClassRisks
from nproc.solvers.constrained_outcome import NOTHING
from nproc.solvers.interior_point import InteriorPoint
from nproc.solvers.kkt_residual import kkt_residual
from nproc.solvers.no_minimiser import separates

# the barrier parameter at which all is said, in units of the tolerance, and where it is not lowered any more
FINAL, LAST = 0.01, 1e-7
# margins beyond this go to infinity
RUN_AWAY = 1e12


class RiskProblem:
    """The problem itself: the mean loss of class 1 under bounds on the risks of class 0."""

    def __init__(self, risks):
        self.risks, self.p = risks, risks.p

    def margins(self, x):
        return self.risks.margins0(x), self.risks.margins1(x)

    def objective(self, margins):
        return self.risks.objective(margins[1])

    def constraints(self, margins):
        return self.risks.risks(margins[0]) - self.risks.levels

    def gradients(self, margins):
        jacobian = [self.risks.risk_gradient(margins[0], k) for k in range(self.risks.levels.size)]
        return self.risks.gradient(margins[1]), np.array(jacobian)

    def hessian(self, margins, multipliers, extra):
        return self.risks.hessian(self.risks.row_weights(*margins, multipliers), extra)

    def scale(self, margins, multipliers):
        slopes1 = self.risks.loss.derivative(margins[1])
        slopes0 = np.sqrt(self.risks.weights @ self.risks.loss.derivative(margins[0]) ** 2)
        own = np.sqrt(np.mean(slopes1**2)) * self.risks.rms1
        return own + (multipliers[: slopes0.size] @ slopes0) * self.risks.rms0

    def slope(self, margins):
        return float(np.mean(-self.risks.loss.derivative(margins[1])))


def rotated(risks, sets):
    """Return (ClassRisks, Q) on the row space of the data where it is smaller and no set minds the axes, else None."""
    n = risks.m0 + risks.m1
    if sparse.issparse(risks.rows) or risks.p <= n or sets.l1 is not None or sets.nonnegative:
        return None
    # x'w for the rows, and the norm, see only the part of w in the row space: w = Q v
    q, r = qr(risks.rows.T, mode="economic")
    y = np.repeat([1, 0], [risks.m1, risks.m0])
    return ClassRisks(np.ascontiguousarray(r.T), y, risks.loss, risks.fit_intercept, risks.weights, risks.levels), q


def solve_interior(risks, sets, x, *, tol, max_iter, history):
    """Return (x, multipliers) where Newton steps from a strictly feasible x end.

    Parameters
    ----------
    risks : ClassRisks
        The functions.
    sets : WeightSets
        The sets that hold w.
    x : ndarray, shape (dim,)
        Satisfies all constraints strictly.
    tol : float
        The KKT residual at which the steps end.
    max_iter : int
        Most steps.
    history : RiskHistory
        Gets a row a step.

    Returns
    -------
    x : ndarray, shape (dim,)
    multipliers : tuple (ndarray, float, float)
        Of the risks, the l2 and the l1 ball.
    """
    problem = RiskProblem(risks)
    method = InteriorPoint(problem, sets, x)
    n_risks, share, still, best = risks.levels.size, FINAL, 0, (np.inf,)
    for k in range(max_iter + 1):
        dual, products = method.prepare()
        z0, z1 = method.margins
        known = {"gradient": method.gradient, "risk_gradients": method.risk_gradients}
        own = kkt_residual(
            risks, sets, method.state.x, z0, z1, multipliers=_multipliers(method, sets, n_risks), **known
        )
        if k > 0:
            history.add(z0, z1, certificate=own.largest)
        if not sets.bounded and separates(z0, z1):
            # every margin is above 0: the point proves that there is no minimiser
            break
        if max(float(np.abs(z0).max()), float(np.abs(z1).max())) > RUN_AWAY:
            break
        slope = problem.slope(method.margins)
        least = share * tol * slope / method.n_bounds
        if risks.objective(z1) - risks.loss.infimum <= NOTHING * abs(risks.loss.at_zero):
            break
        # the best multipliers are sought only when the parts of the residual are small, or rounding keeps them from it
        still = still + 1 if method.solved and method.state.mu <= 1.1 * least else 0
        if (dual <= 0.5 * tol and float(products.max()) <= 2.0 * least) or still == 3:
            for found in (own, kkt_residual(risks, sets, method.state.x, z0, z1, **known)):
                if found.largest < best[0]:
                    best = (found.largest, method.state.x, (found.multipliers, found.l2, found.l1))
            if best[0] <= tol or share < LAST:
                break
            # a weight that is nearly 0, and may be, is as far from 0 as the barrier keeps it
            share, least, still = 1e-2 * share, 1e-2 * least, 0
        if k == max_iter:
            break
        method.lower_mu(least)
        if not method.step():
            break
    return best[1:] if np.isfinite(best[0]) else (method.state.x, _multipliers(method, sets, n_risks))


def _multipliers(method, sets, n_risks):
    lam = method.state.lam
    nu2 = float(lam[n_risks]) if sets.l2 is not None else 0.0
    nu1 = float(lam[-1]) if sets.l1 is not None else 0.0
    if sets.l2 is not None:
        # from half the squared norm over the radius to the norm
        nu2 *= float(np.linalg.norm(method.state.x[: method.p])) / sets.l2
    return lam[:n_risks].copy(), nu2, nu1


def snapped(risks, sets, x, multipliers):
    """Return x with weights set to 0 that the optimality conditions hold there, if the constraints still hold."""
    if sets.l1 is None and not sets.nonnegative:
        return x
    z0, z1 = risks.margins0(x), risks.margins1(x)
    problem = RiskProblem(risks)
    gradient, jacobian = problem.gradients((z0, z1))
    lam, nu2, nu1 = multipliers
    w = x[: risks.p]
    total = (gradient + lam @ jacobian)[: risks.p] + nu2 * w / max(float(np.linalg.norm(w)), np.finfo(float).tiny)
    scale = problem.scale((z0, z1), lam)[: risks.p]
    size = np.maximum(risks.rms0, risks.rms1)[: risks.p]
    # the proximal step of `kkt_residual` ends at 0
    step = np.divide(total, scale, out=np.zeros_like(total), where=scale > 0)
    level = np.divide(nu1, scale, out=np.zeros_like(total), where=scale > 0)
    moved = w * size - step
    zero = moved <= level if sets.nonnegative else np.abs(moved) <= level
    candidate = x.copy()
    candidate[: risks.p][zero] = 0.0
    z0 = risks.margins0(candidate)
    if sets.violation(candidate[: risks.p]) > 0:
        return x
    if np.all(risks.risks(z0) <= risks.levels):
        return candidate
    if risks.fit_intercept:
        # the weights that were dropped moved the margins by next to nothing, which the intercept makes up for
        shift = 1e-15 * (1.0 + float(np.abs(z0).max()))
        for _ in range(60):
            if np.all(risks.risks(z0 + shift) <= risks.levels):
                candidate[-1] -= shift
                return candidate
            shift *= 2.0
    return x
