r"""Newton steps that know of the kinks: near the solution the smooth part becomes a quadratic, and the hinges stay.

Where the loss of a row is a hinge h max(0, t) plus a smooth r(t), Newton's method on the smooth parts leaves a
quadratic plus hinges, which `minimise_hinges` solves exactly. Only hinges that may be crossed need be in it. Like
Newton's method on a smooth function the steps converge quadratically, with kinks met exactly on the way.

What Newton's method sees when it does not smooth the kinks away,

.. math:: \min_v \; \tfrac12 \|v\|^2 + g^\top v + \sum_k h_k \max(0, t_k + b_k^\top v) ,

is solved by the method of multipliers: each hinge becomes a parabola between two lines, of a width that shrinks, and is
centred at the multiplier found before; the smooth problems are solved by Newton's method with a line search. Where the
first multipliers tell nearly which hinges are on their kinks, small systems lead there at once. All costs depend on the
number of hinges, not on that of the rows of the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.linalg.lapack import dpotrf, dpotrs
from scipy.special import expit

from nproc.solvers.sparse_logistic.newton import LEAST_CURVATURE

# the parabolas become narrower by this factor when Newton's method promises less than this multiple of what they cost
SHARPEN = 0.2
LOOSE = 10.0
# a step is long enough when the slope along it has fallen to this share
FLAT_ENOUGH = 0.1
MOST_TRIALS = 30
# what a step promises is rounding below this share of the terms that the promise is made of, or below this
ROUNDING = 1e-15
# so often is a guess of the hinges on their kinks mended; squared pivots below this share of the diagonal: they depend
# on each other
MOST_GUESSES = 8
DEPENDENT = 1e-10
NOTHING = 1e-26
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
DEPENDENT_COLUMNS = 1e-11
# width of the elbows in which rows count as on the hinge, once their multipliers are known
WIDTH = 1e-3
NARROWEST = 1e-5
MOST_HALVINGS = 12


@dataclass(frozen=True)
class HingeModelResult:
    """Where the model is least.

    Attributes
    ----------
    point : ndarray, shape (q,)
        v.
    past : ndarray, shape (k,)
        t + B v: 0 on a kink.
    multiplier : ndarray, shape (k,)
        Slopes of the hinges there, between 0 and h; strictly between on a kink.
    n_iter : int
        Newton steps.
    """

    point: np.ndarray
    past: np.ndarray
    multiplier: np.ndarray
    n_iter: int


def minimise_hinges(gradient, B, past, slope, multiplier, *, width, narrowest, tol, max_iter=200):
    """Return the minimiser.

    Parameters
    ----------
    gradient : ndarray, shape (q,)
        g.
    B : ndarray, shape (k, q)
        Its rows are the b_k.
    past, slope : ndarray, shape (k,)
        t and h; h above 0.
    multiplier : ndarray, shape (k,)
        A guess of the slopes at the solution.
    width, narrowest : float
        Of the first parabolas and of the last.
    tol : float
        How far from its kink a row with a slope between 0 and h may end.
    max_iter : int
        Most Newton steps.
    """
    found = _by_guesses(gradient, B, past, slope, multiplier, tol, min(MOST_GUESSES, max_iter))
    if found is not None:
        return found
    point = np.zeros_like(gradient)
    identity = np.eye(gradient.size)
    stiff, here = slope / width, past
    bend = np.sqrt(stiff)
    # the slopes are m = lead + stiff * here, cut off at 0 and h
    lead = multiplier
    m = np.minimum(np.maximum(lead + stiff * here, 0.0), slope)
    on = np.flatnonzero((m > 0.0) & (m < slope))
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        down = gradient + point + m @ B
        rows = B[on]
        rows *= bend[on, None]
        matrix = rows.T @ rows
        matrix += identity
        factor, failed = dpotrf(matrix, lower=1, clean=0)
        if failed:
            # hinges so steep that rounding hides the rest: what has been reached must do
            break
        direction = dpotrs(factor, -down, lower=1)[0]
        move = B @ direction
        promise = -float(down @ direction)
        length, m = _along(point, gradient, direction, here, move, lead, stiff, slope, promise)
        point = point + length * direction
        here = here + length * move
        on = np.flatnonzero((m > 0.0) & (m < slope))
        off = np.abs(here[on])
        # less than rounding of the terms that the promise is made of
        tiny = promise <= max(ROUNDING * abs(float(gradient @ point)), NOTHING)
        if tiny and (on.size == 0 or float(off.max()) <= tol):
            break
        if tiny or (length == 1.0 and promise <= LOOSE * float(slope[on] @ off)):
            width = max(SHARPEN * width, narrowest)
            lead, stiff = m, slope / width
            bend = np.sqrt(stiff)
            m = np.minimum(np.maximum(lead + stiff * here, 0.0), slope)
            on = np.flatnonzero((m > 0.0) & (m < slope))
    return HingeModelResult(point, here, m, n_iter)


def _by_guesses(gradient, B, past, slope, multiplier, tol, most):
    # The minimiser if the multipliers tell which hinges are on their kinks, or tell nearly: on a guess of these the
    # point follows from one small system, and where its multipliers or sides are wrong the guess is mended. None where
    # that leads nowhere.
    m = multiplier.copy()
    between = (m > 0.0) & (m < slope)
    for n_iter in range(1, most + 1):
        on = np.flatnonzero(between)
        if not 0 < on.size <= gradient.size:
            return None
        rows = B[on]
        m[on] = 0.0
        down = gradient + m @ B
        gram = rows @ rows.T
        factor, failed = dpotrf(gram, lower=1, clean=0)
        if failed or np.any(factor.diagonal() ** 2 <= DEPENDENT * gram.diagonal()):
            return None
        share = dpotrs(factor, past[on] - rows @ down, lower=1)[0]
        point = -down - share @ rows
        here = past + B @ point
        low, high = share <= 0.0, share >= slope[on]
        wrong = np.where(m > 0.0, here < -tol, here > tol)
        wrong[on] = False
        m[on] = share
        if not (wrong.any() or low.any() or high.any()):
            return HingeModelResult(point, here, m, n_iter) if np.abs(here[on]).max(initial=0.0) <= tol else None
        m[on[low]] = 0.0
        m[on[high]] = slope[on[high]]
        between[on[low | high]] = False
        between |= wrong
    return None


def _along(point, gradient, direction, here, move, lead, stiff, slope, promise):
    # the slope along the step rises from -promise: find where it is about 0
    linear, square = float((point + gradient) @ direction), float(direction @ direction)
    start, rise = lead + stiff * here, stiff * move
    low, high, length = (0.0, -promise), None, 1.0
    for trial in range(MOST_TRIALS):
        m = np.minimum(np.maximum(start + length * rise, 0.0), slope)
        steep = linear + length * square + float(m @ move)
        if abs(steep) <= FLAT_ENOUGH * promise or (high is None and steep <= 0.0):
            break
        if steep > 0.0:
            high = (length, steep)
        else:
            low = (length, steep)
        gap = high[0] - low[0]
        guess = low[0] - low[1] * gap / (high[1] - low[1])
        keep_off = (0.1 if trial < 4 else 0.3) * gap
        length = min(max(guess, low[0] + keep_off), high[0] - keep_off)
    return length, m


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
        # `first_width` is the width to go on from if the kinks are too many
        self.band = self.width = self.first_width = rows.width
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
            search.centre_elbows(self.multiplier, WIDTH)
        return length, before - self.objective

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
        turned = _whitened(factor, design)
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
            design, turned = np.concatenate([design, added]), np.concatenate([turned, _whitened(factor, added)])
        return change, move, near, found.multiplier

    def _design(self, near):
        # the derivatives of the exponents of some rows in (w, b)
        return np.column_stack([self.search.data.dense(near), np.ones(near.size)]) * -self.search.s[near, None]

    def _length(self, move, change):
        search = self.search
        length = search.longest(move)
        for _ in range(MOST_HALVINGS):
            coef = search.coef + length * change[:-1]
            value = search.rows.loss(search.exponents + length * move) + 0.5 * search.lam * float(coef @ coef)
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
    return factor if np.all(factor.diagonal() ** 2 > DEPENDENT_COLUMNS * matrix.diagonal()) else None


def _whitened(factor, design):
    # the rows in the coordinates in which the quadratic is a sum of squares
    return np.ascontiguousarray(solve_triangular(factor, design.T, lower=True, check_finite=False).T)


def _closest(rows, past, most):
    if rows.size <= most:
        return rows
    return rows[np.argpartition(np.abs(past[rows]), most)[:most]]
