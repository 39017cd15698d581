r"""What the algorithms of the Neyman-Pearson SVM share: the constraint, its multiplier, when to stop, and the result.

The problem (6) of [gasso2011]_ is divided by its C, so that the multiplier has a unit that can be read: with C the
cost of one class 1 row (the paper's C is C n_1),

.. math:: \min_f \frac{1}{2 C n_1} \|f\|^2 + P_{nd}(f) \quad\text{subject to}\quad P_{fa}(f) \le \ell(f),

with :math:`\ell = \alpha` (Neyman-Pearson), or :math:`\ell = q' (1 - P_{nd}(f))`, :math:`q' = q n_1 / n_0` (q-value:
of the rows called class 1, the class 0 ones are at most q times the class 1 ones, counted). Its multiplier
:math:`\lambda` is the type II error paid for a unit of type I error; the paper's is :math:`C n_1 \lambda`.

References
----------
Equations (6), (7), (13) and Algorithms 1 and 3 of [gasso2011]_.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nproc.solvers.npsvm.nonconvex_svm import CircleDetector, changed_share, half_squared_norm
from nproc.solvers.result import SolverResult

# one step of the multiplier at most doubles or halves it
LARGEST_FACTOR = 2.0
# the gain is halved when the excess changes sign, and grows, up to a cap, while it keeps its sign and hardly shrinks;
# the growth itself shrinks with each change of sign, or it could keep up a swing for ever
GAIN_GROWTH, GROWTH_DAMPING, GAIN_DAMPING, HARDLY = 0.3, 0.9, 0.5, 0.9
LARGEST_GROWTH = 10.0
# as in the stochastic solver: no error of one kind is worth so many of the other, and a cost must stay finite
LARGEST_MULTIPLIER = 1e8
# what has crossed the limit so often, and with smaller and smaller steps, is a jump
MOST_SIGN_CHANGES = 25
# a count of rows is a whole number up to rounding
ROUNDING = 1e-9


@dataclass(frozen=True)
class Rates:
    """Errors of both kinds on the training rows: `type1` and `type2` in the rate of the constraint, and both rates."""

    type1: float
    type2: float
    ramp1: float
    ramp2: float
    error1: float
    error2: float


@dataclass(frozen=True)
class RateConstraint:
    """An upper bound on the type I error, fixed or in proportion to the power.

    Parameters
    ----------
    level : float
        alpha, or q, in (0, 1).
    n0, n1 : int
        Rows of each class.
    eta : float
        Half width of the ramp.
    rate : {'ramp', '0-1'}
        Which rate is bounded.
    eps : float
        Tolerance, in the unit of a rate.
    of_discoveries : bool
        The bound is q n1 / n0 (1 - type II error), not alpha.
    """

    level: float
    n0: int
    n1: int
    eta: float
    rate: str
    eps: float
    of_discoveries: bool = False

    @property
    def slope(self):
        """q' = q n1 / n0 for q-values, 0 for the Neyman-Pearson constraint: how the bound rises with the power."""
        return self.level * self.n1 / self.n0 if self.of_discoveries else 0.0

    @property
    def bounded(self):
        """What is bounded, in words: the mean ramp is not the share of wrong rows."""
        return "mean ramp loss of class 0" if self.rate == "ramp" else "type I error"

    def measure(self, decision, y):
        """Return the `Rates` of scores of the training rows; a score above 0 calls a row class 1."""
        score0, score1 = decision[y == 0], decision[y == 1]
        ramp1 = float(np.clip((self.eta + score0) / (2 * self.eta), 0.0, 1.0).mean())
        ramp2 = float(np.clip((self.eta - score1) / (2 * self.eta), 0.0, 1.0).mean())
        error1, error2 = float((score0 > 0).mean()), float((score1 <= 0).mean())
        type1, type2 = (ramp1, ramp2) if self.rate == "ramp" else (error1, error2)
        return Rates(type1, type2, ramp1, ramp2, error1, error2)

    def iterate(self, solution, beta_before, beta, y, C, lam, n_solves=1):
        """Return the `Iterate` of a convex problem's solution at multiplier `lam`."""
        penalty = half_squared_norm(solution) / (C * self.n1)
        rates = self.measure(solution.decision, y)
        return Iterate(solution, beta_before, beta, lam, penalty, rates, n_solves)

    def limit(self, rates):
        """Return what the type I error may be at most; for the 0-1 rate, a whole number of rows."""
        return self.limit_at(rates.type2)

    def limit_at(self, type2):
        limit = self.slope * (1.0 - type2) if self.of_discoveries else self.level
        return limit if self.rate == "ramp" else math.floor(limit * self.n0 + ROUNDING) / self.n0

    def excess(self, rates):
        """Return type I error minus limit, the derivative of the Lagrangian in the multiplier."""
        return rates.type1 - self.limit(rates)

    def relative_excess(self, rates):
        """Return the excess in units of the limit: free of the scale of alpha."""
        if self.discovers_nothing(rates):
            # which meets the constraint and helps nobody: the multiplier is too large
            return -1.0
        return self.excess(rates) / max(self.limit(rates), 1.0 / self.n0)

    def is_met(self, rates, lam):
        """Return whether excess <= eps and lam max(0, -excess) <= eps."""
        met = self.violation(rates) <= self.eps and self.slackness(rates, lam) <= self.eps
        return met and not self.discovers_nothing(rates)

    def discovers_nothing(self, rates):
        """Return whether a q-value is bounded and no class 1 row scores above 0, whatever the ramp counts in part."""
        return self.of_discoveries and rates.error2 >= 1.0

    def violation(self, rates):
        """Return max(0, excess)."""
        return max(0.0, self.excess(rates))

    def slackness(self, rates, lam):
        """Return lam max(0, -excess): zero if the multiplier or the room below the limit is."""
        return lam * max(0.0, -self.excess(rates))

    def costs(self, y, C, lam):
        """Return the cost of each row, shape (n,), at multiplier `lam`: those of (7) or (13), with C a class 1 row."""
        return np.where(y == 1, C * (1.0 + lam * self.slope), C * lam * self.n1 / self.n0)

    def lagrangian(self, penalty, rates, lam):
        """Return (7) or (13) over the paper's C, with ramp losses; `penalty` is 1/(2 C n1) ||f||^2."""
        bound = self.slope * (1.0 - rates.ramp2) if self.of_discoveries else self.level
        return penalty + rates.ramp2 + lam * (rates.ramp1 - bound)


