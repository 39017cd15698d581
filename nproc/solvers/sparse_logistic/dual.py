r"""Sparse logistic regression by the active-set method in its dual, for linear models and kernels.

The conjugate h_i of the truncated loss is linear and then an entropy: with the floor f_i and the top
1 / (1 + exp(-f_i)),

.. math:: h_i(\alpha) = \alpha f_i - \log(1 + e^{f_i}) \quad (\alpha \le top_i), \qquad
          \alpha \log \alpha + (1 - \alpha) \log(1 - \alpha) \quad (\alpha \ge top_i).

Its derivative max(f_i, logit(alpha)) is continuous, so that a ray may be followed past the tops.

With signs s and G_ij = s_i s_j K_ij / lambda, the dual is to minimise alpha'G alpha / 2 + sum_i h_i(alpha_i) subject to
s'alpha = 0 and 0 <= alpha_i < 1. Rows of I_0 stay at 0, those of I_h are on the linear part of h_i and those of I_l on
its entropy; a Newton step for I_h and I_l solves the system with the Hessian H = G + D, D = 1 / (alpha_i (1 - alpha_i))
on I_l, bordered by s.

References
----------
Section 3.2 of [herault2008]_, with the bordered system in the place of its formula for gamma, and alpha_i < 1 in (17b).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import entr, expit

from nproc.checks import Matrix, check_count, check_number
from nproc.errors import InvalidInputError
from nproc.losses import TruncatedLikelihood
from nproc.solvers.kernel_cache import KernelRows
from nproc.solvers.kernels import Kernel, make_kernel
from nproc.solvers.sparse_logistic.criterion import FLAT, HINGE, LOGARITHM, SparseLogisticResult, kkt_violations, signs
from nproc.solvers.sparse_logistic.newton import flat_point
from nproc.solvers.sparse_logistic.newton_systems import ColumnSystem, KernelSystem

# the share of the way to 0 or 1, where an entropy is infinitely steep, that a step may go
SHARE_OF_WAY = 0.99
# the largest number below 1
BELOW_ONE = 1.0 - 2.0**-53
# the factor is renewed when an entry of D has changed by more than this share
STALE = 0.25
# a row enters once the active rows' violation is below this share of the worst one of the others
GOOD_ENOUGH = 0.5
# slopes and steps below these shares of their terms are rounding errors
FLAT_SLOPE, NO_STEP = 1e-12, 1e-10
# a null direction along which margins are off their kinks by less than this share of the tolerance is level
FLAT_SHARE = 0.01
SMALLEST_GAIN = 1e-15
# steps without gain, after which the tolerance need not be met more than it has to be, and after which it is given up
FEW, MANY = 10, 100
# smallest alpha of a row that has no kink
TINY = 1e-300
# where a start has no say of a row that must have one
SMALL = 1e-6


def conjugate_slopes(alpha, floor):
    """Return h'(alpha) of each row, the larger of its floor and log(alpha / (1 - alpha))."""
    with np.errstate(divide="ignore"):
        return np.maximum(floor, np.log(alpha) - np.log1p(-alpha))


def conjugate_growth(alpha, moved, floor, top):
    """Return the sum over rows of h(moved) - h(alpha) - h'(alpha)(moved - alpha), at least 0."""
    known = np.where(np.isfinite(floor), floor, 0.0)
    at_kink = np.where(np.isfinite(floor), np.logaddexp(0.0, known), 0.0)

    def h(a):
        return np.where(a > top, -entr(a) - entr(1.0 - a), a * known - at_kink)

    return float(np.sum(h(moved) - h(alpha) - (moved - alpha) * conjugate_slopes(alpha, floor)))


def ray_limits(alpha, d, top, bent):
    """Return (kinks, ends, cap): where rows reach their top, where they reach 0, and how far a step may go.

    Rows that are at their top or at 0 and go on reach it at once; whichever a row does not reach is at infinity.
    `bent` marks rows that count as above their top, the others count as below it. The cap keeps all alpha below 1 and
    those whose top is 0 above 0.
    """
    down, up = d < 0.0, d > 0.0
    kinks, ends = np.full(alpha.size, np.inf), np.full(alpha.size, np.inf)
    towards = (top > 0.0) & np.where(bent, down, up)
    kinks[towards] = (top[towards] - alpha[towards]) / d[towards]
    ends[down] = alpha[down] / -d[down]
    steep = down & (top == 0.0)
    cap = min(np.min(ends[steep], initial=np.inf), np.min((1.0 - alpha[up]) / d[up], initial=np.inf))
    ends[steep] = np.inf
    return kinks, ends, SHARE_OF_WAY * float(cap)


