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

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.linalg.lapack import dpotrf, dpotrs
from scipy.special import expit

from nproc.solvers.sparse_logistic.newton import LEAST_CURVATURE, flat_point

# the parabolas become narrower by this factor when Newton's method promises less than this multiple of what they cost
SHARPEN = 0.2
LOOSE = 10.0
# what a step promises is rounding below this share of the terms that the promise is made of, or below this
ROUNDING = 1e-15
NOTHING = 1e-26
# so often is a guess of the hinges on their kinks mended; squared pivots below this share of the diagonal: they depend
# on each other
MOST_GUESSES = 8
DEPENDENT = 1e-10
# the hinges of a step are at most the largest of: so many, so many a column, and one in so many rows but no more than a
# number that keeps memory small
HINGES = 500
HINGES_PER_COLUMN = 12
ROWS_PER_HINGE = 8
MOST_BY_ROWS = 5000
# while steps move scores by more than this, the quadratic is too rough to be worth more than a few inner steps
NEAR_END = 0.1
ROUGH_INNER, MOST_INNER = 15, 200
# how far from their kinks rows may end that should be there, for each unit squared that the last step moved the scores
MODEL_SHARE = 1e-3
COARSEST, FINEST = 1e-6, 1e-11
# the largest width of parabolas whose multipliers are nearly right
AGAIN = 0.02
# after a full step, how far from their kinks the rows of the next step are and how wide its first parabolas, for
# each unit that the step moved the scores
BAND_SHARE, WIDTH_SHARE = 0.1, 0.1
# a little of the curvature of the hinges holds back what nothing else does: the intercept where all rows that have a
# say are on the hinge, or the coefficients without a penalty. At the solution the step vanishes, and this with it
PROXIMAL = 1e-6
# squared pivots below this share of the diagonal: columns depend on each other, and there is no quadratic to speak of
DEPENDENT_COLUMNS = 1e-11
# width of the elbows in which rows count as on the hinge, once their multipliers are known
WIDTH = 1e-3
NARROWEST = 1e-5
MOST_HALVINGS = 12


