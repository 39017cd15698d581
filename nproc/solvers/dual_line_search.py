r"""Steps along a ray for the dual of sparse logistic regression, whose terms are linear and then entropies.

The conjugate h_i of the truncated loss is, with the floor f_i and the top 1 / (1 + exp(-f_i)),

.. math:: h_i(\alpha) = \alpha f_i - \log(1 + e^{f_i}) \quad (\alpha \le top_i), \qquad
          \alpha \log \alpha + (1 - \alpha) \log(1 - \alpha) \quad (\alpha \ge top_i).

Its derivative max(f_i, logit(alpha)) is continuous, so that a ray may be followed past the tops.
"""

from __future__ import annotations

import numpy as np
from scipy.special import entr

# the share of the way to 0 or 1, where an entropy is infinitely steep, that a step may go
SHARE_OF_WAY = 0.99
# the largest number below 1
BELOW_ONE = 1.0 - 2.0**-53
# a slope left over that is below this share of the first one will do
SLOPE_LEFT = 0.1
MOST_TRIALS = 60


def logit(alpha):
    """Return log(alpha / (1 - alpha)); -inf at 0."""
    with np.errstate(divide="ignore"):
        return np.log(alpha) - np.log1p(-alpha)


def slopes(alpha, floor):
    """Return h'(alpha) of each row."""
    return np.maximum(floor, logit(alpha))


def bregman(alpha, moved, floor, top):
    """Return the sum over rows of h(moved) - h(alpha) - h'(alpha)(moved - alpha), at least 0."""
    known = np.where(np.isfinite(floor), floor, 0.0)
    at_kink = np.where(np.isfinite(floor), np.logaddexp(0.0, known), 0.0)

    def h(a):
        return np.where(a > top, -entr(a) - entr(1.0 - a), a * known - at_kink)

    return float(np.sum(h(moved) - h(alpha) - (moved - alpha) * slopes(alpha, floor)))


def limits(alpha, d, top, bent):
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

    start = slopes(alpha, floor)

    def rise(t):
        return slope + t * curvature + float(np.sum(d * (slopes(at(t), floor) - start), where=d != 0.0))

    end = rise(most)
    if end <= (least_slope if -slope <= least_slope else 0.0):
        return most
    gain = -(most * slope + 0.5 * most * most * curvature + bregman(alpha, at(most), floor, top))
    if end <= -0.3 * slope and gain > 0.0:
        return most
    low, high, t = 0.0, most, 0.5 * most
    for _ in range(MOST_TRIALS):
        value = rise(t)
        if value > 0.0:
            high = t
        else:
            low = t
            if value >= SLOPE_LEFT * slope:
                break
        a = at(t)
        bent = a > top
        bend = curvature + float(np.sum(d[bent] ** 2 / (a[bent] * (1.0 - a[bent]))))
        newton = t - (value - 0.5 * SLOPE_LEFT * slope) / bend if bend > 0.0 else low
        t = newton if low < newton < high else 0.5 * (low + high)
    return low