def line_search(slope, curvature, alpha, d, floor, top, most, least_slope):
    """Return a step t in [0, most] that lowers slope t + curvature t^2 / 2 + sum of h(alpha + t d), less its tangent.

    Parameters
    ----------
    slope, curvature : float
        Derivative at t = 0 of the whole, not above 0, and of its quadratic part alone, at least 0.
    alpha, d, floor, top : ndarray
        The rows that move, their direction, floors and tops.
    most : float
        The end of the ray; infinite only where the curvature is above 0.
    least_slope : float
        With slopes no larger than this at both ends the step is `most`: gains would drown in rounding errors.
    """

    def at(t):
        return np.clip(alpha + t * d, 0.0, BELOW_ONE)

    start = conjugate_slopes(alpha, floor)

    def rise(t):
        return slope + t * curvature + float(np.sum(d * (conjugate_slopes(at(t), floor) - start), where=d != 0.0))

    end = rise(most)
    if end <= (least_slope if -slope <= least_slope else 0.0):
        return most
    gain = -(most * slope + 0.5 * most * most * curvature + conjugate_growth(alpha, at(most), floor, top))
    if end <= -0.3 * slope and gain > 0.0:
        return most
    return flat_point(rise, slope, most)


# The steps of the active-set method for the dual of sparse logistic regression.
#


