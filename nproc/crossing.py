"""The probability that the order statistics of a uniform sample keep within bounds, exact for any sample size.

References
----------
.. [moscovich2017] Moscovich, A. and Nadler, B. (2017). Fast calculation of boundary crossing probabilities for Poisson
   processes. Statistics and Probability Letters 123, 177-182.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln

from nproc.checks import as_floats
from nproc.errors import InvalidInputError

# a count further than this many standard deviations from its mean is left out; together they weigh less than 1e-15
SPREAD = 8.5
# bounds that are mirror images but for the rounding of one number near 1
ROUNDING = 2.3e-16
# bounds taken together in one step, and numbers in the tables of one batch of steps: both for speed only
BLOCK, BATCH = 48, 500_000


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
    The number N(t) of points at most t is a Poisson process of rate n, given that it is n at t = 1; between two bounds
    its law is convolved with a Poisson law, and at a bound it loses the counts that are not allowed [moscovich2017]_.
    Here 32 bounds are taken in one step. A path that crosses a bound is, at one of the times, in the state next to it:
    :math:`N(b_j) = j - 1` at its first crossing of an upper bound, since until then N is at least j - 1 at
    :math:`b_{j-1}`; and :math:`N(a_j) = j` at one of the lower bounds, if it is within the next of them afterwards,
    since :math:`N(a_j) - j` falls by at most 1 from bound to bound. Both states are forbidden. Ordered in time, the
    times :math:`t_k` and states :math:`s_k` give a triangular system for the probabilities :math:`h_k` that k is the
    first of them that is hit,

    .. math:: P(N(t_k) = s_k) = \sum_{i \le k} h_i\, P(N(t_k) - N(t_i) = s_k - s_i),

    and what is lost at the end of the step is the sum of the :math:`h_k` spread by Poisson laws. The cost is O(n) steps
    over a window of O(sqrt(n)) counts, half of them where lower and upper bounds are mirror images.

    Examples
    --------
    >>> round(inside_probability([0.0, 0.1], [0.9, 1.0]), 10)  # 1 - P(both below 0.1) - P(both above 0.9)
    0.98
    """
    lower, upper = as_floats(lower, "lower"), as_floats(upper, "upper")
    if lower.ndim != 1 or lower.shape != upper.shape or lower.size == 0:
        raise InvalidInputError(
            f"lower and upper must be two lists of n bounds each, got shapes {lower.shape} and {upper.shape}."
        )
    for name, bound in (("lower", lower), ("upper", upper)):
        if not np.all(np.diff(bound) >= 0) or not np.isfinite(bound).all():
            raise InvalidInputError(f"{name} must hold finite numbers that do not decrease; sort them first.")
    if np.any(upper < 0) or np.any(lower > 1) or np.any(lower > upper):
        return 0.0
    n = lower.size
    ranks = np.arange(1, n + 1)
    # at time a_j fewer than j points may lie below, at time b_j at least j must
    times, is_floor = np.concatenate([lower, upper]), np.repeat([False, True], n)
    ranks = np.concatenate([ranks, ranks])
    bites = np.where(is_floor, times < 1, times > 0)
    times, ranks, is_floor = times[bites], ranks[bites], is_floor[bites]
    order = np.lexsort((is_floor, times))
    mirrored = np.abs(lower + upper[::-1] - 1).max() <= ROUNDING
    weights, first, now = _follow(n, times[order], ranks[order], is_floor[order], 0.5 if mirrored else 1.0)
    if mirrored:
        # what happens after 1/2 is the same, seen from the other end
        weights, now = np.convolve(weights, _poisson(np.arange(_reach_of(n * (0.5 - now))), n * (0.5 - now))), 0.5
        from_end = n - np.arange(first, first + weights.size) - first
        known = (from_end >= 0) & (from_end < weights.size)
        arrive = np.where(known, weights[np.where(known, from_end, 0)], 0.0)
    else:
        missing = n - first - np.arange(weights.size)
        arrive = np.where(missing >= 0, _poisson(np.maximum(missing, 0), n * (1 - now)), 0.0)
    return float(min(1.0, max(0.0, weights @ arrive / math.exp(_log_poisson_at_mean(n)))))


def _follow(n, times, ranks, is_floor, until):
    """Return the weights of the counts after the bounds, given in the order of their times, up to a time.

    Returns
    -------
    weights : ndarray
        Probabilities of the counts together with having kept within the bounds.
    first : int
        The first of these counts.
    now : float
        The time of the last bound.
    """
    states = ranks - is_floor
    # after each bound: the floor so far, and the next ceiling
    floors = np.maximum.accumulate(np.where(is_floor, ranks, 0))
    ceilings = np.append(np.minimum.accumulate(np.where(is_floor, n, ranks - 1)[::-1])[-2::-1], n)
    reach = SPREAD * np.sqrt(n * times * (1 - times)) + 40
    lowest = np.maximum(floors, np.floor(n * times - reach)).astype(np.int64)
    highest = np.minimum(ceilings, np.ceil(n * times + reach)).astype(np.int64)
    times = times[times <= until]
    weights, first, now = np.ones(1), 0, 0.0
    for part, n_steps in _parts(times, n):
        at, hit = times[part].reshape(n_steps, -1), states[part].reshape(n_steps, -1)
        ends = part.start + at.shape[1] * np.arange(1, n_steps + 1) - 1
        step = _tables(n, np.append(now, at[:-1, -1]), at, hit)
        for j, (low, high) in enumerate(zip(lowest[ends].tolist(), highest[ends].tolist(), strict=True)):
            weights, first = _advance(weights, first, hit[j], [table[j] for table in step], low, high)
            if weights.size == 0:
                return np.zeros(1), 0, at[-1, -1]
        now = at[-1, -1]
    return weights, first, now


