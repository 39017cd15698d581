r"""A quadratic function plus hinges, minimised: what Newton's method sees when it does not smooth the kinks away.

.. math:: \min_v \; \tfrac12 \|v\|^2 + g^\top v + \sum_k h_k \max(0, t_k + b_k^\top v)

is solved by the method of multipliers: each hinge becomes a parabola between two lines, of a width that shrinks, and
is centred at the multiplier found before; the smooth problems are solved by Newton's method with a line search. Where
the first multipliers tell nearly which hinges are on their kinks, small systems lead there at once. All costs depend on
the number of hinges, not on that of the rows of the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

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
