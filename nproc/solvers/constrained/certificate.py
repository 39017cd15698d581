"""The certificate of the constrained problem, whether it has a minimiser, and the result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.lapack import dpotrf
from scipy.optimize import linprog, nnls

from nproc.solvers.result import SolverResult

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
        found = _least_residual(columns, gradient, floor, _smooth_coordinates(risks, sets, w))
        lam = np.zeros(n_risks)
        lam[near] = found[: int(near.sum())]
        nu2 = float(found[int(near.sum())]) if use2 else 0.0
        nu1 = float(found[-1]) if use1 else 0.0
    else:
        lam, nu2, nu1 = multipliers
    total = gradient + lam @ risk_gradients + nu2 * normal2
    scale = base + (lam @ size0) * risks.spread0
    stationarity = float(np.max(_distance_from_stationary(risks, sets, w, total, scale, nu1)))
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


def _smooth_coordinates(risks, sets, w):
    """Return the coordinates where the Lagrangian is smooth: all but those at 0 under signs or an l1 norm."""
    free = np.ones(risks.dim, dtype=bool)
    if sets.nonnegative or sets.l1 is not None:
        size = np.abs(w) * np.maximum(risks.spread0, risks.spread1)[: risks.p]
        free[: risks.p] = size > AT_ZERO * size.max()
    return free


def _least_residual(columns, gradient, scale, free):
    """Return the nonnegative weights of the normals that come nearest to minus the gradient."""
    if not columns or not free.any():
        # without an equation scipy's nnls returns what its memory held before
        return np.zeros(len(columns))
    matrix = (np.array(columns) / scale)[:, free].T
    lengths = np.linalg.norm(matrix, axis=0)
    lengths[lengths == 0] = 1.0
    return nnls(matrix / lengths, -(gradient / scale)[free])[0] / lengths


def _distance_from_stationary(risks, sets, w, total, scale, nu1):
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


# Whether the infimum of the constrained problem is attained: directions along which it falls for ever.
#
# Each loss falls strictly and grows at most linearly, so that d is a direction of recession of a class mean if and only
# if no margin falls along it. Without a ball on the weights the problem has
#
# - no minimiser, if along some d all margins stay or grow and some margin of class 1 grows (the classes are separated
#   by a linear rule, but perhaps for ties): from every feasible point the objective falls strictly;
# - no minimiser with an active constraint, if along some d no margin of class 1 changes and some margin of class 0
#   grows: the same objective could be had with a constraint that is slack;
# - a minimiser, if along every such d no margin changes at all (Theorem 27.3 of Rockafellar, Convex Analysis, 1970).


# a direction counts when its margins, with columns of unit mean square and entries of at most 1, grow by this much
LEAST_GROWTH = 1e-6
# a row with a steeper slope than this is not on its way to infinity
STEEP = 0.01
# entries of a linear program over all rows
MOST_NUMBERS = 200_000
# margins this close to 0 beside the largest have no sign
NO_SIGN = 1e-9
# eigenvalues this small beside the largest are 0
RANK = 1e-11
# pivots of a Cholesky factor above this, beside a largest of 1, save the eigenvalues
CLEARLY_REGULAR = 1e-4


def separates(z0, z1):
    """Return whether all margins are above 0, so that the point itself is a direction of recession."""
    least = min(float(z0.min()), float(z1.min()))
    return least > NO_SIGN * max(float(z0.max()), float(z1.max()))


def why_no_minimiser(risks, sets, z0, z1, active, settled):
    """Return why the problem has no minimiser, as far as the point where a solver stopped lets one tell; or "".

    Parameters
    ----------
    risks : ClassRisks
        The functions.
    sets : WeightSets
        The sets that hold w.
    z0, z1 : ndarray
        Margins where the solver stopped. Rows with steep slopes there are taken to have margins that stay bounded.
    active : bool
        Whether a constraint on a risk would be active at a minimiser.
    settled : bool
        Whether the solver has converged. If not, slopes tell nothing, and all rows enter the linear program, where they
        are not too many.

    Returns
    -------
    str
        "complete separation", "separation but for ties" ("separation, perhaps but for ties" where all rows are too many
        to tell), "a constraint active in the limit only", or "".
    """
    if sets.bounded:
        # with the weights in a ball only the intercept could go on, and one of the classes stops it
        return ""
    if separates(z0, z1):
        return "complete separation"
    steep0, steep1 = -risks.loss.derivative(z0) > STEEP, -risks.loss.derivative(z1) > STEEP
    if not settled and (risks.m0 + risks.m1) * risks.dim <= MOST_NUMBERS:
        steep0[:], steep1[:] = False, False
    if steep0.all() and steep1.all():
        return ""
    scale = np.maximum(risks.rms0, risks.rms1)
    scale = np.where(scale > 0, scale, 1.0)
    basis = _null_space(risks, np.concatenate([steep1, steep0]), scale)
    if basis is None:
        return ""
    growth1 = np.array([risks.margins1(column / scale) for column in basis.T]).T
    growth0 = np.array([risks.margins0(column / scale) for column in basis.T]).T
    signs = basis[: risks.p] if sets.nonnegative else None
    if _mean_can_grow(growth1, growth0[~steep0], growth1[~steep1], basis, signs):
        return _kind_of_separation(risks, scale, sets.nonnegative)
    if active and _mean_can_grow(growth0, growth0[~steep0], growth1, basis, signs, still=True):
        return "a constraint active in the limit only"
    return ""


def _null_space(risks, chosen, scale):
    """Return a basis of the directions, in scaled coordinates, along which the chosen rows do not change; or None."""
    gram = risks.hessian(chosen.astype(np.float64), np.zeros((0, risks.dim)))
    gram = np.tril(gram) / np.outer(scale, scale)
    size = max(float(np.diagonal(gram).max()), np.finfo(np.float64).tiny)
    factor, failed = dpotrf(gram / size, lower=1)
    if not failed and float(np.diagonal(factor).min()) > CLEARLY_REGULAR:
        return None
    values, vectors = eigh(gram, lower=True)
    small = values <= RANK * max(float(values[-1]), 1.0)
    return vectors[:, small] if small.any() else None


def _kind_of_separation(risks, scale, nonnegative):
    """Return which separation it is: whether all margins can grow at once, those of the steep rows among them."""
    if (risks.m0 + risks.m1) * risks.dim > MOST_NUMBERS:
        return "separation, perhaps but for ties"
    units = np.diag(1.0 / scale)
    growth = np.vstack([np.array([margins(unit) for unit in units]).T for margins in (risks.margins0, risks.margins1)])
    # the largest t so that every margin grows by t or more
    found = linprog(
        np.append(np.zeros(risks.dim), -1.0),
        A_ub=np.column_stack([-growth, np.ones(growth.shape[0])]),
        b_ub=np.zeros(growth.shape[0]),
        bounds=[(0.0 if nonnegative and j < risks.p else -1.0, 1.0) for j in range(risks.dim)] + [(0.0, 1.0)],
        method="highs",
    )
    complete = found.x is not None and found.x[-1] > LEAST_GROWTH
    return "complete separation" if complete else "separation but for ties"


def _mean_can_grow(target, growth0, growth1, basis, signs, still=False):
    """Return whether some direction makes the mean of `target` grow while no margin falls, by a linear program."""
    falling = [-growth0] if still else [-growth0, -growth1]
    rows = np.unique(np.vstack([*falling, *([] if signs is None else [-signs])]), axis=0)
    largest = np.abs(basis).sum(axis=1).max()
    found = linprog(
        -target.mean(axis=0) / largest,
        A_ub=rows,
        b_ub=np.zeros(rows.shape[0]),
        A_eq=growth1 if still else None,
        b_eq=np.zeros(growth1.shape[0]) if still else None,
        bounds=(-1, 1),
        method="highs",
    )
    return found.x is not None and float(target.mean(axis=0) @ found.x) / largest > LEAST_GROWTH


# excess of a risk over its level, relative to the level (at least 1), that is rounding
ROUNDING = 1e-12
# a mean loss of class 1 this small beside phi(0) is given up. Losses and slopes keep their relative precision, so that
# there is an optimum to be found far below 1e-16
NOTHING = 1e-60
ADVICE = "Bound the norm of the weights (L2Ball or L1Ball)."


@dataclass(frozen=True, kw_only=True, repr=False)
class ConstrainedNPResult(SolverResult):
    """The solution of the constrained problem, or why there is none.

    Attributes
    ----------
    coef : ndarray, shape (p,)
        The weights w.
    intercept : float
        The constant b; 0 without an intercept.
    objective : ndarray, shape (n_iter,)
        Mean loss of class 1 after each iteration.
    n_iter : int
        Iterations.
    converged : bool
        Whether the constraints hold and the certificate is at most `tol`.
    certificate : float
        The KKT residual (see `kkt_residual`), 0 at a solution.
    reason : str
        In words, why the solver stopped. It begins with "no minimiser" where the infimum is not attained, and with
        "infeasible" where it is proved that the constraints cannot be met, "undecided" where no point was found and no
        proof either; `coef` then is no solution.
    history : dict of str to ndarray
        ``objective`` and ``risk2`` (mean loss of class 1), ``risk1`` (mean loss of class 0), ``type1`` and ``type2``
        (share of errors of the rule f(x) > 0), ``certificate`` (after each Newton step, in the coordinates and with the
        multipliers of the method; after every tenth gradient step, and NaN between them). The last certificate is that
        of the point returned.
    multiplier : float
        Of the bound on the mean loss of class 0.
    multipliers : dict
        ``type1``, ``groups`` (ndarray), ``l2`` and ``l1`` (of ||w|| <= radius).
    risks : dict
        ``type1``, ``type2`` and ``groups``: the mean losses at the solution.
    lower_bound : float
        Where infeasible, proved lower bound on the largest excess of a class 0 risk over its bound, whatever the
        weights within the sets (and, where no ball holds them, within a ball beyond which no number has a meaning);
        above 0 it is the proof. NaN otherwise.
    variant : str
        The method that ran.
    n_inner : int
        Inner steps altogether (Newton steps have none).
    """

    multiplier: float
    multipliers: dict
    risks: dict
    lower_bound: float
    variant: str
    n_inner: int


def constrained_result(
    risks, sets, x, *, tol, history, variant, multipliers=None, infeasible="", lower_bound=np.nan, n_inner=0
):
    """Return the `ConstrainedNPResult` of the point where a method stopped: certificate, and whether it is a solution.

    A method that has `multipliers` of its own (of the risks, the l2 and the l1 ball) gives them: the certificate is the
    smaller of those with them and with the best ones. `infeasible` says why the constraints cannot be met, and
    `lower_bound` is the bound that proves it.
    """
    z0, z1 = risks.margins0(x), risks.margins1(x)
    residual = kkt_residual(risks, sets, x, z0, z1)
    if multipliers is not None:
        given = kkt_residual(risks, sets, x, z0, z1, multipliers=multipliers)
        residual = given if given.largest <= residual.largest else residual
    values = risks.risks(z0)
    slack = risks.levels - values
    feasible = bool(np.all(slack >= -ROUNDING * np.maximum(1.0, np.abs(risks.levels))))
    reason, converged = infeasible, False
    if not reason:
        # the mean loss of class 1 alone falls for ever as an intercept grows
        active = risks.fit_intercept or bool(np.any(slack <= NEARLY_ACTIVE * np.maximum(1.0, np.abs(risks.levels))))
        missing = why_no_minimiser(risks, sets, z0, z1, active, settled=residual.largest <= tol)
        converged = feasible and residual.largest <= tol and not missing
        if missing:
            reason = f"no minimiser: {missing}. {ADVICE}"
        elif converged:
            reason = "the constraints hold and the KKT residual is at most tol"
        elif risks.objective(z1) - risks.loss.infimum <= NOTHING * abs(risks.loss.at_zero):
            reason = (
                f"the mean loss of class 1 is {risks.objective(z1):.1g}: the ball is far larger than needed to "
                "separate the classes. Take a smaller radius"
            )
        elif residual.largest > tol:
            reason = f"the KKT residual is {residual.largest:.3g}, above tol = {tol:g}"
        else:
            reason = f"a mean loss of class 0 is {-slack.min():.3g} above its bound"
    arrays = history.arrays()
    # the end of the column is read for what was reached
    arrays["certificate"][-1:] = residual.largest
    return ConstrainedNPResult(
        coef=x[: risks.p].copy(),
        intercept=float(x[risks.p]) if risks.fit_intercept else 0.0,
        objective=arrays["objective"],
        n_iter=history.n_iter,
        converged=converged,
        certificate=float(residual.largest),
        reason=reason,
        history=arrays,
        multiplier=float(residual.multipliers[0]),
        multipliers={
            "type1": float(residual.multipliers[0]),
            "groups": residual.multipliers[1:].copy(),
            "l2": residual.l2,
            "l1": residual.l1,
        },
        risks={"type1": float(values[0]), "type2": risks.objective(z1), "groups": values[1:].copy()},
        lower_bound=float(lower_bound),
        variant=variant,
        n_inner=n_inner,
    )