def _parts(times, n):
    """Yield slices of the bounds and the number of steps in each; all steps of a slice have the same size."""
    full = times.size - times.size % BLOCK
    ends = times[BLOCK - 1 : full : BLOCK]
    gaps = np.diff(n * ends, prepend=0.0)
    start = 0
    while start < full:
        # tables are as wide as the longest step of the batch needs: a long step has a batch of its own
        at = start // BLOCK
        width = _reach_of(max(gaps[at], 1.0))
        room = max(1, int(BATCH / (BLOCK * width)))
        longer = np.flatnonzero(gaps[at : at + room] > 2 * max(gaps[at], BLOCK))
        n_steps = min(room, gaps.size - at, int(longer[0]) if longer.size else room)
        yield slice(start, start + n_steps * BLOCK), n_steps
        start += n_steps * BLOCK
    if full < times.size:
        yield slice(full, times.size), 1


def _tables(n, starts, at, hit):
    """Return for each step the laws from its start to its bounds, from these to its end, of the hits, and freely."""
    ends = at[:, -1]
    size = _reach_of(float(np.max(n * (ends - starts))))
    later, earlier = np.tril_indices(at.shape[1], -1)
    between = hit[:, later] - hit[:, earlier]
    hits = np.zeros((*at.shape, at.shape[1])) + np.eye(at.shape[1])
    hits[:, later, earlier] = np.where(
        between >= 0, _poisson(np.maximum(between, 0), n * (at[:, later] - at[:, earlier])), 0.0
    )
    free = _poisson_rows(n * (ends - starts), size)
    return (
        _poisson_rows(n * (at - starts[:, None]), size),
        _poisson_rows(n * (ends[:, None] - at), size),
        np.linalg.inv(hits),
        # rounding errors of the same sign in all steps would add up
        free / free.sum(axis=1, keepdims=True),
    )


def _advance(weights, first, hit, tables, low, high):
    """Return the weights of the counts from low to high after a step, and the first of these counts."""
    into, onwards, inverse, free = tables
    jumps = np.arange(free.size)
    before = max(0, first - (int(hit.min()) - free.size + 1))
    behind = max(0, int(hit.max()) - first + 1 - weights.size)
    padded = np.concatenate([np.zeros(before), weights, np.zeros(behind)])
    reached = np.einsum("km,km->k", into, padded[hit[:, None] + (before - first) - jumps])
    base = int(hit.min())
    lost = np.bincount(
        (hit[:, None] + (jumps - base)).ravel(), weights=((inverse @ reached)[:, None] * onwards).ravel()
    )
    moved = np.convolve(weights, free)
    low, high = max(low, first), min(high, first + moved.size - 1)
    kept = moved[low - first : max(high, low - 1) - first + 1]
    start, stop = max(low, base), min(high + 1, base + lost.size)
    if start < stop:
        kept[start - low : stop - low] -= lost[start - base : stop - base]
    return kept, low


def _reach_of(mean):
    """Return a number of jumps that a Poisson count with this mean exceeds with probability below 1e-17."""
    return int(np.ceil(mean + 10 * np.sqrt(mean) + 12))


def _poisson_rows(means, size):
    """Return the Poisson probabilities of 0, ..., size - 1 for each mean, along a new last axis."""
    if means.max() > 500:
        return _poisson(np.arange(size), means[..., None])
    factors = np.empty((*means.shape, size))
    factors[..., 0] = np.exp(-means)
    np.divide(means[..., None], np.arange(1, size), out=factors[..., 1:])
    return np.cumprod(factors, axis=-1, out=factors)


def _poisson(count, mean):
    """Return the Poisson probabilities of whole counts, with mean 0 allowed."""
    mean = np.asarray(mean, dtype=np.float64)
    log_factorials = gammaln(np.arange(np.max(count, initial=0) + 1) + 1.0)[count]
    logs = count * np.log(np.where(mean > 0, mean, 1.0)) - mean - log_factorials
    return np.where((mean > 0) | (count == 0), np.exp(logs), 0.0)


def _log_poisson_at_mean(n):
    """Return log P(Poisson(n) = n) without the cancellation of n log n, n and log n!."""
    if n < 20:
        return n * math.log(n) - n - math.lgamma(n + 1)
    # Stirling's series; the next term is below 1e-14
    return -0.5 * math.log(2 * math.pi * n) - (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * n**2)) / n**2) / n**2) / n


__all__ = ["inside_probability"]