class ActiveSet:
    """The state of the active-set method: alpha, the sets, the factor of the active rows' system.

    A row of I_h that depends on the others of I_h (more of them than columns, or equal rows) would make the system
    singular. It stays out of it, and alpha moves along the null direction, which changes f nowhere, until a row leaves
    I_h.

    Parameters
    ----------
    system : KernelSystem or ColumnSystem
        Solves the bordered systems.
    s, floor : ndarray, shape (n,)
        Signs and floors f_i.
    alpha : ndarray, shape (n,)
        Where to begin: balanced, and above 0 for rows whose floor is -inf. All 0: with one row of each class.
    tol : float
        Largest violation of the optimality conditions.

    Attributes
    ----------
    alpha, f : ndarray, shape (n,)
        Multipliers, and f(x_i) without the constant.
    b : float
        The constant: the multiplier of s'alpha = 0.
    sets : ndarray of int8, shape (n,)
        Where each row is.
    value : float
        The dual criterion, which no step lowers.
    n_iter : int
        Steps.
    objective, n_active : list
        The dual criterion and the number of active rows after each step.
    """

    def __init__(self, system, s, floor, alpha, *, tol):
        self.system, self.s, self.floor, self.alpha, self.tol = system, s, floor, alpha.copy(), tol
        self.top = expit(floor)
        self._at_kink = np.logaddexp(0.0, floor)
        self._unit = np.maximum(1.0, np.abs(np.where(np.isfinite(floor), floor, 1.0)))
        self.sets = np.where(alpha > self.top, LOGARITHM, np.where(alpha > 0.0, HINGE, FLAT)).astype(np.int8)
        if not np.any(alpha):
            self.sets[[np.flatnonzero(s > 0)[0], np.flatnonzero(s < 0)[0]]] = HINGE
        self.n_iter, self.b = 0, 0.0
        self.objective, self.n_active = [], []
        # rows that should enter the system; rows at their top, held there because the rows of I_h hold their margin
        self._waiting, self._held = [], []
        self._idle, self._moved = 0, True
        self._restart(np.flatnonzero(self.sets != FLAT))
        self.refresh()

    def solve(self, max_iter, violation, callback=None):
        """Make steps until the conditions hold; return why it ended.

        `violation` is called without arguments where they seem to hold, and returns the largest one.
        """
        within = np.inf
        while True:
            if self.n_iter >= max_iter:
                return f"max_iter={max_iter} steps were made."
            active = self.system.active
            if self._idle > MANY + 2 * active.size:
                return "rounding errors allow no further progress."
            if self._waiting:
                self._admit(self._waiting.pop())
                continue
            used, now = self.system.stiffness, self._stiffness(active)
            if np.any(np.abs(now - used) > STALE * used):
                self._restart(active)
                continue
            s, alpha = self.s[active], self.alpha[active]
            g = s * self.f[active] + conjugate_slopes(alpha, self.floor[active])
            d, self.b = self.system.direction(-g, -float(self.s @ self.alpha))
            stuck = self._idle > FEW
            if self._moved and (stuck or self._inside(active) <= within):
                self.refresh()
                inside, flat = self._inside(active), np.flatnonzero(self.sets == FLAT)
                past = (-self.s * (self.f + self.b) - self.floor)[flat] / self._unit[flat]
                worst = float(np.max(past, initial=0.0))
                if callback is not None:
                    callback(self.n_iter, max(inside, worst), active.size)
                if worst <= self.tol and (stuck or inside <= self.tol) and violation() <= self.tol:
                    self._record()
                    return "the optimality conditions hold."
                within = max(GOOD_ENOUGH * worst, 0.5 * self.tol if worst > self.tol else 0.1 * inside)
                if worst > self.tol and inside <= within:
                    row = int(flat[np.argsort(-past)[0]])
                    self.sets[row] = HINGE
                    # no row enters twice without a step
                    self._moved = False
                    self._waiting.append(row)
                    continue
            image = self.system.image(d)
            self._move(active, d, float((g + self.b * s) @ d), float(image @ d), 1.0, s * image, True)

    def refresh(self):
        """Compute f and the dual criterion anew from alpha."""
        self.f = self.system.decision(self.alpha)
        used = np.flatnonzero(self.alpha)
        a, stiff = self.alpha[used], self.sets[used] == LOGARITHM
        self.value = float(
            np.sum(self._at_kink)
            - np.sum(self._at_kink[used[stiff]])
            + np.sum(entr(a[stiff]) + entr(1.0 - a[stiff]))
            - np.sum(a[~stiff] * self.floor[used[~stiff]])
            - 0.5 * np.sum(a * self.s[used] * self.f[used])
        )

    def _record(self):
        self.objective.append(self.value)
        self.n_active.append(int(self.system.active.size))

    def _stiffness(self, idx):
        a, stiff = self.alpha[idx], self.sets[idx] == LOGARITHM
        values = np.zeros(np.size(idx))
        values[stiff] = 1.0 / (a[stiff] * (1.0 - a[stiff]))
        return values

    def _restart(self, idx):
        self._waiting.extend(self.system.restart(idx, self._stiffness(idx)))

    def _inside(self, active):
        """Return the largest violation of (12) by the active rows, of a margin on I_h and of a share of alpha on I_l.

        A share, for where all alpha are tiny the certificate is met long before the criterion has its least value.
        """
        z, stiff = self.s[active] * (self.f[active] + self.b), self.sets[active] == LOGARITHM
        hinge = np.abs(-z - self.floor[active])[~stiff] / self._unit[active][~stiff]
        alpha = self.alpha[active][stiff]
        share = np.abs(alpha - expit(-z[stiff])) / alpha
        return float(max(np.max(hinge, initial=0.0), np.max(share, initial=0.0)))

    def _admit(self, i):
        """Let row `i` of I_h into the system, or where it depends on others move along the null direction."""
        if self.system.enter(i, 0.0):
            self._held = []
            return
        self.refresh()
        d, curvature = self.system.null_direction(i)
        d = np.append(d, 1.0)
        d[np.abs(d) <= FLAT_SLOPE * np.max(np.abs(d))] = 0.0
        idx = np.append(self.system.active, i)
        margin, bend = self.s[idx] * self.f[idx], conjugate_slopes(self.alpha[idx], self.floor[idx])
        slope = float((margin + bend) @ d)
        size = FLAT_SLOPE * (np.abs(margin) + np.abs(bend)) + FLAT_SHARE * self.tol * self._unit[idx]
        level = abs(slope) <= float(size @ np.abs(d))
        if level and self.alpha[i] == self.top[i]:
            # the rows of I_h hold its margin at the kink: there is nothing to gain on the linear part
            self._to_logarithm(i)
            self._held.append(i)
            return
        if slope > 0.0 or level:
            d, slope = -d, 0.0 if level else -slope
        if self.alpha[i] == 0.0 and d[-1] < 0.0:
            self.sets[i] = FLAT
            return
        self._waiting.append(i)
        # on a level direction the entropies beyond the kinks would only cost
        changed = self._move(idx, d, slope, 0.0 if level else max(0.0, curvature), np.inf, None, not level)
        self.refresh()
        if not changed:
            # the direction was bent after all
            self._waiting.remove(i)
            self.system.enter(i, 0.0, forced=True)

    def _move(self, idx, d, slope, curvature, most, image, past_kinks):
        """Move alpha of the rows `idx` along `d` and f by `image`; return whether a row changed its set."""
        alpha, top, stiff = self.alpha[idx], self.top[idx], self.sets[idx] == LOGARITHM
        # rounding errors must not block a row at its bound, nor what is held be moved
        still = (alpha == top) | (alpha == 0.0)
        still &= (np.abs(d) <= NO_STEP * np.max(np.abs(d))) | ((d < 0.0) & np.isin(idx, self._held))
        d = np.where(still, 0.0, d)
        kinks, ends, cap = ray_limits(alpha, d, top, stiff)
        first = float(min(np.min(ends, initial=np.inf), np.inf if past_kinks else np.min(kinks, initial=np.inf)))
        least_slope = SMALLEST_GAIN * 100.0 * (1.0 + abs(self.value))
        t = line_search(slope, curvature, alpha, d, self.floor[idx], top, min(most, first, cap), least_slope)
        moved = np.clip(alpha + t * d, 0.0, BELOW_ONE)
        gain = -(t * slope + 0.5 * t * t * curvature + conjugate_growth(alpha, moved, self.floor[idx], top))
        crossed = kinks <= t
        reached = np.flatnonzero(crossed | (ends <= t))
        if reached.size and (t == 0.0 or not past_kinks):
            # one at a time: the row with the smallest number, so that nothing goes round in a circle
            reached = reached[[np.argmin(idx[reached])]]
        moved[ends <= t] = 0.0
        if past_kinks:
            moved[crossed] = np.where(stiff, np.minimum(moved, top), np.maximum(moved, top))[crossed]
        else:
            moved[crossed] = top[crossed]
        moved[~crossed] = np.where(stiff, np.maximum(moved, np.maximum(top, TINY)), np.minimum(moved, top))[~crossed]
        self.alpha[idx] = moved
        if image is not None:
            self.f[idx] += t * image
        self.value += gain
        self._idle = 0 if gain > SMALLEST_GAIN * abs(self.value) else self._idle + 1
        self._moved = self._moved or t > 0.0
        self.n_iter += 1
        self._record()
        for i in idx[reached]:
            self._change(int(i))
        return reached.size > 0

    def _change(self, i):
        """Move row `i` to the set that its alpha asks for."""
        inside = bool(np.any(self.system.active == i))
        if self.sets[i] == LOGARITHM:
            self.sets[i] = HINGE
            self.system.leave(i)
            self._waiting.append(i)
            return
        self._held = []
        if not inside:
            self._waiting.remove(i)
        if self.alpha[i] == 0.0:
            self.sets[i] = FLAT
            if inside:
                self.system.leave(i)
        elif inside:
            self.sets[i] = LOGARITHM
            self.system.stiffen(i, float(self._stiffness(np.array([i]))[0]))
        else:
            self._to_logarithm(i)

    def _to_logarithm(self, i):
        self.sets[i] = LOGARITHM
        self.system.enter(i, float(self._stiffness(np.array([i]))[0]))


