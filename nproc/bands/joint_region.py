r"""Where both errors of one rule lie together: a region that cuts off the corner of two separate bounds.

Two bounds that each hold with probability :math:`\sqrt{1 - \delta}` hold together with probability :math:`1 - \delta`.
But both errors are hardly ever at their bounds at once, and a predictive value depends on both. Let :math:`p_1` be the
smallest chance of failure at which the bound on the type I error would fail, and :math:`p_2` that of the type II error:
two p-values. The region here is

.. math:: p_1 \ge a, \quad p_2 \ge a, \quad p_1 p_2 \ge c,

a rectangle without its corner.

*It holds.* :math:`P(p_1 \le u) \le u`, and given the class 0 rows :math:`P(p_2 \le u) \le u`. Given :math:`p_1`, the
errors are outside only if :math:`p_2 < h(p_1)`, with h = 1 below a and :math:`\max(a, c / p_1)` from a on. As h falls,
the chance of this is largest for a uniform :math:`p_1`, where it is :math:`E\,h = 2 a + c \log(c / a^2) - c`. The
number c makes this :math:`\delta`.

*The number a* is `AXIS` times the level :math:`1 - \sqrt{1 - \delta}` of the rectangle. A value that depends on one
error alone loses by that (2 % of its distance at delta = 0.05). One that depends on both alike gains 22 %. The region
:math:`p_1 p_2 \ge c` alone, which is a = c, would gain 32 % there and lose 22 % elsewhere.

*The extremes of a predictive value* lie where :math:`p_1 p_2 = c`. With :math:`s = \log p_1` from :math:`\log a` to
:math:`\log(c / a)`, the logarithm of the odds against a value is a function g(s) that is concave, so that each tangent
of g lies above it. Two tangents with slopes of different sign bound its maximum, from above, as closely as one likes.

*Why g is concave.* It is :math:`\log Q_1(s) - \log(1 - Q_2(\log c - s))`, where :math:`Q(s)` is the upper
:math:`e^s` quantile of a Beta law with parameters of at least 1. Both :math:`\log B` and :math:`-\log(1 - B)` of such a
B have a log-concave density, hence a log-concave survival function [bagnoli2005]_. The logarithm of a level is then a
falling concave function of the quantile, and the quantile a concave function of the logarithm of the level.

References
----------
[bagnoli2005]_, Theorem 3, for survival functions of log-concave densities.
"""

import math
from functools import lru_cache, partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaln

from nproc.simultaneous import beta_quantile, beta_upper_quantile, share_of_each_class

# by which the level of each single bound is less than that of two bounds that hold together
AXIS = 0.9
# the maximum is known to this, in the logarithm of odds; six steps reach it
ACCURACY, MOST_STEPS = 1e-9, 12


@lru_cache(maxsize=64)
def region_levels(delta):
    """Return a and c of the region that holds with probability 1 - delta.

    Examples
    --------
    >>> a, c = region_levels(0.05)
    >>> round(a, 5), round(c, 5), round(2 * a + c * math.log(c / a**2) - c, 12)
    (0.02279, 0.00412, 0.05)
    """
    a = AXIS * share_of_each_class(delta)

    def chance(c):
        return 2 * a + c * math.log(c / a**2) - c

    if chance(a) <= delta:
        # of a delta near 1, for which a would have to be larger: the rectangle will do
        return share_of_each_class(delta), share_of_each_class(delta) ** 2
    return a, brentq(lambda c: chance(c) - delta, a**2, a, xtol=1e-15 * a)


