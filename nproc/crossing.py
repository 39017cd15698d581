"""The probability that the order statistics of a uniform sample keep within bounds, exact for any sample size.

References
----------
.. [moscovich2017] Moscovich, A. and Nadler, B. (2017). Fast calculation of boundary crossing probabilities for Poisson
   processes. Statistics and Probability Letters 123, 177-182.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from nproc.errors import InvalidInputError

# a count further than this many standard deviations from its mean is left out; together they weigh less than 1e-15
SPREAD = 8.5


def inside_probability(lower, upper):
    r"""Return the probability that every order statistic of a uniform sample lies between its bounds.

    Parameters
    ----------
    lower, upper : array-like, shape (n,)
        Bounds of the order statistics in increasing order, each nondecreasing; 0 and 1 are no bounds.

    Returns
    -------
    float
        :math:`P(a_j \le U_{(j)} \le b_j \text{ for all } j)`, from below: what is left out is less than 1e-12.

    Raises
    ------
    InvalidInputError
        If the bounds have different lengths, are not numbers, or decrease.

    Notes
    -----
    The number of points at most t is a Poisson process of rate n, given that it is n at t = 1. Between two bounds its
    law is convolved with a Poisson law; at a bound it loses the counts that are not allowed [moscovich2017]_. The cost
    is O(n) convolutions of a window of O(sqrt(n)) counts.

    Examples
    --------
    >>> round(inside_probability([0.0, 0.1], [0.9, 1.0]), 10)  # 1 - P(both below 0.1) - P(both above 0.9)
    0.98
    """
    lower, upper = (np.asarray(bound, dtype=np.float64) for bound in (lower, upper))
    if lower.ndim != 1 or lower.shape != upper.shape or lower.size == 0:
        raise InvalidInputError(
            f"lower and upper must be two lists of n bounds each, got shapes {lower.shape} and {upper.shape}."
        )
    for name, bound in (("lower", lower), ("upper", upper)):
        if not np.all(np.diff(bound) >= 0) or not np.isfinite(bound).all():
            raise InvalidInputError(f"{name} must hold finite numbers that do not decrease; sort them first.")
    n = lower.size
    ranks = np.arange(1, n + 1)
    # at time a_j fewer than j points may lie below, at time b_j at least j must
    times, limits = np.concatenate([lower, upper]), np.concatenate([ranks - 1, ranks])
    is_floor = np.repeat([False, True], n)
    if np.any(upper < 0) or np.any(lower > 1):
        return 0.0
    bites = np.where(is_floor, times < 1, times > 0)
    times, limits, is_floor = times[bites], limits[bites], is_floor[bites]
    order = np.lexsort((is_floor, times))
    return _follow(n, times[order], limits[order], is_floor[order])


def _follow(n, times, limits, is_floor):
    """Return the share of the paths of the count that keep within the limits."""
    reach = SPREAD * np.sqrt(n * times * (1 - times)) + 40
    highest = np.minimum(n, np.ceil(n * times + reach)).astype(np.int64)
    lowest = np.maximum(0, np.floor(n * times - reach)).astype(np.int64)
    highest = np.where(is_floor, highest, np.minimum(highest, limits))
    lowest = np.where(is_floor, np.maximum(lowest, limits), lowest)
    weights, first, now = np.ones(1), 0, 0.0
    for start in range(0, times.size, 4096):
        part = slice(start, start + 4096)
        gaps = n * np.diff(times[part], prepend=now)
        now = times[part][-1]
        sizes = np.ceil(gaps + 10 * np.sqrt(gaps) + 12).astype(np.int64)
        kernels = _poisson(np.arange(sizes.max()), gaps[:, None])
        for gap, kernel, size, low, high in zip(
            gaps, kernels, sizes.tolist(), lowest[part].tolist(), highest[part].tolist(), strict=True
        ):
            if gap > 0:
                weights = np.convolve(weights, kernel[:size])
            low, high = max(low, first), min(high, first + weights.size - 1)
            if high < low:
                return 0.0
            weights, first = weights[low - first : high - first + 1], low
    missing = n - first - np.arange(weights.size)
    arrive = np.where(missing >= 0, _poisson(np.maximum(missing, 0), n * (1 - now)), 0.0)
    return float(min(1.0, weights @ arrive / _poisson(n, n)))


def _poisson(count, mean):
    """Return the Poisson probabilities of counts, with mean 0 allowed."""
    count, mean = np.broadcast_arrays(count, np.asarray(mean, dtype=np.float64))
    logs = count * np.log(np.where(mean > 0, mean, 1.0)) - mean - gammaln(count + 1.0)
    return np.where((mean > 0) | (count == 0), np.exp(logs), 0.0)


__all__ = ["inside_probability"]