def solve_sparse_logistic_dual(
    X: Matrix,
    y: NDArray[np.float64],
    *,
    p_min: float = 0.0,
    p_max: float = 1.0,
    lam: float = 1.0,
    kernel: Literal["linear", "rbf", "poly", "precomputed"] | Callable[..., Any] | Kernel = "linear",
    start: NDArray[np.float64] | None = None,
    tol: float = 1e-9,
    max_iter: int | None = None,
    cache_size: float = 200.0,
    callback: Callable[..., Any] | None = None,
) -> SparseLogisticResult:
    r"""Return sparse logistic regression by the active-set method for its dual.

    With signs s and the floors f_i of `TruncatedLikelihood` it minimises

    .. math:: \sum_i \log\bigl(1 + e^{\max(-s_i (f(x_i) + b), f_i)}\bigr) + \frac{\lambda}{2} \|f\|^2

    over :math:`f = \frac{1}{\lambda} \sum_i \alpha_i s_i K(\cdot, x_i)` and b, through the dual: with
    :math:`G_{ij} = s_i s_j K_{ij} / \lambda` minimise

    .. math:: \tfrac12 \alpha' G \alpha + \sum_{I_\ell} \bigl[\alpha_i \log \alpha_i
              + (1 - \alpha_i) \log(1 - \alpha_i)\bigr] + \sum_{I_h} \alpha_i f_i, \qquad s'\alpha = 0,

    with alpha = 0 on I_0, :math:`0 \le \alpha_i \le 1 / (1 + e^{-f_i})` on I_h and
    :math:`1 / (1 + e^{-f_i}) \le \alpha_i < 1` on I_l. Each step solves the Newton system of the rows of I_h and I_l,
    bordered by s'alpha = 0, whose multiplier is b; it is cut where alpha reaches 0, and rows whose alpha passes
    :math:`1 / (1 + e^{-f_i})` change between I_h and I_l. (A step goes on past such rows to where the dual is best on
    its ray; the paper's ends at the first of them, which takes about a quarter more steps.) When the active rows are
    at their optimum, the row of I_0 with the largest :math:`-s_i (f(x_i) + b) - f_i > 0` enters. Rows that are right
    beyond the interval never cost anything: this is fast where few rows have a say.

    Parameters
    ----------
    X : ndarray or CSR matrix, shape (n, p), or (n, n) for a precomputed kernel
        Training rows.
    y : array, shape (n,)
        Labels 0 and 1, both present.
    p_min, p_max : float
        The interval of probabilities of class 1 that matters, 0 <= p_min < p_max <= 1.
    lam : float
        lambda, above 0.
    kernel : {'linear', 'rbf', 'poly', 'precomputed'}, callable or Kernel
        See `make_kernel`, which gives a `Kernel` with other parameters.
    start : ndarray of shape (n,) or SparseLogisticResult, optional
        Multipliers alpha to begin with, moved to s'alpha = 0, for example those for another lambda or interval. By
        default alpha = 0 and one row of each class in I_h, except for rows that have no kink.
    tol : float
        Largest violation of the optimality conditions.
    max_iter : int, optional
        Most steps; the larger of 1,000 and 20 n by default.
    cache_size : float
        Room for kernel rows in MB.
    callback : callable, optional
        ``callback(n_iter, violation, n_active)`` is called before a row enters.

    Returns
    -------
    SparseLogisticResult
        `coef` is w of shape (p,) for a linear kernel, otherwise s_i alpha_i / lambda. `objective` is the dual
        criterion after each step: it never falls, is a lower bound on the criterion, and equal to it at the optimum;
        ``history["active"]`` counts the rows of I_h and I_l. The certificate is the largest violation of (12), (13) and
        (17), see `KKTViolations`.

    Raises
    ------
    InvalidInputError
        Where an argument breaks its rule; if only one class is present.

    See Also
    --------
    nproc.solvers.solve_sparse_logistic_primal : Newton's method for linear models.

    Notes
    -----
    With (p_min, p_max) = (0, 1) all rows are in I_l, and this is kernel logistic regression by Newton's method.

    The solution (f, b) is unique: some alpha_i is above 0 in each class, and its margin is known from alpha. alpha
    itself is not unique where rows of I_h depend on each other.

    With m active rows a step costs O(m^2), rows that enter or leave included, since the Cholesky factor is updated; it
    is computed anew, O(m^3 / 3), when the Hessian's diagonal has changed by a quarter. f(x_i) of all rows, O(n m), is
    needed before a row enters. A linear kernel with fewer than half as many columns as rows is solved in the space of
    the columns: O(m p) a step, O(m p^2) where the factor is renewed, O(n p) before a row enters.

    References
    ----------
    Section 3.2 and equations (6), (11) to (18) of [herault2008]_.

    Examples
    --------
    >>> X = np.array([[-3.0], [-2.0], [-1.0], [0.5], [-0.5], [1.0], [2.0], [3.0]])
    >>> y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> found = solve_sparse_logistic_dual(X, y, p_min=0.3, p_max=0.7, lam=0.1)
    >>> found.converged, found.support
    (True, array([2, 3, 4, 5]))
    >>> bool(abs(found.alpha[y == 1].sum() - found.alpha[y == 0].sum()) < 1e-12)
    True
    """
    y = np.asarray(y)
    check_number(lam, "lam")
    check_number(tol, "tol")
    loss = TruncatedLikelihood(p_min=p_min, p_max=p_max)
    system, columns, centre = _system(X, y, lam, kernel, cache_size)
    max_iter = max(1000, 20 * y.size) if max_iter is None else check_count(max_iter, "max_iter")
    alpha = _start(start, y, loss)
    steps = ActiveSet(system, signs(y), loss.floor(y), alpha, tol=float(tol))

    def violations():
        return kkt_violations(steps.alpha, steps.f + steps.b, y, steps.sets, loss)

    reason = steps.solve(max_iter, lambda: violations().largest, callback)
    steps.refresh()
    found = violations()
    if found.largest <= tol:
        reason = f"the optimality conditions hold to tol={tol:g}."
    coef, intercept = signs(y) * steps.alpha / lam, float(steps.b)
    if columns is not None:
        coef = np.asarray(columns.T @ coef, dtype=np.float64)
        intercept -= float(centre @ coef)
    return SparseLogisticResult(
        coef=coef,
        intercept=intercept,
        objective=np.array(steps.objective),
        n_iter=steps.n_iter,
        converged=found.largest <= tol,
        certificate=found.largest,
        reason=reason,
        alpha=steps.alpha,
        decision=steps.f + steps.b,
        sets=steps.sets,
        violations=found,
        history={"active": np.array(steps.n_active)},
    )


