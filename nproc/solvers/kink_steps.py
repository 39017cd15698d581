r"""Newton steps that know of the kinks: near the solution the smooth part becomes a quadratic, and the hinges stay.

Where the loss of a row is a hinge h max(0, t) plus a smooth r(t), Newton's method on the smooth parts leaves a
quadratic plus hinges, which `minimise_hinges` solves exactly. Only hinges that may be crossed need be in it. Like
Newton's method on a smooth function the steps converge quadratically, with kinks met exactly on the way.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.special import expit

from nproc.solvers.hinge_model import minimise_hinges
from nproc.solvers.truncated_rows import LEAST_CURVATURE

# the hinges of a step are at most the largest of: so many, so many a column, and one in so many rows but no more than a
# number that keeps memory small; there are so many rounds of adding those that the step would cross
HINGES = 500
HINGES_PER_COLUMN = 12
ROWS_PER_HINGE = 8
MOST_BY_ROWS = 5000
ROUNDS = 2
# while steps move scores by more than this, the quadratic is too rough to be worth more than a few inner steps in the
# last and the first round
NEAR_END = 0.1
ROUGH_INNER = (15, 12)
MOST_INNER = 200
# how far from their kinks rows may end that should be there, for each unit squared that the last step moved the scores
MODEL_SHARE = 1e-3
COARSEST = 1e-6
FINEST = 1e-11
# the largest width of parabolas whose multipliers are nearly right
AGAIN = 0.02
# after a full step, how far from their kinks the rows of the next step are and how wide its first parabolas, for
# each unit that the step moved the scores
BAND_SHARE = 0.1
WIDTH_SHARE = 0.1
# a little of the curvature of the hinges holds back what nothing else does: the intercept where all rows that have a
# say are on the hinge, or the coefficients without a penalty. At the solution the step vanishes, and this with it
PROXIMAL = 1e-6
# squared pivots below this share of the diagonal: columns depend on each other, and there is no quadratic to speak of
DEPENDENT = 1e-11
# width of the elbows in which rows count as on the hinge, once their multipliers are known
WIDTH = 1e-3
NARROWEST = 1e-5
MOST_HALVINGS = 12


class KinkSteps:
    """Steps of a `NewtonSearch` on the criterion itself, from where its smooth steps have led.

    Parameters
    ----------
    search : NewtonSearch
        Changed in place.
    """

    def __init__(self, search):
        self.search = search
        rows = search.rows
        self.multiplier = np.where(search.exponents > rows.floor, rows.slope, 0.0)
        self.multiplier[search.at.rows] = search.at.multiplier
        # `before` is the width to go on from if the kinks are too many
        self.band = self.width = self.before = rows.width
        self.objective = search.objective()
        # how far the scores moved in the last step
        self.moved = np.inf
        self.n_steps = 0

    def step(self):
        """Take a step; return (its length, by how much the criterion fell); 0 where none helps."""
        search = self.search
        self.n_steps += 1
        rows, data, s, lam = search.rows, search.data, search.s, search.lam
        past = search.exponents - rows.floor
        beyond = np.flatnonzero(past > 0.0)
        rise = expit(search.exponents[beyond])
        weights = rise * np.maximum(expit(-search.exponents[beyond]), LEAST_CURVATURE)
        pull, first, second = data.sums(beyond, -s[beyond] * rise, weights)
        near = self._near(past)
        matrix = np.block([[second, first[:, None]], [first[None, :], np.array([[float(weights.sum())]])]])
        matrix[np.diag_indices_from(matrix)] += np.append(np.full(first.size, lam), 0.0)
        factor = _factor(matrix)
        if factor is None:
            hinges = rows.slope[near] @ np.column_stack([data.dense(near), np.ones(near.size)]) ** 2
            if lam > 0.0:
                hinges[:-1] = 0.0
            matrix[np.diag_indices_from(matrix)] += PROXIMAL * hinges
            factor = _factor(matrix)
        if factor is None:
            return 0.0, 0.0
        gradient = np.append(lam * search.coef + pull, -float(s[beyond] @ rise))
        change, move, near, multiplier = self._least(factor, gradient, past, near)
        if not change.any():
            return 0.0, 0.0
        before = self.objective
        length = self._length(move, change)
        if length > 0.0:
            search.coef = search.coef + length * change[:-1]
            search.constant += length * change[-1]
            search.exponents = search.exponents + length * move
            self.moved = length * float(np.abs(move).max())
            # after a full step the next is much shorter, and few rows change sides
            ahead = BAND_SHARE * self.moved if length == 1.0 else 2.0 * self.moved
            self.band = min(self.band, ahead)
            self.width = min(self.width, AGAIN, max(WIDTH_SHARE * self.moved, NARROWEST))
            self.multiplier = np.where(search.exponents > rows.floor, rows.slope, 0.0)
            self.multiplier[near] = multiplier
            rows.centre(self.multiplier, WIDTH)
            search.at = rows.at(search.exponents)
        return length, before - self.objective

    def give_up(self, share):
        """Put elbows back, narrower than those before by the share given, centred at the multipliers found."""
        search = self.search
        search.rows.centre(self.multiplier, share * self.before)
        search.at = search.rows.at(search.exponents)

    def _near(self, past):
        kinked = self.search.rows.slope > 0.0
        return _closest(np.flatnonzero(kinked & (np.abs(past) <= self.band)), past, most_hinges(*self.search.X.shape))

    def _least(self, factor, gradient, past, near):
        # the minimiser of the quadratic plus the hinges of rows near their kinks; those that it would cross besides
        # join them
        search = self.search
        rows, s = search.rows, search.s
        kinked = rows.slope > 0.0
        most = most_hinges(*search.X.shape)
        centre, width = self.multiplier[near], self.width
        near_end = self.moved < NEAR_END
        # far from the end the quadratic is not worth more digits than the step will have
        tol = min(max(MODEL_SHARE * self.moved**2, FINEST), COARSEST)
        design = self._design(near)
        turned = _turned(factor, design)
        for left in reversed(range(ROUNDS)):
            # their slopes are in the hinges
            base = gradient - np.where(past[near] > 0.0, rows.slope[near], 0.0) @ design
            found = minimise_hinges(
                solve_triangular(factor, base, lower=True, check_finite=False),
                turned,
                past[near],
                rows.slope[near],
                centre,
                width=width,
                narrowest=NARROWEST,
                tol=tol,
                max_iter=MOST_INNER if near_end else ROUGH_INNER[left],
            )
            change = solve_triangular(factor, found.point, lower=True, trans="T", check_finite=False)
            move = -s * (search.data.times(change[:-1]) + change[-1])
            if left == 0 or near.size >= 2 * most:
                break
            crossed = kinked & ((past > 0.0) != (past + move > 0.0))
            crossed[near] = False
            more = _closest(np.flatnonzero(crossed), past, most)
            if more.size == 0:
                break
            near = np.concatenate([near, more])
            width = min(width, AGAIN)
            centre = np.concatenate([found.multiplier, np.where(past[more] > 0.0, rows.slope[more], 0.0)])
            added = self._design(more)
            design, turned = np.concatenate([design, added]), np.concatenate([turned, _turned(factor, added)])
        return change, move, near, found.multiplier

    def _design(self, near):
        # the derivatives of the exponents of some rows in (w, b)
        return np.column_stack([self.search.data.dense(near), np.ones(near.size)]) * -self.search.s[near, None]

    def _length(self, move, change):
        search = self.search
        length = search.longest(move)
        for _ in range(MOST_HALVINGS):
            coef = search.coef + length * change[:-1]
            value = search.rows.loss_at(search.exponents + length * move) + 0.5 * search.lam * float(coef @ coef)
            if value <= self.objective * (1.0 + 1e-14):
                self.objective = value
                return length
            length /= 2.0
        return 0.0


def most_hinges(n_rows, n_columns):
    """Return how many rows near their kinks a step takes into account at first; up to twice as many in the end."""
    return max(HINGES, HINGES_PER_COLUMN * (n_columns + 1), min(n_rows // ROWS_PER_HINGE, MOST_BY_ROWS))


def _factor(matrix):
    # the Cholesky factor, or None
    try:
        factor = cholesky(matrix, lower=True, check_finite=False)
    except LinAlgError:
        return None
    return factor if np.all(factor.diagonal() ** 2 > DEPENDENT * matrix.diagonal()) else None


def _turned(factor, design):
    # the rows in the coordinates in which the quadratic is a sum of squares
    return np.ascontiguousarray(solve_triangular(factor, design.T, lower=True, check_finite=False).T)


def _closest(rows, past, most):
    if rows.size <= most:
        return rows
    return rows[np.argpartition(np.abs(past[rows]), most)[:most]]
