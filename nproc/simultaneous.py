r"""Bounds on a distribution function that hold at all points at once, exact for any sample size.

A bound of the NP-ROC band holds at one alpha fixed beforehand. The bounds here hold for all ranks at once: with
:math:`U_{(1)} \le \dots \le U_{(n)}` the order statistics of n uniform variables,

.. math:: P\bigl( a_j \le U_{(j)} \le b_j \text{ for all } j \bigr) = 1 - \delta,

where :math:`a_j` and :math:`b_j` are quantiles of the law of :math:`U_{(j)}`, Beta(j, n + 1 - j), at one and the same
local level. This inverts the statistic :math:`M_n` of [berk1979]_, the smallest p-value of a single order statistic, of
which [moscovich2016]_ have the exact theory. The local level is found from the probability itself, see
`nproc.simultaneous`.

References
----------
.. [berk1979] Berk, R. H. and Jones, D. H. (1979). Goodness-of-fit test statistics that dominate the Kolmogorov
   statistics. Zeitschrift fuer Wahrscheinlichkeitstheorie und verwandte Gebiete 47, 47-59.
.. [moscovich2016] Moscovich, A., Nadler, B. and Spiegelman, C. (2016). On the exact Berk-Jones statistics and their
   p-value calculation. Electronic Journal of Statistics 10(2), 2329-2354.
.. [moscovich2017] Moscovich, A. and Nadler, B. (2017). Fast calculation of boundary crossing probabilities for Poisson
   processes. Statistics and Probability Letters 123, 177-182.
.. [loader2000] Loader, C. (2000). Fast and accurate computation of binomial probabilities. Bell Laboratories.
.. [massart1990] Massart, P. (1990). The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality. Annals of
   Probability 18(3), 1269-1283.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.lapack import dtrtrs
from scipy.special import betainc, betaincc, betainccinv, betaincinv, betaln, gammaln, xlog1py, xlogy

from nproc.checks import (
    as_array,
    as_floats,
    check_choice,
    check_count,
    check_counts,
    check_level,
    check_levels,
    shown,
    tells_names,
)
from nproc.errors import InvalidInputError

# a count further than this many standard deviations from its mean is left out; together they weigh less than 1e-15
SPREAD = 8.5
# bounds that are mirror images but for the rounding of one number near 1
ROUNDING = 2.3e-16
# bounds taken together in one step, and numbers in the tables of one batch of steps: both for speed only
BLOCK, BATCH = 48, 250_000
# means beyond which logarithms of Poisson probabilities lose digits, and counts below which Stirling's series does
LARGE_MEAN, SMALL_COUNT = 100.0, 20
# the largest mean whose probability of 0 is begun with: it must not vanish
LARGEST_START = 500.0
# the square of (count - mean) / (count + mean) up to which the deviance is a series, and how many terms that has
NEAR_MEAN, SERIES_TERMS = 0.01, 8


# SciPy's beta quantiles are wrong where a shape is exactly this: by a factor of 2.4 for Beta(1000, 9090) and 0.05
WRONG_AT = 1000.0
# where the shapes add up to less, the other quantiles of SciPy were seen to be right to 1e-12, which is not proved
POLISHED_FROM = 1e5


def beta_quantile(a, b, level):
    """Return x with P(B <= x) = `level` for B with the law Beta(a, b); arrays are broadcast.

    Notes
    -----
    SciPy's quantile, apart from two flaws of it. If a shape is exactly 1000, it may be wrong in the first digit: the
    next larger number is taken in place of 1000. For large shapes it is right to few digits, such as 9 at 1e8: a step
    of Newton's method on SciPy's distribution function, which is right to 12, mends that.

    Examples
    --------
    >>> float(beta_quantile(9090, 1000, 0.05)).__round__(6)
    0.895954
    """
    a, b = _shapes(a, b)
    x = betaincinv(a, b, level)
    return _polished(x, a, b, betainc(a, b, x) - level) if _large(a, b) else x


def beta_upper_quantile(a, b, level):
    """Return x with P(B > x) = `level` for B with the law Beta(a, b), as `beta_quantile` does.

    Examples
    --------
    >>> float(beta_upper_quantile(1000, 9090, 0.05)).__round__(6)
    0.104046
    """
    a, b = _shapes(a, b)
    x = betainccinv(a, b, level)
    return _polished(x, a, b, level - betaincc(a, b, x)) if _large(a, b) else x


def _shapes(*shapes):
    return [np.where(np.equal(shape, WRONG_AT), np.nextafter(WRONG_AT, np.inf), shape) for shape in shapes]


def _large(a, b):
    return np.max(a + b, initial=0.0) > POLISHED_FROM


def _polished(x, a, b, excess):
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        step = excess * np.exp(betaln(a, b) - xlogy(a - 1, x) - xlog1py(b - 1, -x))
        # nothing is moved at 0, at 1, and where there is no density left
        return np.where(np.abs(step) <= 1e-3 * np.minimum(x, 1 - x), x - step, x)


def inside_probability(lower, upper):
    r"""Return the probability that every order statistic of a uniform sample lies between its bounds.

    Parameters
    ----------
    lower, upper : array-like, shape (n,)
        Bounds of the order statistics in increasing order, each nondecreasing; 0 and 1 are no bounds.

    Returns
    -------
    float
        :math:`P(a_j \le U_{(j)} \le b_j \text{ for all } j)`, to within 1e-12 (seen where
        the law is known, for n up to 10^6).

    Raises
    ------
    InvalidInputError
        If the bounds have different lengths, are not numbers, or decrease.

    Notes
    -----
    The number N(t) of points at most t is a Poisson process of rate n, given that it is n at t = 1; between two bounds
    its law is convolved with a Poisson law, and at a bound it loses the counts that are not allowed [moscovich2017]_.
    Here 48 bounds are taken in one step. A path that crosses a bound is, at one of the times, in the state next to it:
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
    free = np.ascontiguousarray(_poisson_columns(n * (ends - starts), size).T)
    return (
        _poisson_columns(n * (at - starts[:, None]), size).swapaxes(0, 1),
        _poisson_columns(n * (ends[:, None] - at), size).swapaxes(0, 1),
        hits,
        # rounding errors of the same sign in all steps would add up
        free / free.sum(axis=1, keepdims=True),
    )