def _system(X, y, lam, kernel, cache_size):
    """Return (system, columns, centre): the columns of a linear kernel and what was taken off them, else None twice."""
    kernel, n = make_kernel(kernel), X.shape[0]
    if y.shape != (n,) or not np.isin(y, (0, 1)).all():
        raise InvalidInputError(f"y must hold one label, 0 or 1, for each of the {n} rows.")
    if np.all(y == y[0]):
        raise InvalidInputError(f"y must hold both classes, got {y[0]} only; the constant would have no optimum.")
    if kernel.name != "linear":
        return KernelSystem(KernelRows(kernel, X, cache_size=cache_size), signs(y), lam), None, None
    # the constant is free, so that columns may be centred: fewer digits are lost
    centre = np.zeros(X.shape[1]) if sparse.issparse(X) else X.mean(axis=0)
    columns = X if sparse.issparse(X) else X - centre
    if 2 * X.shape[1] < n:
        return ColumnSystem(columns, signs(y), lam), columns, centre
    return KernelSystem(KernelRows(kernel, columns, cache_size=cache_size), signs(y), lam), columns, centre


def _start(start, y, loss):
    """Return alpha to begin with: balanced, and above 0 where there is no kink."""
    classes, floors = [y == 0, y == 1], loss.floors
    given = start.alpha if isinstance(start, SparseLogisticResult) else start
    alpha = np.zeros(y.size) if given is None else np.array(given, dtype=np.float64)
    if alpha.shape != y.shape or not np.all((alpha >= 0.0) & (alpha < 1.0)):
        raise InvalidInputError(f"start must hold a number of at least 0 and below 1 for each of the {y.size} rows.")
    kinked = np.isfinite(floors)
    if not np.any(alpha) and not np.any(kinked):
        # f = 0 and the constant alone
        for label in (0, 1):
            alpha[classes[label]] = np.mean(classes[1 - label])
        return alpha
    if not np.any(alpha) and np.all(kinked):
        return alpha
    for label in (0, 1):
        if not kinked[label]:
            alpha[classes[label]] = np.maximum(alpha[classes[label]], SMALL)
        elif not np.any(alpha[classes[label]]):
            # one row has to stand against the other class
            alpha[np.flatnonzero(classes[label])[0]] = 0.5 * float(expit(floors[label]))
    totals = [float(np.sum(alpha[rows])) for rows in classes]
    for label in (0, 1):
        alpha[classes[label]] *= min(1.0, totals[1 - label] / totals[label])
    return alpha