def made_constraint(
    y: NDArray[np.int64],
    level: float,
    *,
    eta: float = 1.0,
    rate: str = "ramp",
    eps: float | None = None,
    of_discoveries: bool = False,
) -> RateConstraint:
    """Make the constraint that `solve_uzawa` and `solve_annealed` take, from training labels.

    Parameters
    ----------
    y : ndarray of int, shape (n,)
        Labels 0 and 1.
    level : float
        Bound on the rate: alpha, or q' with `of_discoveries`.
    eta : float
        Parameter of the ramp loss, above 0.
    rate : {'ramp', '0-1'}
        Whether the multiplier follows the mean ramp loss of class 0 or its error rate.
    eps : float, optional
        How near the rate must come to the level. None is a twentieth of the level (for q-values, a twentieth of q'
        times 1/10: the power is often small). The 0-1 rate of n_0 rows moves in steps of 1/n_0, so it is raised to
        1/(2 n_0), which tells any two steps apart.
    of_discoveries : bool
        Bound the share of class 0 among the rows called class 1, instead of the share of class 0 that is called so.

    Returns
    -------
    RateConstraint
    """
    n0, n1 = int((y == 0).sum()), int((y == 1).sum())
    if eps is None:
        eps = 0.005 * level * n1 / n0 if of_discoveries else 0.05 * level
    if rate == "0-1":
        eps = max(eps, 0.5 / n0)
    return RateConstraint(float(level), n0, n1, float(eta), rate, float(eps), of_discoveries)