def _advance(weights, first, hit, tables, low, high):
    """Return the weights of the counts from low to high after a step, and the first of these counts."""
    into, onwards, hits, free = tables
    base, top = int(hit.min()), int(hit.max())
    jumps = np.arange(free.size)[:, None]
    before = max(0, first - (base - free.size + 1))
    behind = max(0, top - first + 1 - weights.size)
    padded = np.concatenate([np.zeros(before), weights, np.zeros(behind)])
    reached = np.einsum("mk,mk->k", into, padded[(hit + (before - first)) - jumps])
    first_hits, _ = dtrtrs(hits.T, reached, lower=0, trans=1, unitdiag=1)
    lost = np.bincount(((hit - base) + jumps).ravel(), weights=(onwards * first_hits).ravel())
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


def _poisson_columns(means, size):
    """Return the Poisson probabilities of 0, ..., size - 1 for each mean, along a new first axis."""
    if means.max() > LARGEST_START:
        return _poisson(np.arange(size).reshape(-1, *(1,) * means.ndim), means)
    columns = np.empty((size, *means.shape))
    columns[0] = np.exp(-means)
    for count in range(1, size):
        np.multiply(columns[count - 1], means / count, out=columns[count])
    return columns


def _poisson(count, mean):
    """Return the Poisson probabilities of whole counts, with mean 0 allowed."""
    mean = np.asarray(mean, dtype=np.float64)
    positive = np.where(mean > 0, mean, 1.0)
    if np.max(mean, initial=0.0) > LARGE_MEAN:
        logs = _log_poisson_of_large_mean(np.asarray(count, dtype=np.float64), positive)
    else:
        log_factorials = gammaln(np.arange(np.max(count, initial=0) + 1) + 1.0)[count]
        logs = count * np.log(positive) - mean - log_factorials
    return np.where((mean > 0) | (count == 0), np.exp(logs), 0.0)


