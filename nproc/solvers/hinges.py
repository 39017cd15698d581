r"""The minimiser of a quadratic plus hinges, with the slopes of the hinges there.

.. math:: \min_v \; \tfrac12 \|v\|^2 + g^\top v + \sum_k h_k \max(0, t_k + b_k^\top v)

is solved by the method of multipliers: each hinge becomes a parabola between two lines, of a width that shrinks, and is
centred at the multiplier found before; the smooth problems are solved by Newton's method with a line search. Where the
first multipliers tell nearly which hinges are on their kinks, small systems lead there at once. A step costs
O(k q min(k, q)) for k hinges and q unknowns. A linear support vector machine is such a problem.
"""

import numpy as np
from scipy.linalg import LinAlgError, cholesky, qr, solve_triangular
from scipy.linalg.lapack import dpotrf, dpotrs

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
# a step is long enough when the slope along it has fallen to this share
FLAT_ENOUGH = 0.1
MOST_TRIALS = 60


def flat_point(slope_at, steep, length, falls=None):
    """Return a point of (0, `length`] where a rising slope, `steep` at 0 and below 0 there, is about 0; or `length`.

    `falls` tells whether a point past the bottom, whose slope is a little above 0, lies low enough.
    """
    low, high = (0.0, steep), None
    for trial in range(MOST_TRIALS):
        slope = slope_at(length)
        if slope <= 0.0:
            if high is None or slope >= FLAT_ENOUGH * steep:
                return length
            low = (length, slope)
        else:
            if slope <= -FLAT_ENOUGH * steep and (falls is None or falls(length)):
                return length
            high = (length, slope)
        width = high[0] - low[0]
        guess = low[0] - low[1] * width / (high[1] - low[1])
        # a secant that keeps to one end is cut short
        keep_off = (0.1 if trial < 4 else 0.3) * width
        length = min(max(guess, low[0] + keep_off), high[0] - keep_off)
    return low[0]


def minimise_hinges(gradient, B, past, slope, multiplier, *, width, narrowest, tol, max_iter=200, start=None):
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
    start : ndarray, shape (q,), optional
        Where Newton's method begins; at 0 without it.
    """
    found = _by_guesses(gradient, B, past, slope, multiplier, tol, min(MOST_GUESSES, max_iter))
    if found is not None:
        return found
    # the slopes are lead + stiff * here, cut off at 0 and h
    point = np.zeros_like(gradient) if start is None else start
    here, lead, stiff = past + B @ point, multiplier, slope / width
    m, n_iter = np.clip(lead + stiff * here, 0.0, slope), 0
    while n_iter < max_iter:
        n_iter += 1
        on = np.flatnonzero((m > 0.0) & (m < slope))
        down = gradient + point + m @ B
        rows = B[on] * np.sqrt(stiff[on, None])
        # the smaller of two systems that are equivalent
        few = on.size < gradient.size
        matrix = (rows @ rows.T if few else rows.T @ rows) + np.eye(min(rows.shape))
        factor, failed = dpotrf(matrix, lower=1, clean=0)
        if failed or np.any(factor.diagonal() ** 2 <= DEPENDENT * matrix.diagonal()):
            direction = _accurate_direction(rows, down)
        elif few:
            direction = rows.T @ _solved(factor, rows @ down) - down
        else:
            direction = -_solved(factor, down)
        promise = -float(down @ direction)
        if promise <= 0.0:
            # the two terms of the small system cancel down to rounding
            direction = _accurate_direction(rows, down)
            promise = -float(down @ direction)
        move = B @ direction
        linear, square = float((point + gradient) @ direction), float(direction @ direction)
        length = _along(linear, square, lead + stiff * here, stiff * move, slope, move)
        point, here = point + length * direction, here + length * move
        m = np.clip(lead + stiff * here, 0.0, slope)
        on = (m > 0.0) & (m < slope)
        off = np.abs(here[on])
        # less than rounding of the terms that the promise is made of; or there is no way down at all
        tiny = length == 0.0 or promise <= max(ROUNDING * abs(float(gradient @ point)), NOTHING)
        if tiny and float(off.max(initial=0.0)) <= tol:
            break
        if tiny or (length == 1.0 and promise <= LOOSE * float(slope[on] @ off)):
            width = max(SHARPEN * width, narrowest)
            lead, stiff = m, slope / width
            m = np.clip(lead + stiff * here, 0.0, slope)
    return point, m, n_iter


def _accurate_direction(rows, down):
    # of (I + R'R) d = -down where the matrix is nearly singular but for I: by orthogonal steps, which see I
    triangle = qr(np.vstack([rows, np.eye(down.size)]), mode="r", check_finite=False)[0][: down.size]
    direction = np.zeros_like(down)
    for _ in range(2):
        rest = -down - direction - (rows @ direction) @ rows
        half = solve_triangular(triangle, rest, trans=1, check_finite=False)
        direction += solve_triangular(triangle, half, check_finite=False)
    return direction


def _solved(factor, right):
    return dpotrs(factor, right, lower=1)[0] if right.size else right


def _along(linear, square, start, rise, slope, move):
    """Return 1, or the point of [0, 1] where linear + t square + clip(start + t rise, 0, slope) @ move is 0 or more.

    1 is returned where this is below 0 or nearly 0. It rises with t and is straight between the points where a hinge
    begins to bend or ends, so that the place between two of these is exact. Far from the kinks all of these points may
    lie within 1e-14 of 0, where other searches give up.
    """

    def steepness(t):
        return linear + t * square + float(np.clip(start + t * rise, 0.0, slope) @ move)

    low, high = (0.0, steepness(0.0)), (1.0, steepness(1.0))
    if low[1] >= 0.0:
        return 0.0
    if high[1] <= -FLAT_ENOUGH * low[1]:
        return 1.0
    bends = rise != 0.0
    places = np.concatenate([-start[bends] / rise[bends], (slope - start)[bends] / rise[bends]])
    places = np.unique(places[(places > 0.0) & (places < 1.0)])
    first, last = 0, places.size
    while first < last:
        middle = (first + last) // 2
        found = (float(places[middle]), steepness(places[middle]))
        if found[1] <= 0.0:
            low, first = found, middle + 1
        else:
            high, last = found, middle
    return low[0] - low[1] * (high[0] - low[0]) / (high[1] - low[1])


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
        factor = factor_or_none(rows @ rows.T, DEPENDENT)
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


def factor_or_none(matrix, dependent):
    """Return the Cholesky factor, or None where a squared pivot is below a share `dependent` of the diagonal."""
    try:
        factor = cholesky(matrix, lower=True, check_finite=False)
    except LinAlgError:
        return None
    return factor if np.all(factor.diagonal() ** 2 > dependent * matrix.diagonal()) else None