class Multiplier:
    """The multiplier and its next value, by the updates of Algorithms 1 and 3 with a gain that settles.

    With g the excess relative to the limit (see `RateConstraint.relative_excess`), the update is
    ``lam (1 + gain g)`` or ``max(0, lam + gain g lam_start)``: those of the paper with nu = gain / limit, which asks
    for the same number of steps at every alpha. Ours, to travel far and still settle: g counts as at most 1, a step at
    most doubles or halves the multiplier, which stays at most 1e8, and the gain is halved when g changes sign and
    grows, at first by 30 % and by a tenth less after each change of sign, when g keeps its sign and shrinks by less
    than a tenth. With `settle` False the gain stays what it is, as in the paper.

    Parameters
    ----------
    value : float
        Start, above 0.
    gain : float
        First gain, above 0.
    update : {'multiplicative', 'additive'}
        Which update.
    settle : bool
        Whether the gain changes.
    """

    def __init__(self, value, gain, update, settle=True):
        self.value = float(value)
        self.sign_changes = 0
        self._unit = float(value)
        self._gain = self._first_gain = float(gain)
        self._update = update
        self._settle = settle
        self._last = 0.0

    def move(self, relative_excess):
        """Set the next value."""
        agreement = relative_excess * self._last
        if agreement < 0:
            self.sign_changes += 1
            self._gain *= GAIN_DAMPING if self._settle else 1.0
        elif self._settle and agreement > 0 and abs(relative_excess) > HARDLY * abs(self._last):
            growth = 1.0 + GAIN_GROWTH * GROWTH_DAMPING**self.sign_changes
            self._gain = min(self._gain * growth, self._first_gain * LARGEST_GROWTH)
        self._last = relative_excess
        # without the bound a jump would throw the multiplier up further than it falls back, whatever the gain
        step = self._gain * min(max(relative_excess, -1.0), 1.0)
        if self._update == "multiplicative":
            self.value *= min(max(1.0 + step, 1.0 / LARGEST_FACTOR), LARGEST_FACTOR)
        else:
            most = max(self.value, self._unit) * (LARGEST_FACTOR - 1.0)
            self.value = max(0.0, self.value + min(self._unit * step, most))
        self.value = min(self.value, LARGEST_MULTIPLIER)


@dataclass(frozen=True)
class Iterate:
    """One solution on the way: the convex problem's, the DC variables before and after it, and what it achieves."""

    solution: object
    beta_before: np.ndarray
    beta: np.ndarray
    lam: float
    penalty: float
    rates: Rates
    n_solves: int = 1

    @property
    def objective(self):
        """1/(2 C n1) ||f||^2 + ramp type II error."""
        return self.penalty + self.rates.ramp2

    @property
    def is_fixed(self):
        """Whether the DC variables are unchanged: a critical point of the Lagrangian at this multiplier."""
        return bool(np.array_equal(self.beta_before, self.beta))


class Progress:
    """The record of a run: its history, and the iterate to give back if it does not converge.

    That is the one of least objective among those that meet the constraint to within eps; if none does, the one of
    least type I excess.
    """

    COLUMNS = ("objective", "type1", "type2", "error1", "error2", "multiplier", "n_solves")

    def __init__(self, constraint, callback=None):
        self._constraint = constraint
        self._callback = callback
        self._rows = []
        self.best = None
        self._best_rank = None
        # whether, at one multiplier, the rows given up go round in a circle
        self.circle = CircleDetector()
        # the last type I errors within their limit and above it
        self.last_within = self.last_above = float("nan")

    @property
    def n_iter(self):
        """Iterates so far."""
        return len(self._rows)

    def add(self, iterate):
        """Record an iterate."""
        rates = iterate.rates
        row = (iterate.objective, rates.type1, rates.type2, rates.error1, rates.error2, iterate.lam, iterate.n_solves)
        self._rows.append(row)
        self.circle.add(iterate.beta, iterate.lam)
        excess = self._constraint.excess(rates)
        if excess > 0:
            self.last_above = rates.type1
        else:
            self.last_within = rates.type1
        feasible = excess <= self._constraint.eps
        rank = (not feasible, iterate.objective if feasible else excess)
        if self._best_rank is None or rank < self._best_rank:
            self.best, self._best_rank = iterate, rank
        if self._callback is not None:
            self._callback(self.n_iter, dict(zip(self.COLUMNS, row, strict=True)))

    def history(self):
        """Return one array a column."""
        return dict(zip(self.COLUMNS, np.array(self._rows, dtype=np.float64).T, strict=True))


@dataclass(frozen=True, kw_only=True, repr=False)
class NPSVMResult(SolverResult):
    """A saddle point of the Lagrangian of the nonconvex Neyman-Pearson support vector machine.

    Attributes
    ----------
    coef : ndarray, shape (n,)
        Coefficients of the kernel expansion.
    intercept : float
        The constant b.
    decision : ndarray, shape (n,)
        f(x_i) of the training rows.
    beta : ndarray of 0 and 1, shape (n,)
        1 for the training rows that are given up, more than eta on the wrong side.
    multiplier : float
        lambda, in type II error a unit of type I error (see `nproc.solvers.npsvm.constraint`).
    rates : Rates
        Errors of both kinds on the training rows.
    penalty : float
        1/(2 C n1) ||f||^2.
    objective : ndarray, shape (n_iter,)
        Penalty plus ramp type II error, the objective of (6) over the paper's C. It rises where the type I error falls.
    n_iter : int
        Values of the multiplier tried, or convex problems with one multiplier for Algorithm 3.
    n_solves : int
        Convex problems solved.
    converged : bool
        Whether the rule of stopping holds: the constraint to within eps, multiplier times room below the
        limit at most eps, beta unchanged, and the last convex problem solved to `tol`.
    certificate : float
        The largest of: the KKT gap of the convex problem (units of eta), the share of the cost on rows whose beta
        changed, the violation of the constraint (units of a rate), and multiplier times room below the limit (units of
        type II error). 0 at a saddle point.
    reason : str
        In words, why the solver stopped.
    history : dict of str to ndarray
        objective, type1 and type2 (in the rate of the constraint), error1 and error2 (0-1), multiplier, n_solves.
    """

    decision: np.ndarray
    beta: np.ndarray
    multiplier: float
    rates: Rates
    penalty: float
    n_solves: int