def _log_poisson_of_large_mean(count, mean):
    """Return the logarithms of Poisson probabilities without the cancellation of terms as large as the mean.

    By [loader2000]_ log P(N = k) is -log(2 pi k) / 2, less the error of Stirling's formula, less the deviance k log(k /
    mean) + mean - k, which has a series in (k - mean) / (k + mean) where k is near the mean.
    """
    some = np.maximum(count, 1.0)
    ratio = (some - mean) / (some + mean)
    square = np.minimum(ratio * ratio, NEAR_MEAN)
    series = np.zeros_like(square)
    for j in range(SERIES_TERMS, 0, -1):
        series = (series + 1.0 / (2 * j + 1)) * square
    near = (some - mean) * ratio + 2.0 * some * ratio * series
    deviance = np.where(square < NEAR_MEAN, near, some * np.log(some / mean) + mean - some)
    small = np.minimum(some, SMALL_COUNT)
    error = np.where(
        some > SMALL_COUNT,
        _stirling_error(np.maximum(some, SMALL_COUNT)),
        gammaln(small + 1) - (small + 0.5) * np.log(small) + small - 0.5 * math.log(2 * math.pi),
    )
    return np.where(count > 0, -0.5 * np.log(2 * math.pi * some) - error - deviance, -mean)


def _stirling_error(n):
    """Return log n! less Stirling's formula, for n of at least 20: the next term is below 1e-14."""
    return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * n**2)) / n**2) / n**2) / n


def _log_poisson_at_mean(n):
    """Return log P(Poisson(n) = n) without the cancellation of n log n, n and log n!."""
    if n < SMALL_COUNT:
        return n * math.log(n) - n - math.lgamma(n + 1)
    return -0.5 * math.log(2 * math.pi * n) - _stirling_error(n)


# with more bounds than this, a spline gives them; up to so many, all of a band are kept
MANY_BOUNDS, MOST_KEPT = 1 << 14, 1 << 20
# by which a bound from the spline is moved outwards, as a share of it
ACCURACY = 1e-12
# counts up to this are nodes of the spline, and beyond it the nodes are so far apart in the logarithm
DENSE, STEP = 2000, 0.005
# values of the spline that are held against their neighbours in one go: so many stay in the cache of a processor
CHAIN = 1 << 14
# what the proof of `smooth_bounds` takes for granted of two neighbours
STEEPEST, FASTEST = 0.5, 1.5
# points in [0, 1] and weights
GAUSS = (np.polynomial.legendre.leggauss(5)[0] + 1) / 2, np.polynomial.legendre.leggauss(5)[1] / 2