def minimise_hinges(gradient, B, past, slope, multiplier, *, width, narrowest, tol, max_iter=200):
    """Return (v, multipliers, steps): the minimiser, the slopes of the hinges there, and how many steps it took.

    The multipliers lie between 0 and h, and strictly between on a kink.

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
    # the slopes are lead + stiff * here, cut off at 0 and h
    point, here, lead, stiff = np.zeros_like(gradient), past, multiplier, slope / width
    m, n_iter = np.clip(lead + stiff * here, 0.0, slope), 0
    while n_iter < max_iter:
        n_iter += 1
        on = np.flatnonzero((m > 0.0) & (m < slope))
        down = gradient + point + m @ B
        rows = B[on] * np.sqrt(stiff[on, None])
        # the smaller of two systems that are equivalent
        few = on.size < gradient.size
        factor, failed = dpotrf((rows @ rows.T if few else rows.T @ rows) + np.eye(min(rows.shape)), lower=1, clean=0)
        if failed:
            # hinges so steep that rounding hides the rest: what has been reached must do
            break
        direction = rows.T @ _solved(factor, rows @ down) - down if few else -_solved(factor, down)
        move = B @ direction
        promise = -float(down @ direction)
        linear, square = float((point + gradient) @ direction), float(direction @ direction)
        length = _along(linear, square, lead + stiff * here, stiff * move, slope, move, promise)
        point, here = point + length * direction, here + length * move
        m = np.clip(lead + stiff * here, 0.0, slope)
        on = (m > 0.0) & (m < slope)
        off = np.abs(here[on])
        # less than rounding of the terms that the promise is made of
        tiny = promise <= max(ROUNDING * abs(float(gradient @ point)), NOTHING)
        if tiny and float(off.max(initial=0.0)) <= tol:
            break
        if tiny or (length == 1.0 and promise <= LOOSE * float(slope[on] @ off)):
            width = max(SHARPEN * width, narrowest)
            lead, stiff = m, slope / width
            m = np.clip(lead + stiff * here, 0.0, slope)
    return point, m, n_iter


def _solved(factor, right):
    return dpotrs(factor, right, lower=1)[0] if right.size else right


def _along(linear, square, start, rise, slope, move, promise):
    return flat_point(
        lambda t: linear + t * square + float(np.clip(start + t * rise, 0.0, slope) @ move), -promise, 1.0
    )


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
        factor = _factor(rows @ rows.T, DEPENDENT)
        if factor is None:
            return None
        share = _solved(factor, past[on] - rows @ down)
        point = -down - share @ rows
        here = past + B @ point
        low, high = share <= 0.0, share >= slope[on]
        wrong = np.where(m > 0.0, here < -tol, here > tol)
        wrong[on] = False
        m[on] = np.clip(share, 0.0, slope[on])
        if not (wrong.any() or low.any() or high.any()):
            return (point, m, n_iter) if np.abs(here[on]).max() <= tol else None
        between[on[low | high]] = False
        between |= wrong
    return None


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
        # how far the scores moved in the last step
        self.moved = np.inf
        self.n_steps = 0

    def step(self):
        """Take a step; return (its length, by how much the criterion fell); 0 where none helps."""
        search, rows = self.search, self.search.rows
        self.n_steps += 1
        past = search.exponents - rows.floor
        beyond = np.flatnonzero(past > 0.0)
        rise = expit(search.exponents[beyond])
        weights = rise * np.maximum(expit(-search.exponents[beyond]), LEAST_CURVATURE)
        gradient, matrix = search.derivatives(beyond, rise, weights)
        near = np.flatnonzero((rows.slope > 0.0) & (np.abs(past) <= self.band))
        most = most_hinges(*search.X.shape)
        if near.size > most:
            near = near[np.argpartition(np.abs(past[near]), most)[:most]]
        past, slope, design = past[near], rows.slope[near], search.design(near)
        factor = _factor(matrix, DEPENDENT_COLUMNS)
        if factor is None:
            hold = np.where(search.penalty > 0.0, 0.0, PROXIMAL * (slope @ design**2))
            factor = _factor(matrix + np.diag(hold), DEPENDENT_COLUMNS)
        if factor is None:
            return 0.0, 0.0
        # the slopes of these rows are in the hinges; in these coordinates the quadratic is a sum of squares
        base = solve_triangular(factor, gradient - np.where(past > 0.0, slope, 0.0) @ design, lower=True)
        turned = np.ascontiguousarray(solve_triangular(factor, design.T, lower=True).T)
        point, multiplier, _ = minimise_hinges(
            base,
            turned,
            past,
            slope,
            self.multiplier[near],
            width=self.width,
            narrowest=NARROWEST,
            # far from the end the quadratic is not worth more digits than the step will have
            tol=min(max(MODEL_SHARE * self.moved**2, FINEST), COARSEST),
            max_iter=MOST_INNER if self.moved < NEAR_END else ROUGH_INNER,
        )
        change = solve_triangular(factor, point, lower=True, trans="T")
        move = search.moves(change)
        length, before = search.longest(move), search.objective()
        for _ in range(MOST_HALVINGS):
            after = search.objective(length, change, move)
            if after <= before * (1.0 + 1e-14):
                break
            length /= 2.0
        else:
            length, after = 0.0, before
        if length > 0.0 and change.any():
            search.advance(length, change, move)
            self.moved = length * float(np.abs(move).max())
            # after a full step the next is much shorter, and few rows change sides
            ahead = BAND_SHARE * self.moved if length == 1.0 else 2.0 * self.moved
            self.band = min(self.band, ahead)
            self.width = min(self.width, AGAIN, max(WIDTH_SHARE * self.moved, NARROWEST))
            self.multiplier = np.where(search.exponents > rows.floor, rows.slope, 0.0)
            self.multiplier[near] = multiplier
            search.centre_elbows(self.multiplier, WIDTH)
        return length, before - after


def most_hinges(n_rows, n_columns):
    """Return how many rows near their kinks a step takes into account."""
    return max(HINGES, HINGES_PER_COLUMN * (n_columns + 1), min(n_rows // ROWS_PER_HINGE, MOST_BY_ROWS))


def _factor(matrix, dependent):
    # the Cholesky factor, or None where a squared pivot is below this share of the diagonal
    try:
        factor = cholesky(matrix, lower=True, check_finite=False)
    except LinAlgError:
        return None
    return factor if np.all(factor.diagonal() ** 2 > dependent * matrix.diagonal()) else None