def taken_back(constraint, beta, y):
    """Return `beta`, or 0 where so many rows are given up that the multiplier has lost its hold on the errors."""
    if (beta[y == 1] == 1.0).all():
        return np.zeros_like(beta)
    # so many rows of class 0, and for q-values of class 1, that no multiplier helps
    if beta[y == 0].mean() > constraint.limit_at(beta[y == 1].mean()) + constraint.eps:
        return np.where(y == 0, 0.0, beta)
    return beta


def stop_reason(constraint, iterate, multiplier, progress, max_iter):
    """Return why a run ends, in words; an empty string while it goes on."""
    if constraint.is_met(iterate.rates, iterate.lam) and iterate.is_fixed:
        return "the constraint holds and no row changed sides of the ramp."
    if multiplier.sign_changes >= MOST_SIGN_CHANGES:
        if np.isnan(progress.last_within):
            return (
                f"near the multiplier {iterate.lam:.4g} the solution jumps between two cases: the type I error is "
                "above its limit, or no class 1 row scores above 0. No solution between them was found."
            )
        return (
            f"near the multiplier {iterate.lam:.4g} the {constraint.bounded} jumps between {progress.last_within:.4g} "
            f"and {progress.last_above:.4g}, across its limit {constraint.limit(iterate.rates):.4g}, and no "
            "multiplier was found that gives a value near the limit."
        )
    if iterate.lam >= LARGEST_MULTIPLIER and constraint.excess(iterate.rates) > 0:
        return (
            f"the multiplier has grown to its bound, {LARGEST_MULTIPLIER:g}, with a "
            f"{constraint.bounded} of {iterate.rates.type1:.4g} and a limit of {constraint.limit(iterate.rates):.4g}."
        )
    if progress.circle.n_rows:
        return (
            f"{progress.circle.n_rows} rows keep changing sides of the ramp near the multiplier {iterate.lam:.4g}: the "
            "solutions go round in a circle. The kernel may be no inner product, or tol too large."
        )
    if progress.n_iter >= max_iter:
        n_rows = int(np.sum(iterate.beta_before != iterate.beta))
        moving = f"; {n_rows} rows changed sides of the ramp in the last step." if n_rows else "."
        return (
            f"the limit max_iter={max_iter} was reached with a {constraint.bounded} of {iterate.rates.type1:.4g} and a "
            f"limit of {constraint.limit(iterate.rates):.4g}{moving}"
        )
    return ""


def npsvm_result(constraint, progress, iterate, y, C, reason):
    """Return the `NPSVMResult` of a run that has ended at `iterate`."""
    settled = constraint.is_met(iterate.rates, iterate.lam) and iterate.is_fixed
    if not settled:
        iterate = progress.best
    elif not iterate.solution.converged:
        reason = f"the constraint holds, but the last convex problem was not solved: {iterate.solution.reason}."
    solution, history = iterate.solution, progress.history()
    cost = constraint.costs(y, C, iterate.lam)
    certificate = max(
        solution.certificate,
        changed_share(cost, iterate.beta_before, iterate.beta),
        constraint.violation(iterate.rates),
        constraint.slackness(iterate.rates, iterate.lam),
    )
    return NPSVMResult(
        coef=solution.coef,
        intercept=solution.intercept,
        objective=history["objective"],
        n_iter=progress.n_iter,
        converged=settled and solution.converged,
        certificate=float(certificate),
        reason=reason,
        history=history,
        decision=solution.decision,
        beta=iterate.beta,
        multiplier=iterate.lam,
        rates=iterate.rates,
        penalty=iterate.penalty,
        n_solves=int(history["n_solves"].sum()),
    )
