"""Newton's method on the penalised sum of truncated losses of a linear model, with the step bound of the paper.

References
----------
Section 3.1 and appendix A of [herault2008]_.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.linalg import solve_triangular
from scipy.special import expit

from nproc.errors import InvalidInputError
from nproc.solvers.hinges import factor_or_none, flat_point
from nproc.solvers.sparse_logistic.criterion import FLAT, HINGE, LOGARITHM, kkt_violation, linear_stationarity, signs
from nproc.solvers.weighted_normal import CentredRows, newton_direction

# The truncated losses of all rows, with a smooth stand-in for each kink whose minimiser becomes exact.
#
# Written with the exponent x = -z, the loss log(1 + e^{max(x, f_i)}) is a constant plus h max(0, t) + r(t), where
# t = x - f_i is how far the row is past its kink, h = 1 / (1 + e^{-f_i}), and r is smooth, convex and 0 for t <= 0. The
# hinge h max(0, t) is replaced by
#
# .. math:: \max_{0 \le m \le h} \; m t - \frac{(m - a)^2}{2 c} ,
#
# a parabola between two straight lines, an elbow of width h / c. With a = h / 2 this is the smoothed hinge of
# [chapelle2007]_, of half-width h / (2 c). Where a is the multiplier of the row at the solution, the minimiser is that
# of the hinge itself whatever c is: with a <- m again and again (the method of multipliers) it is reached without
# elbows so narrow that Newton's method would lose its way.


# stands for a floor of minus infinity; no loss that far out leaves a trace in double precision
FAR_BELOW = -800.0
# the curvature of a row is at least this share of its slope: with less, rows that are badly wrong would
# count for nothing in Newton's equations
LEAST_CURVATURE = 1e-8
# a little of the curvature of the hinges holds back what nothing else does: the intercept where all rows that have a
# say are on the hinge, or the coefficients without a penalty. At the solution the step vanishes, and this with it
PROXIMAL = 1e-6
# squared pivots below this share of the diagonal: columns depend on each other, and there is no quadratic to speak of
DEPENDENT_COLUMNS = 1e-11


@dataclass(frozen=True)
class RowsAt:
    """The rows that have a say at some exponents.

    Attributes
    ----------
    rows : ndarray of int, shape (m,)
        Their indices; all other rows have alpha = 0, and nothing is computed for them.
    exponent : ndarray, shape (m,)
        x = -z.
    past : ndarray, shape (m,)
        t = x - f_i.
    multiplier : ndarray, shape (m,)
        m, of the hinge.
    alpha : ndarray, shape (m,)
        The derivative of the stand-in in x.
    """

    rows: np.ndarray
    exponent: np.ndarray
    past: np.ndarray
    multiplier: np.ndarray
    alpha: np.ndarray


class TruncatedRows:
    """The sum of the stand-ins over all rows, as a function of the exponents.

    Parameters
    ----------
    floor : ndarray, shape (n,)
        f_i; -inf where there is no kink.
    elbow : float
        Half-width of the first elbows, above 0.
    """

    def __init__(self, floor, elbow):
        self.floor = np.maximum(floor, FAR_BELOW)
        self.slope = expit(self.floor)
        self.base = np.logaddexp(0.0, self.floor)
        # where every row costs least
        self.least = float(self.base.sum())
        self._steepness = np.divide(1.0, self.slope, out=np.zeros_like(self.slope), where=self.slope > 0.0)
        self.centre(self.slope / 2.0, 2.0 * elbow)

    def at(self, exponents):
        """Return the `RowsAt` of all `exponents`, shape (n,)."""
        rows = np.flatnonzero(exponents > self._gate)
        exponent, slope = exponents[rows], self.slope[rows]
        past = exponent - self.floor[rows]
        multiplier = np.minimum(np.maximum((past + self._lead[rows]) * (slope / self.width), 0.0), slope)
        alpha = multiplier + np.where(past > 0.0, expit(exponent) - slope, 0.0)
        return RowsAt(rows, exponent, past, multiplier, alpha)

    def value(self, at):
        """Return the sum of the stand-ins, up to a constant of the present elbows."""
        rows, m = at.rows, at.multiplier
        rest = np.logaddexp(0.0, at.exponent) - self.base[rows] - self.slope[rows] * at.past
        elbows = m * (at.past + self._lead[rows] - 0.5 * m * self._inverse[rows])
        return float(np.sum(np.where(at.past > 0.0, rest, 0.0)) + np.sum(elbows))

    def loss(self, exponents):
        """Return the sum of the truncated losses themselves at all `exponents`, shape (n,)."""
        beyond = np.flatnonzero(exponents > self.floor)
        return self.least + float(np.sum(np.logaddexp(0.0, exponents[beyond]) - self.base[beyond]))

    def weights(self, at):
        """Return the second derivatives of the stand-ins of ``at.rows``."""
        slope = self.slope[at.rows]
        rise = expit(at.exponent)
        bend = np.where(at.past > 0.0, rise * np.maximum(expit(-at.exponent), LEAST_CURVATURE), 0.0)
        return bend + np.where(self._on_elbow(at), slope / self.width, 0.0)

    def gap(self, at):
        """Return, of the rows on elbows, the sum of slope times distance from the kink, the largest distance, a count.

        The distances are 0 at the solution.
        """
        on = self._on_elbow(at)
        distance = np.abs(at.past[on])
        return float(self.slope[at.rows[on]] @ distance), float(distance.max(initial=0.0)), distance.size

    def multipliers(self, at):
        """Return the multipliers of all rows, shape (n,)."""
        multiplier = np.zeros_like(self.floor)
        multiplier[at.rows] = at.multiplier
        return multiplier

    def centre(self, multiplier, width):
        """Centre elbows of the width given at the multipliers of all rows."""
        # c = h / width: elbows of the same width for both classes
        self.width = width
        self._inverse = width * self._steepness
        self._lead = multiplier * self._inverse
        self._gate = self.floor - self._lead

    def alpha_and_sets(self, at, multiplier):
        """Return (alpha of all rows, their sets) from the multipliers of all rows.

        On the hinge alpha is the multiplier alone, which keeps to its bounds.
        """
        past = np.full(self.floor.shape, -1.0)
        past[at.rows] = at.past
        # a multiplier at the end that belongs to the other side of the kink: the row is on it but for rounding
        on = (multiplier < self.slope) & (past > 0.0) | (multiplier > 0.0) & (past <= 0.0)
        codes = np.where(on, HINGE, np.where(past > 0.0, LOGARITHM, FLAT)).astype(np.int8)
        # without a kink there is nothing flat, however small the loss has become
        codes[self.slope == 0.0] = LOGARITHM
        alpha = np.where(on, multiplier, 0.0)
        rest = codes[at.rows] == LOGARITHM
        alpha[at.rows[rest]] = at.alpha[rest]
        return alpha, codes

    def _on_elbow(self, at):
        return (at.multiplier > 0.0) & (at.multiplier < self.slope[at.rows])


class NewtonSearch:
    """A point (w, b) on its way to the minimiser; the methods change it.

    Parameters
    ----------
    X : ndarray or CSR matrix, shape (n, p)
        Rows.
    y : ndarray, shape (n,)
        0 or 1.
    loss : TruncatedLikelihood
        The loss.
    lam : float
        Penalty, at least 0.
    elbow : float
        Half-width of the first elbows.
    coef, intercept : ndarray of shape (p,), float
        Where to start.
    """

    def __init__(self, X, y, loss, lam, elbow, coef, intercept):
        self.X, self.y, self.loss, self.lam = X, y, loss, lam
        self.data = self.read(X)
        self.s = signs(y)
        self.rows = TruncatedRows(loss.floor(y), elbow)
        self._barrier = -self.s * loss.threshold
        # the coefficients, and the constant of the centred rows, which has no penalty
        self.point = np.append(coef, intercept + float(self.data.centre @ coef))
        self.penalty = np.append(np.full(coef.size, lam), 0.0)
        self.refresh()

    @staticmethod
    def read(X):
        """Return the rows about their centre."""
        return CentredRows.of(X)

    @property
    def coef(self):
        """The coefficients w."""
        return self.point[:-1]

    @property
    def intercept(self):
        """The constant term b."""
        return float(self.point[-1] - self.data.centre @ self.coef)

    def refresh(self):
        """Compute all margins afresh, without the rounding of many steps."""
        self.exponents = self.moves(self.point)
        self.at = self.rows.at(self.exponents)

    def moves(self, change):
        """Return how a change of the point moves the exponents, shape (n,)."""
        return -self.s * self.data.times(change)

    def design(self, rows):
        """Return the derivatives of the exponents of some rows in the point, dense."""
        design = self.data.design(rows)
        return -self.s[rows, None] * (design.toarray() if sparse.issparse(design) else design)

    def objective(self, length=0.0, change=0.0, move=0.0):
        """Return the criterion (6) at the point, or after a step."""
        point = self.point + length * change
        return self.rows.loss(self.exponents + length * move) + 0.5 * float(self.penalty @ point**2)

    def derivatives(self, rows, alpha, weights):
        """Return the gradient and the Hessian where the losses of `rows` have these derivatives in the exponents."""
        gradient, matrix = self.data.sums(rows, -self.s[rows] * alpha, weights)
        if not (np.isfinite(matrix).all() and np.isfinite(gradient).all()):
            raise InvalidInputError(
                "X has values so large that sums of their squares overflow. Standardise its columns, or leave out "
                "those that are no measurements."
            )
        return gradient + self.penalty * self.point, matrix + np.diag(self.penalty)

    def direction(self, rows, alpha, weights):
        """Return the Newton step where the losses of `rows` have these derivatives in the exponents, shape (p + 1,)."""
        return newton_direction(*self.derivatives(rows, alpha, weights))

    def quadratic(self, rows, alpha, weights, near, slopes):
        """Return Newton's quadratic in coordinates in which it is a sum of squares, and how these rows `near` enter.

        Parameters
        ----------
        rows, alpha, weights : ndarray, shape (m,)
            Rows, and the derivatives of their losses in the exponents.
        near : ndarray of int, shape (k,)
            Rows whose hinges are kept.
        slopes : ndarray, shape (k,)
            What `alpha` has of the slopes of these hinges, which is taken out of the gradient.

        Returns
        -------
        gradient : ndarray, shape (q,)
        B : ndarray, shape (k, q)
            For `minimise_hinges`.
        change_of : callable
            ``change_of(point, multipliers)`` is the change of the point of this search.
        None where columns depend on each other.
        """
        gradient, matrix = self.derivatives(rows, alpha, weights)
        design = self.design(near)
        factor = factor_or_none(matrix, DEPENDENT_COLUMNS)
        if factor is None:
            hold = np.where(self.penalty > 0.0, 0.0, PROXIMAL * (self.rows.slope[near] @ design**2))
            factor = factor_or_none(matrix + np.diag(hold), DEPENDENT_COLUMNS)
        if factor is None:
            return None
        base = solve_triangular(factor, gradient - slopes @ design, lower=True)
        turned = np.ascontiguousarray(solve_triangular(factor, design.T, lower=True).T)
        return base, turned, lambda point, _: solve_triangular(factor, point, lower=True, trans="T")

    def step(self):
        """Take a step; return (its length, what Newton's model promised for a full one, twice)."""
        change = self.direction(self.at.rows, self.at.alpha, self.rows.weights(self.at))
        move = self.moves(change)
        linear, square = float(self.penalty @ (self.point * change)), float(self.penalty @ change**2)
        steep = linear + float(self.at.alpha @ move[self.at.rows])
        if not steep < 0.0:
            # nothing left but rounding
            return 1.0, 0.0
        before = self.rows.value(self.at)

        def slope_at(length):
            at = self.rows.at(self.exponents + length * move)
            return linear + length * square + float(at.alpha @ move[at.rows])

        def falls(length):
            rise = self.rows.value(self.rows.at(self.exponents + length * move)) - before
            return rise + length * (linear + 0.5 * length * square) <= 1e-4 * length * steep + 1e-13 * abs(before)

        length = flat_point(slope_at, steep, self.longest(move), falls)
        self.advance(length, change, move)
        return length, -steep

    def advance(self, length, change, move):
        """Take a step of this length along a change of the point."""
        self.point = self.point + length * change
        self.exponents = self.exponents + length * move
        self.at = self.rows.at(self.exponents)

    def longest(self, move):
        """Return the step rho_o of appendix A, at most 1.

        Rows without a say whose margin falls may come in, but not beyond the threshold half way between p_min and
        p_max: past their kinks in one leap they would all pull back at once.
        """
        entering = move > 0.0
        entering[self.at.rows] = False
        if not entering.any():
            return 1.0
        return min(1.0, float(np.min((self._barrier[entering] - self.exponents[entering]) / move[entering])))

    def centre_elbows(self, multiplier, width):
        """Centre elbows of the width given at the multipliers of all rows."""
        self.rows.centre(multiplier, width)
        self.at = self.rows.at(self.exponents)

    def verdict(self, multiplier=None):
        """Return (violation, alpha, sets, decision) of the present point; by the multipliers of all rows if known."""
        self.refresh()
        multiplier = self.rows.multipliers(self.at) if multiplier is None else multiplier
        alpha, sets = self.rows.alpha_and_sets(self.at, multiplier)
        decision, stationarity = self.judged(alpha)
        violation = kkt_violation(alpha, decision, self.y, sets, self.loss, stationarity=stationarity)
        return violation, alpha, sets, decision

    def judged(self, alpha):
        """Return the scores of the rows that the optimality conditions look at, and the violation of (9a) by them."""
        return -self.s * self.exponents, linear_stationarity(self.X, self.y, self.coef, alpha, self.lam)