def smooth_bounds(exact, n, outwards):
    r"""Return a function of whole numbers 0, ..., n that gives ``exact(counts)``, moved outwards by `ACCURACY` of it.

    Parameters
    ----------
    exact : callable
        Clopper-Pearson bounds, lower or upper, of an array of counts in ascending order.
    n : int
        Number of trials.
    outwards : {-1, 1}
        -1 for lower bounds, 1 for upper ones.

    Notes
    -----
    The first and the last `DENSE` counts are nodes, and their bounds are those of `exact`. Between the other nodes a
    cubic spline gives the bounds, on the scale of arcsin(sqrt(p)), where the distance between bound and count / n
    varies little.

    **Proof that each bound is further out than the exact one, by at most 1.8 `ACCURACY` of it**, for n up to 1e8. Let
    B be binomial with n trials of probability x, :math:`b_k(x) = P(B = k)` and :math:`H_k(x) = P(B \ge k)`. The exact
    bound :math:`q_k` solves :math:`H_k(q_k) = p`, with one p for all k; here k is the count for a lower bound and the
    count plus 1 for an upper one. The spline gives :math:`x_k` instead. From :math:`H_{k+1} = H_k - b_k` and
    :math:`H_{k+1}'(t) = (n - k) b_k(t) / (1 - t)` follows

    .. math::

        H_{k+1}(x_{k+1}) - p = H_k(x_k) - p + b_k(x_k) d_k, \qquad
        d_k = \int_{x_k}^{x_{k+1}} \frac{n - k}{1 - t} \, \frac{b_k(t)}{b_k(x_k)} \, dt - 1.

    So the values themselves tell how their errors change from one count to the next. These changes are added up over
    all counts between the dense ones, for each spline anew. Divided by :math:`x_k H_k'(x_k) = k b_k(x_k)`, which is
    checked to grow with k, the sum is the relative error of :math:`x_k`, up to a factor between .99 and 1.01 while it
    is below 1e-11, since so small a step changes the logarithm of :math:`H_k'` by less than 1e-3. With
    :math:`t = x_k + s (x_{k+1} - x_k)` the integrand is the exponential of

    .. math:: E(s) = k \log(1 + u s) + (n - k - 1) \log(1 - v s), \qquad
        u = \frac{x_{k+1} - x_k}{x_k}, \quad v = \frac{x_{k+1} - x_k}{1 - x_k},

    times a constant. It is checked that :math:`|E'(0)|` is at most 1/2, and that k u and (n - k - 1) v are at most 3/2.
    What is left out is small. Four terms of the logarithms leave less than :math:`3 k^{-4} + 3 (n - k)^{-4}`. Gauss's
    rule with five points leaves 4e-13 times the tenth derivative, and by Cauchy's bound on circles of radius 14 that
    derivative is below .03. Rounding changes :math:`d_k` by less than 3e-15, since the difference of two neighbouring
    values is exact in floating point. In the sum each :math:`d_k` is divided by k, so that all three together
    are less than 3e-13. Where the sum stays within half of `ACCURACY`, the claim follows. Two things are taken for
    granted: the bounds of the dense counts, and that of the first count of the sum. They are beta quantiles of
    `beta_quantile`, which the tests compare with closed forms and with sums of 60 digits.

    Where the sum says that the nodes themselves are off, they are corrected by it, and the sum is formed again. Where
    this does not help, `exact` itself is returned.
    """
    from scipy.interpolate import CubicSpline

    half = np.exp(np.arange(math.log(DENSE), math.log(max(n // 2, DENSE + 1)) + STEP, STEP))
    half = np.concatenate([np.arange(DENSE), half]).round()
    nodes = np.unique(np.concatenate([half, n - half]).clip(0, n)).astype(np.int64)
    place = _stabilised((nodes + 0.5) / (n + 1))
    known = exact(nodes)
    few = known[:DENSE]
    inner = (nodes >= DENSE) & (nodes <= n - DENSE)

    def by_spline():
        spline = CubicSpline(place, _stabilised(known) - place)

        def bounds(counts):
            place = _stabilised((counts + 0.5) / (n + 1))
            found = np.sin(place + spline(place)).clip(0, 1) ** 2
            # of small counts, where the sine of a small difference loses digits, the bound itself is known
            return np.where(counts < few.size, few[np.minimum(counts, few.size - 1)], found)

        # the chain needs all of them anyway
        return bounds(np.arange(n + 1)).__getitem__ if n <= MOST_KEPT else bounds

    for _ in range(2):
        bounds = by_spline()
        errors = _errors(bounds, nodes[inner], n, int(outwards > 0))
        if errors is None:
            break
        worst, at_nodes = errors
        if worst <= ACCURACY / 2:
            return lambda counts: np.minimum(1.0, bounds(counts) * (1 + outwards * ACCURACY))
        known[inner] *= 1 - at_nodes
    return exact


def _errors(bounds, nodes, n, beyond):
    """Return the largest relative error of bounds between the dense counts, and those at some nodes in ascending order.

    The errors are those of the proof in `smooth_bounds`, where k is the count plus `beyond`. None stands for bounds
    that are no beta quantiles, so that the proof does not hold.
    """
    from_dense, to_dense = DENSE - 1, n - DENSE + 1
    error, worst, at_nodes = 0.0, 0.0, []
    for start in range(from_dense, to_dense, CHAIN):
        counts = np.arange(start, min(start + CHAIN, to_dense) + 1)
        errors = _chained(bounds(counts), counts + float(beyond), n, error)
        if errors is None:
            return None
        error, worst = errors[-1], float(np.maximum(worst, np.abs(errors).max()))
        first, last = np.searchsorted(nodes, counts[[0, -1]], side="right")
        at_nodes.append(errors[nodes[first:last] - start])
    return worst, np.concatenate(at_nodes or [np.empty(0)])


def _chained(x, k, n, error):
    """Return the relative errors of neighbouring values x, of which the first is known, as `smooth_bounds` derives."""
    x, beyond, k = x[:-1], x[1:], k[:-1]
    step, rest = beyond - x, n - k - 1
    u, v = step / x, step / (1 - x)
    rise, fall = k * u, rest * v
    slope = rise - fall
    if not (np.abs(slope).max() <= STEEPEST and max(rise.max(), fall.max()) <= FASTEST):
        return None
    bend = (rise * u + fall * v) / 2
    rise, fall = rise * u * u, fall * v * v
    third, fourth = (rise - fall) / 3, (rise * u + fall * v) / 4

    def exponent(s):
        return s * (slope - s * (bend - s * (third - s * fourth)))

    integral = sum(weight * np.exp(exponent(s)) for s, weight in zip(*GAUSS, strict=True))
    defects = ((n - k) * v * integral - 1) / k
    # k b_k(x_k), by which the sum is divided, as a multiple of the first
    growth = np.log((n - k) * beyond / (k * (1 - x))) + exponent(1.0)
    if growth.min() < 0:
        return None
    sizes = np.concatenate([[1.0], np.exp(np.cumsum(growth))])
    return (error + np.concatenate([[0.0], np.cumsum(sizes[:-1] * defects)])) / sizes


def _stabilised(share):
    return np.arcsin(np.sqrt(share))


# the failure probability found is in [(1 - SLACK) delta, delta]
SLACK = 1e-3
# from this size on smaller samples, a fraction of the work, tell where to look for the local level
START_FROM = 640
# a step that is too short to be taken where the level only tells where to look
SHORT = 0.01
# steps along a slope before the bracket is only halved
STEPS = 8
# below this delta 1 - P(inside) has too few digits, and Bonferroni's level, hardly smaller there, is taken
SMALLEST = 1e-9
# a count by mistake would otherwise work for days
MOST_VALUES, COST = 10**7, "the work grows like n^1.5, and takes minutes at 10^7"


def local_bounds(n, level, *, sides=2, most=None):
    """Return the quantiles of all order statistics of n uniform variables at one level.

    Parameters
    ----------
    n : int
        Sample size.
    level : float
        Probability with which one order statistic leaves its bounds on one side, in (0, 1).
    sides : {1, 2}
        1: upper bounds only; the lower ones are 0.
    most : int, optional
        With upper bounds only: bound no more than the first so many order statistics; the other bounds are 1.

    Returns
    -------
    lower, upper : ndarray, shape (n,)
        Beta quantiles (Clopper-Pearson). More than 2^14 of them come from splines (`smooth_bounds`): a bound is further
        out than the quantile by at most 1.8e-12 of its distance to 0, or to 1 where that is nearer.

    Examples
    --------
    >>> lower, upper = local_bounds(1, 0.05)
    >>> round(lower[0], 12), round(upper[0], 12)
    (np.float64(0.05), np.float64(0.95))
    """
    ranks, half = np.arange(1, n + 1), (n + 1) // 2
    if n <= MANY_BOUNDS:
        upper = np.ones(n)
        upper[:most] = beta_upper_quantile(ranks[:most], n + 1 - ranks[:most], level)
        small = beta_quantile(ranks[:half], n + 1 - ranks[:half], level) if sides == 2 else None
    else:
        low = smooth_bounds(lambda count: beta_quantile(np.maximum(count, 0.5), n + 1.0 - count, level), n, -1)
        high = smooth_bounds(lambda count: beta_upper_quantile(count + 1.0, np.maximum(n - count, 0.5), level), n, 1)
        small = low(ranks[:half])
        upper = np.concatenate([high(ranks[: n // 2] - 1), 1 - small[::-1]])
        if most is not None:
            upper[most:] = 1.0
    if sides == 1:
        return np.zeros(n), upper
    return np.concatenate([small, 1 - upper[: n // 2][::-1]]), upper


def local_level(n, delta, *, sides=2, most=None):
    """Return the local level at which all order statistics keep their bounds with probability 1 - delta.

    Parameters
    ----------
    n : int
        Sample size.
    delta : float
        Probability that any order statistic leaves its bounds, in (0, 1).
    sides : {1, 2}
        1: upper bounds only.
    most : int, optional
        As in `local_bounds`: fewer bounds can be broken, so that the level is larger.

    Returns
    -------
    float
        A level at which the probability of failure, computed by `inside_probability`, is at most `delta` and at least
        0.999 `delta`, for every n. For `delta` below 1e-9 it is Bonferroni's, at which that probability is at most
        `delta` and may be well below.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Notes
    -----
    Exact at every size, so nothing is tabulated or interpolated. There is always such a level: the probability of
    failure is continuous in it, from 0 up to 1 (which two sides reach at 1/2, where lower and upper bounds meet). It is
    found in two or three evaluations of the probability, some more for a few values and a large delta, each O(n) steps
    over O(sqrt(n)) counts: together about a second of work at n = 10^5, some ten at 10^6. Levels are kept.

    Examples
    --------
    >>> level = local_level(100, 0.05)
    >>> 0.04995 <= 1 - inside_probability(*local_bounds(100, level)) <= 0.05
    True
    """
    n, delta = check_count(n, "n", maximum=MOST_VALUES, reason=COST), check_level(delta, "delta")
    if sides not in (1, 2):
        raise InvalidInputError(f"sides must be 1 or 2, got {shown(sides)}.")

    most = n if most is None else check_count(most, "most", maximum=n)
    if sides == 2 and most < n:
        raise InvalidInputError("the argument most can be used only with sides=1 (upper bounds).")
    if delta < SMALLEST:
        return math.exp(_bonferroni(most, delta, sides))
    return math.exp(_log_level(n, delta, sides, most))


def _bonferroni(most, delta, sides):
    return math.log(delta / (sides * most)) - 2 * SLACK


@lru_cache(maxsize=1024)
def _log_level(n, delta, sides, most, *, about=False):
    """Return the logarithm of the local level, found by steps with a known slope inside a bracket, or by halving it.

    With `about` it is the next step, as soon as that is short: right to some 1e-4 and without a proof, for a start.
    """
    # between delta / (number of bounds), where Bonferroni's inequality holds, and delta itself
    low, high = _bonferroni(most, delta, sides), math.log(delta)
    guess = min(high, max(low, _start(n, delta, sides, most)))
    target = _loglog(delta * (1 - SLACK / 2))
    for n_found in range(200):
        found = 1.0 - inside_probability(*local_bounds(n, math.exp(guess), sides=sides, most=most))
        better = guess + (target - _loglog(found)) / (1 + 0.88 / min(guess, -2.0))
        if about and abs(better - guess) < SHORT:
            return better
        if delta * (1 - SLACK) <= found <= delta:
            return guess
        low, high = (guess, high) if found <= delta else (low, guess)
        # -log(1 - failure) grows like a power of the level, in all sizes nearly the same; where it does not (levels
        # near 1/2 on two sides, samples of a few values) such steps may go round in circles, and halving ends
        guess = better if n_found < STEPS and low < better < high else (low + high) / 2
    return low


def about_local_level(n, delta, *, sides=2, most=None):
    """Return the local level of checked arguments, for a large sample within 2 % and without its own work."""
    if n < START_FROM:
        return local_level(n, delta, sides=sides, most=most)
    return math.exp(_start(n, delta, sides, n if most is None else most))


def _start(n, delta, sides, most):
    """Return about the logarithm of the local level: a parabola through those of three smaller samples."""
    if n < START_FROM:
        return math.log(delta / (sides * (1 + 2.5 * math.log(most) ** 1.6)))
    from scipy.interpolate import BarycentricInterpolator

    sizes = [n // parts for parts in (4, 16, 64) if n // parts > 24]
    levels = [_log_level(size, delta, sides, max(1, most * size // n), about=True) for size in sizes]
    return float(BarycentricInterpolator([_place(size) for size in sizes], levels)(_place(n)))


def _place(n):
    # at 10^5 a parabola in this, found by trial, is right to 4 in 10,000, so that the first step is the last
    return math.log(math.log(n) - 0.8)


def _loglog(failure):
    return math.log(-math.log1p(-min(max(failure, 1e-300), 1 - 1e-16)))


METHODS = ("berk_jones", "dkw")
MOST_BOUNDS = 10**8


@tells_names
def simultaneous_type1_upper(
    n0: int, delta: float = 0.05, *, method: Literal["berk_jones", "dkw"] = "berk_jones"
) -> NDArray[np.float64]:
    r"""Bound the type I errors of all thresholds at order statistics at once.

    The type I error of the rule ``score > k-th smallest of n0 left-out class 0 scores`` is at most the k-th bound, for
    all k at once, with probability at least 1 - delta. In choosing k after looking at all of them nothing is lost.

    Parameters
    ----------
    n0 : int
        Number of left-out class 0 scores.
    delta : float
        Probability that any bound fails, in (0, 1).
    method : {'berk_jones', 'dkw'}
        'berk_jones': :math:`B^{-1}(1 - \eta;\, n_0 + 1 - k,\, k)`, the Beta quantile at the local level
        :math:`\eta`; exact for continuous scores, conservative with ties. 'dkw': :math:`1 - k / n_0 +
        \sqrt{\log(1 / \delta) / (2 n_0)}`, simple and much wider where the error is small.

    Returns
    -------
    ndarray, shape (n0,)
        Bounds for k = 1, ..., n0, decreasing.

    Raises
    ------
    InvalidInputError
        If an argument is out of range; for 'dkw' also if delta > 1/2, where the inequality is not proved.

    See Also
    --------
    simultaneous_order : The smallest rank for an alpha.
    nproc.orderstat.type1_upper : The bound for one rank fixed beforehand.

    Notes
    -----
    With U uniform and T_(k) the scores in order, 1 - F(T_(k)) is at most 1 - U_(k), with equality for a continuous F,
    and 1 - U_(k) has the law of U_(n0 + 1 - k).

    References
    ----------
    [berk1979]_, [moscovich2016]_; for 'dkw' [massart1990]_.

    Examples
    --------
    >>> from nproc.orderstat import type1_upper
    >>> pointwise = type1_upper(95, 100, delta=0.05)
    >>> round(float(pointwise), 4), simultaneous_type1_upper(100, 0.05)[94].round(4)
    (0.1023, np.float64(0.1443))
    """
    delta, method = check_level(delta, "delta"), check_choice(method, "method", METHODS)
    n0 = _check_size(n0, "n0", method)
    if method == "berk_jones":
        return local_bounds(n0, local_level(n0, delta, sides=1), sides=1)[1][::-1]
    if delta > 0.5:
        raise InvalidInputError(f"method='dkw' needs delta of at most 1/2, got {delta}; use 'berk_jones'.")
    return np.minimum(1.0, 1 - np.arange(1, n0 + 1) / n0 + math.sqrt(math.log(1 / delta) / (2 * n0)))


def share_of_each_class(delta):
    """Return the chance given to each of two independent classes: both hold with (1 - share)^2 = 1 - delta."""
    return -math.expm1(0.5 * math.log1p(-delta))


@tells_names
def simultaneous_order(
    n0: int, alpha: ArrayLike = 0.05, delta: float = 0.05, *, method: Literal["berk_jones", "dkw"] = "berk_jones"
) -> NDArray[np.intp]:
    """Find the smallest rank whose simultaneous type I bound is at most alpha, so that alpha may be chosen later.

    The rules of these ranks have a type I error of at most alpha for all alpha at once, so that alpha may be chosen
    after looking at the data; `nproc.orderstat.np_order` gives the smaller rank that serves one alpha fixed beforehand.

    Parameters
    ----------
    n0 : int
        Number of left-out class 0 scores.
    alpha : float or array-like
        Bound on the type I error, in (0, 1).
    delta : float
        Probability that the promise fails for any alpha, in (0, 1).
    method : {'berk_jones', 'dkw'}
        As in `simultaneous_type1_upper`.

    Returns
    -------
    ndarray of int, shape of alpha
        Ranks from 1 to n0; n0 + 1 where no rank serves alpha.

    Raises
    ------
    InvalidInputError
        As `simultaneous_type1_upper`.

    Examples
    --------
    >>> from nproc.orderstat import np_order
    >>> int(simultaneous_order(1000, 0.05, 0.05)), np_order(1000, 0.05, 0.05)
    (971, 962)
    """
    alpha = (
        np.asarray(check_level(alpha, "alpha")) if as_array(alpha, "alpha").ndim == 0 else check_levels(alpha, "alpha")
    )
    bounds = simultaneous_type1_upper(n0, delta, method=method)
    # bounds fall with the rank: so many of them are above alpha
    return bounds.size - np.searchsorted(bounds[::-1], alpha, side="right") + 1


@tells_names
def simultaneous_cdf_bounds(
    counts: ArrayLike, n: int, delta: float = 0.05, *, method: Literal["berk_jones", "dkw"] = "berk_jones"
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Bound a distribution function at any number of points at once.

    Parameters
    ----------
    counts : array-like of int
        Sizes of {values <= t} among n values, one for each point t. The points may be any, fixed or random, as long
        as they are independent of the values: the whole function is bounded.
    n : int
        Number of values.
    delta : float
        Probability that the function leaves the bounds anywhere, in (0, 1).
    method : {'berk_jones', 'dkw'}
        'berk_jones': Clopper-Pearson intervals at the local level at which all hold at once; 'dkw':
        count / n -+ sqrt(log(2 / delta) / (2 n)).

    Returns
    -------
    lower, upper : ndarray, shape of counts
        Bounds on F(t).

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Notes
    -----
    Of a class 1 sample, F(t) is the type II error of the rule ``score > t``: P(score <= t).

    References
    ----------
    [berk1979]_, [moscovich2016]_, [massart1990]_.

    Examples
    --------
    >>> lower, upper = simultaneous_cdf_bounds([0, 50, 1000], 1000, 0.05)
    >>> lower.round(3), upper.round(3)
    (array([0.   , 0.03 , 0.992]), array([0.008, 0.077, 1.   ]))
    """
    delta, method = check_level(delta, "delta"), check_choice(method, "method", METHODS)
    n = _check_size(n, "n", method)
    counts = check_counts(counts, "counts", minimum=0, maximum=n, limit="n")
    if method == "dkw":
        half = math.sqrt(math.log(2 / delta) / (2 * n))
        return np.maximum(0.0, counts / n - half), np.minimum(1.0, counts / n + half)
    below, above = local_bounds(n, local_level(n, delta, sides=2), sides=2)
    # with m values at most t, F(t) lies between the m-th and the (m + 1)-th uniform order statistic
    return np.append(0.0, below)[counts], np.append(above, 1.0)[counts]


def _check_size(n, name, method):
    if method == "dkw":
        return check_count(n, name, maximum=MOST_BOUNDS, reason="there are as many bounds in memory")
    return check_count(n, name, maximum=MOST_VALUES, reason=f"{COST}; method='dkw' takes more")


__all__ = [
    "about_local_level",
    "inside_probability",
    "local_bounds",
    "local_level",
    "simultaneous_cdf_bounds",
    "simultaneous_order",
    "simultaneous_type1_upper",
]
