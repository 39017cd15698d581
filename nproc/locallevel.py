"""The local level: at which level each of n order statistics keeps its bounds, if all are to keep them at once.

References
----------
The recursion for the probability is in `nproc.crossing`; the bounds are those of the statistic M_n of
[berk1979]_, in the exact form of [moscovich2016]_.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.special import betainccinv, betaincinv

from nproc.checks import check_count, check_level
from nproc.crossing import inside_probability
from nproc.errors import InvalidInputError

# the failure probability found is in [(1 - SLACK) delta, delta]
SLACK = 1e-3
# from this size on smaller samples, a fraction of the work, tell where to look for the local level
START_FROM = 640
# steps along a slope before the bracket is only halved
STEPS = 8
# below this delta 1 - P(inside) has too few digits, and Bonferroni's level, hardly smaller there, is taken
SMALLEST = 1e-9
# a count by mistake would otherwise work for days
MOST_VALUES, COST = 10**7, "the work grows like n^1.5, and is minutes at 10^6"


def local_bounds(n, level, *, sides=2):
    """Return the quantiles of all order statistics of n uniform variables at one level.

    Parameters
    ----------
    n : int
        Sample size.
    level : float
        Probability with which one order statistic leaves its bounds on one side, in (0, 1).
    sides : {1, 2}
        1: upper bounds only; the lower ones are 0.

    Returns
    -------
    lower, upper : ndarray, shape (n,)
        Beta quantiles (Clopper-Pearson).

    Examples
    --------
    >>> lower, upper = local_bounds(1, 0.05)
    >>> round(lower[0], 12), round(upper[0], 12)
    (np.float64(0.05), np.float64(0.95))
    """
    ranks = np.arange(1, n + 1)
    upper = betainccinv(ranks, n + 1 - ranks, level)
    if sides == 1:
        return np.zeros(n), upper
    half = ranks[: (n + 1) // 2]
    small = betaincinv(half, n + 1 - half, level)
    return np.concatenate([small, 1 - upper[: n // 2][::-1]]), upper


def local_level(n, delta, *, sides=2):
    """Return the local level at which all order statistics keep their bounds with probability 1 - delta.

    Parameters
    ----------
    n : int
        Sample size.
    delta : float
        Probability that any order statistic leaves its bounds, in (0, 1).
    sides : {1, 2}
        1: upper bounds only.

    Returns
    -------
    float
        A level at which the probability of failure, computed to 1e-12, is at most `delta` and at least 0.999 `delta`,
        for every n. For `delta` below 1e-9 it is Bonferroni's, at which that probability is at most `delta` and may be
        well below.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Notes
    -----
    Exact at every size, so nothing is tabulated or interpolated. There is always such a level: the probability of
    failure is continuous in it, from 0 up to 1 (which two sides reach at 1/2, where lower and upper bounds meet). It is
    found in two or three evaluations of the probability, some more for a few values and a large delta, each O(n) steps
    over O(sqrt(n)) counts: together a few seconds of work at n = 10^5, a minute or two at 10^6. Levels are kept.

    Examples
    --------
    >>> level = local_level(100, 0.05)
    >>> 0.04995 <= 1 - inside_probability(*local_bounds(100, level)) <= 0.05
    True
    """
    n, delta = check_count(n, "n", maximum=MOST_VALUES, reason=COST), check_level(delta, "delta")
    if sides not in (1, 2):
        raise InvalidInputError(f"sides must be 1 or 2, got {sides!r}.")

    if delta < SMALLEST:
        return math.exp(_bonferroni(n, delta, sides))
    return math.exp(_log_level(n, delta, sides))


def _bonferroni(n, delta, sides):
    return math.log(delta / (sides * n)) - 2 * SLACK


@lru_cache(maxsize=1024)
def _log_level(n, delta, sides):
    """Return the logarithm of the local level, by steps with a known slope inside a bracket, and then by halving it."""
    # between delta / (number of bounds), where Bonferroni's inequality holds, and delta itself
    low, high = _bonferroni(n, delta, sides), math.log(delta)
    guess = min(high, max(low, _start(n, delta, sides)))
    target = _loglog(delta * (1 - SLACK / 2))
    for n_found in range(200):
        found = 1.0 - inside_probability(*local_bounds(n, math.exp(guess), sides=sides))
        if delta * (1 - SLACK) <= found <= delta:
            return guess
        low, high = (guess, high) if found <= delta else (low, guess)
        # -log(1 - failure) grows like a power of the level, in all sizes nearly the same; where it does not (levels
        # near 1/2 on two sides, samples of a few values) such steps may go round in circles, and halving ends
        step = guess + (target - _loglog(found)) / (1 + 0.88 / min(guess, -2.0))
        guess = step if n_found < STEPS and low < step < high else (low + high) / 2
    return low


def about_local_level(n, delta, *, sides=2):
    """Return the local level of checked arguments, for a large sample within 2 % and without its own work."""
    return math.exp(_start(n, delta, sides)) if n >= START_FROM else local_level(n, delta, sides=sides)


def _start(n, delta, sides):
    """Return about the logarithm of the local level: a straight line in log log n through two smaller samples."""
    if n < START_FROM:
        return math.log(delta / (sides * (1 + 2.5 * math.log(n) ** 1.6)))
    near, far = n // 4, n // 16
    at_near, at_far = (_log_level(size, delta, sides) for size in (near, far))
    share = math.log(math.log(n) / math.log(near)) / math.log(math.log(near) / math.log(far))
    return at_near + share * (at_near - at_far)


def _loglog(failure):
    return math.log(-math.log1p(-min(max(failure, 1e-300), 1 - 1e-16)))


__all__ = ["about_local_level", "local_bounds", "local_level"]