def largest_log_ratio(first, second, delta):
    r"""Return upper bounds on the maximum of log Q1 - log(1 - Q2) over the region, one for each pair of Beta laws.

    Parameters
    ----------
    first, second : tuple of two ndarray, each of shape (m,)
        Parameters of Beta laws, the first at least 1 and the second at least 1 or 0: a law of the number 1. :math:`Q_1`
        and :math:`Q_2` are upper quantiles of these, at levels :math:`p_1, p_2` in the region.
    delta : float
        Probability that the errors are outside of the region.

    Returns
    -------
    ndarray, shape (m,)
        At most 1e-9 above the maximum wherever twelve steps reach that; infinite where the second law is the number 1.

    Examples
    --------
    >>> first, second = (np.array([6.0]), np.array([95.0])), (np.array([41.0]), np.array([60.0]))
    >>> largest_log_ratio(first, second, 0.05).round(6)
    array([-1.571302])
    """
    a, c = region_levels(delta)
    (first_a, first_b), (second_a, second_b) = first, second
    found = np.full(first_a.shape, np.inf)
    # where Q1 is 1 there is nothing to trade, and Q2 is largest at its smallest level
    alone = (first_b == 0) & (second_b > 0)
    found[alone] = -np.log(beta_quantile(second_b[alone], second_a[alone], a))
    both = (first_b > 0) & (second_b > 0)
    laws = np.stack([first_a[both], first_b[both], second_a[both], second_b[both]])
    found[both] = _maxima(partial(_points, math.log(c)), laws, math.log(a), math.log(c / a))
    return found + ACCURACY


def _points(log_c, laws, s):
    """Return s, g(s), the slope of g there, and the logarithm of its rising part over the falling one, as rows."""
    first_a, first_b, second_a, second_b = laws
    log_q1, log_p1 = _log_quantile(first_a, first_b, np.exp(s))
    log_p2, log_q2 = _log_quantile(second_a, second_b, np.exp(log_c - s))[::-1]
    falling = s - log_q1 - _log_density(log_q1, log_p1, first_a, first_b)
    rising = log_c - s - log_p2 - _log_density(log_p2, log_q2, second_b, second_a)
    value = log_q1 - log_p2
    return np.stack([np.broadcast_to(s, value.shape), value, np.exp(rising) - np.exp(falling), rising - falling])


def _log_quantile(a, b, share):
    """Return the logarithms of the upper quantile q of a beta law, and of 1 - q, which may be far below 1e-16."""
    q, p = beta_upper_quantile(a, b, share), beta_quantile(b, a, share)
    with np.errstate(divide="ignore"):
        return np.where(p < 0.5, np.log1p(-p), np.log(q)), np.where(p < 0.5, np.log(p), np.log1p(-q))


def _log_density(log_x, log_rest, a, b):
    """Return the logarithm of the density of a beta law at x, given those of x and 1 - x."""
    with np.errstate(invalid="ignore"):
        left, right = (np.where(n == 1, 0.0, (n - 1) * log) for n, log in ((a, log_x), (b, log_rest)))
    return left + right - betaln(a, b)


# a side that is kept counts half as much the next time, so that both sides come closer (Illinois)
KEPT = np.array([[1.0], [1.0], [1.0], [0.5]])


def _maxima(points, laws, low, high):
    """Return bounds from above on the maxima of concave functions between `low` and `high`."""
    left, right = points(laws, low), points(laws, high)
    falls, rises = left[2] <= 0, right[2] >= 0
    # where the slope has one sign, the maximum is at an end
    tops = np.where(falls, left[1], right[1])
    todo = np.flatnonzero(~(falls | rises))
    left, right, laws = left[:, todo], right[:, todo], laws[:, todo]
    for _ in range(MOST_STEPS):
        new = points(laws, left[0] + (right[0] - left[0]) * left[3] / (left[3] - right[3]))
        to_left = new[2] > 0
        left, right = np.where(to_left, new, left * KEPT), np.where(to_left, right * KEPT, new)
        # the height at which the tangents of both sides cross
        where = (right[1] - left[1] + left[2] * left[0] - right[2] * right[0]) / (left[2] - right[2])
        tops[todo] = left[1] + left[2] * (where - left[0])
        unclear = tops[todo] - new[1] >= ACCURACY
        if not unclear.any():
            break
        todo, left, right, laws = todo[unclear], left[:, unclear], right[:, unclear], laws[:, unclear]
    return tops
