r"""Where one method dominates another, for all levels and all pairs of methods at once: the numerics.

Two things can be compared. The *fitted rules* "score > k-th smallest left-out class 0 score" have the type II errors
:math:`F_1(T_{(k)})`, thresholds included. The *fitted scores* have the ROC curves

.. math:: \beta(\alpha) = F_1(t_\alpha), \qquad t_\alpha = \inf\{t : 1 - F_0(t) \le \alpha\},

the smallest type II error of a threshold whose true type I error is at most alpha; here :math:`F_y` is the distribution
function of the score in class y, given the training. Rules of equally good scores differ, because their thresholds are
random; their curves do not. Arguments are already checked. The public functions are in
`nproc.comparison.bands`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from nproc.simultaneous import local_bounds, local_level, simultaneous_cdf_bounds

# widths of the cells of the paired regions in standard deviations of an order statistic: a narrow cell loses little in
# its interior, and costs little, since the level of a test enters by its logarithm
SCORE_CELL, RULE_CELL = 1.0, 0.5


@dataclass(frozen=True, eq=False)
class StepCurve:
    """Bounds on a type II error as right-continuous step functions of alpha.

    Attributes
    ----------
    alpha : ndarray, shape (m,)
        Knots in ascending order. Below the first one the upper bound is 1 and the lower one is that of the knot.
    lower, upper : ndarray, shape (m,)
        Bounds from each knot to the next.
    """

    alpha: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def at(self, alpha):
        """Return the lower and the upper bound at levels."""
        where = np.searchsorted(self.alpha, alpha, side="right") - 1
        none, where = where < 0, np.maximum(where, 0)
        return self.lower[where], np.where(none, 1.0, self.upper[where])


@dataclass(frozen=True, eq=False)
class Cells:
    """Ranges of alpha, for each of which two thresholds of a method decide.

    Attributes
    ----------
    alpha_low, alpha_high : ndarray, shape (m,)
        Ends of the ranges, ``alpha_low <= alpha < alpha_high``, in ascending order.
    upper_ranks, lower_ranks : ndarray of int, shape (m,)
        Ranks of class 0 scores, of which the larger one bounds a type II error from above and the smaller one from
        below, throughout the range. Neither increases with alpha.
    """

    alpha_low: np.ndarray
    alpha_high: np.ndarray
    upper_ranks: np.ndarray
    lower_ranks: np.ndarray


def roc_curve_bounds(sorted0, sorted1, delta, *, guard=0.0):
    r"""Return bounds on the ROC curve of a fitted score that hold at all alpha at once.

    Parameters
    ----------
    sorted0, sorted1 : ndarray, shape (n0,) and (n1,)
        Left-out scores in ascending order.
    delta : float
        Probability that the curve leaves the bounds anywhere.
    guard : float or ndarray, shape (n0,)
        Distance above a threshold within which scores count as equal to it.

    Returns
    -------
    StepCurve
        Bounds on the type II error, :math:`\beta(\alpha)`.

    Notes
    -----
    Half of delta goes to each class. With probability at least 1 - delta / 2, :math:`F_0(T_{(k)}) \ge a_k` and
    :math:`F_0(T_{(j)}-) \le b_j` for all ranks, where a and b are the bounds of uniform order statistics that hold at
    once (see `nproc.simultaneous`; for continuous scores both are :math:`U_{(k)}`). If :math:`1 - a_k \le \alpha`, the
    type I error at :math:`T_{(k)}` is at most alpha, so :math:`t_\alpha \le T_{(k)}` and
    :math:`\beta(\alpha) \le F_1(T_{(k)})`. If :math:`b_j < 1 - \alpha`, every :math:`t < T_{(j)}` has a type I error
    above alpha, so :math:`t_\alpha \ge T_{(j)}` and :math:`\beta(\alpha) \ge F_1(T_{(j)})`. Given the class 0 scores,
    :math:`F_1` lies within its own bounds at all these points with probability at least 1 - delta / 2. Ties need no
    care; the class 0 and class 1 rows need not have the same scores in common with any other method.
    """
    type1_upper, type1_lower = _type1_bounds(sorted0.size, delta / 2)
    alpha = np.unique(np.concatenate([[0.0], type1_upper, type1_lower]))
    alpha = alpha[alpha < 1]
    # both fall with the rank: so many ranks have a bound above alpha
    above = sorted0.size - np.searchsorted(type1_upper[::-1], alpha, side="right")
    below = sorted0.size - np.searchsorted(type1_lower[::-1], alpha, side="right")
    none, zero = above == sorted0.size, below == 0
    cuts = sorted0 + guard
    upper = _error_bounds(cuts[np.minimum(above, sorted0.size - 1)], sorted1, delta / 2)[1]
    lower = _error_bounds(sorted0[np.maximum(below - 1, 0)], sorted1, delta / 2)[0]
    return StepCurve(alpha, np.where(zero, 0.0, lower), np.where(none, 1.0, upper))


def rule_bounds(alpha, cuts, sorted1, delta):
    r"""Return bounds on the type II errors of all rules of a method that hold at once.

    Parameters
    ----------
    alpha : ndarray, shape (n0,)
        Level from which each rule serves, ascending.
    cuts : ndarray, shape (n0,)
        The thresholds of the rules, descending.
    sorted1 : ndarray, shape (n1,)
        Left-out class 1 scores in ascending order.
    delta : float
        Probability that any error lies outside its bounds.

    Returns
    -------
    StepCurve

    Notes
    -----
    The thresholds are class 0 scores, independent of the class 1 scores, whose whole distribution function is bounded.
    Below the first knot there is no rule, and nothing is said: the upper bound is 1.
    """
    return StepCurve(alpha, *_error_bounds(cuts, sorted1, delta))


def roc_cells(n0, delta):
    r"""Return ranges of alpha with ranks that bound the ROC curve of any fitted score there, all at once.

    Parameters
    ----------
    n0 : int
        Number of left-out class 0 scores.
    delta : float
        Probability, for one score, that the bound fails anywhere.

    Returns
    -------
    Cells
        About :math:`\pi \sqrt{n_0}` ranges: one standard deviation of an order statistic each. Those too near to 0
        or 1 to be bounded are left out.

    Notes
    -----
    With probability at least 1 - delta, :math:`F_1(T_{(j)}) \le \beta(\alpha) \le F_1(T_{(k)})` throughout each range,
    where k is its upper and j its lower rank: see `roc_curve_bounds`.
    """
    type1_upper, type1_lower = _type1_bounds(n0, delta)
    levels = _arcsine_levels(n0, SCORE_CELL)
    above = n0 - np.searchsorted(type1_upper[::-1], levels[:-1], side="right")
    # the last rank whose bound is not below the end of the range
    below = n0 - np.searchsorted(type1_lower[::-1], levels[1:], side="left")
    kept = (above < n0) & (below > 0)
    ends = type1_upper[above[kept]], type1_lower[below[kept] - 1]
    return Cells(*ends, above[kept] + 1, below[kept])


def rule_cells(alpha):
    """Return ranges of alpha that together hold every rule of two methods, whose rank is the same in both.

    Parameters
    ----------
    alpha : ndarray, shape (n0,)
        Level from which the rules of ranks n0, ..., 1 serve, ascending.

    Returns
    -------
    Cells
        Ranges of ranks, half a standard deviation of an order statistic or one rank wide.
    """
    n0 = alpha.size
    edges = np.unique(np.round(n0 * _arcsine_levels(n0, RULE_CELL)).astype(np.int64))[::-1]
    ends = np.append(alpha, 1.0)
    upper_ranks, lower_ranks = edges[:-1], edges[1:] + 1
    return Cells(ends[n0 - upper_ranks], ends[n0 + 1 - lower_ranks], upper_ranks, lower_ranks)


def runs_below(first, second):
    """Return the maximal ranges of alpha in which the upper bound of one `StepCurve` is below the lower of another."""
    grid = np.unique(np.concatenate([first.alpha, second.alpha]))
    wins = first.at(grid)[1] < second.at(grid)[0]
    return join_ranges(grid[wins], np.append(grid[1:], 1.0)[wins])


def join_ranges(lows, highs):
    """Return the union of ranges, both ends ascending, as (low, high) pairs; those that touch become one.

    Empty ranges are left out.

    Parameters
    ----------
    lows, highs : ndarray, shape (m,)
        Ends of the ranges.

    Returns
    -------
    list of tuple of float

    Examples
    --------
    >>> join_ranges(np.array([0.1, 0.2, 0.5]), np.array([0.2, 0.4, 0.6]))
    [(0.1, 0.4), (0.5, 0.6)]
    """
    joined = []
    for low, high in zip(lows.tolist(), highs.tolist(), strict=True):
        if low >= high:
            continue
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return joined


@lru_cache(maxsize=8)
def _type1_bounds(n0, delta):
    """Upper and lower bounds on the type I errors at all ranks, at once; the lower ones from just below the scores."""
    below, above = local_bounds(n0, local_level(n0, delta))
    return 1 - below, 1 - above


@lru_cache(maxsize=8)
def _count_bounds(n, delta):
    """Bounds on a distribution function by the number of values, 0 to n, at or below a point."""
    return simultaneous_cdf_bounds(np.arange(n + 1), n, delta)


def _arcsine_levels(n, width):
    """Levels from 0 to 1, apart by `width` standard deviations of a share of n."""
    n_cells = max(1, math.ceil(math.pi * math.sqrt(n) / width))
    levels = np.sin(np.linspace(0, math.pi / 2, n_cells + 1)) ** 2
    levels[-1] = 1.0
    return levels


def _error_bounds(cuts, sorted1, delta):
    missed = np.searchsorted(sorted1, cuts, side="right")
    lower, upper = _count_bounds(sorted1.size, delta)
    return lower[missed], upper[missed]
