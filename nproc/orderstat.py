r"""Probabilities of order statistics: integers and levels in, ranks and bounds out.

Let :math:`T_{(1)} \le \dots \le T_{(n)}` be the scores of n left-out class 0 points. The rule
"predict 1 when the score exceeds :math:`T_{(k)}`" has a type I error above alpha with
probability at most v(k), a binomial tail that depends on n, k and alpha alone. Most of what is
here is that tail, solved for one of its arguments, and the bounds on the type II error of the same rule.

References
----------
Tong, Feng and Li (2018), "Neyman-Pearson classification algorithms and NP receiver operating
characteristics", Science Advances 4(2), eaao1659: Proposition 1, Algorithm 1, equations 1 to 3.
[tong2018]_
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.special import betaincc, ndtri

from nproc.checks import (
    LARGEST_COUNT,
    LARGEST_DELTA,
    SMALLEST_LEVEL,
    check_count,
    check_counts,
    check_level,
    tells_names,
)
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.simultaneous import beta_quantile, beta_upper_quantile
from nproc.tables import ShortRepr

# The binomial tail of a rank, and the search for the smallest rank that it allows.
#
# Arguments are already checked; `nproc.orderstat` is the door.


# Two tails closer than this (relative) may be equal numbers that rounding has parted.
_NEAR_TIE = 1e-8
# Up to this n a near tie is settled in rational arithmetic ...
EXACT_N = 1000
# ... if v(k) can equal a printed delta at all: as a fraction it has total**n below, for alpha = a / total. Beyond
# this, only alpha = 1/2 reaches equality, by symmetry.
_EXACT_DENOMINATOR = 10**40
# Where a rank fails by less than this (relative to delta), or 1 - alpha has few digits left, rounding may have decided.
_NEAR_BOUND = 1e-4
_FEW_DIGITS = 1e-8


def search_orders(n0, alphas, delta):
    """Return np_order for an array of levels in [0, 1], and n0 + 1 where no rank is good enough.

    Already checked: `n0` an int, `alphas` a float array, `delta` a float. A Cornish-Fisher approximation is nearly
    always the rank sought or the next one, so that a level costs two binomial tails for any `n0`.
    """
    inside = (alphas > 0) & (alphas < 1)
    level = np.where(inside, alphas, 0.5)
    z = ndtri(delta)
    spread = np.sqrt(n0 * level * (1 - level))
    exceed = n0 * level + z * spread + (z * z - 1) * (1 - 2 * level) / 6 - 0.5
    guess = np.clip(np.floor(n0 - exceed), 1, n0)
    # bracket: `bad` is a rank that fails (0 always does), `good` one that passes (n0 + 1 stands for none)
    bad = np.zeros_like(level)
    bad_tail = np.ones_like(level)
    good = np.full_like(level, n0 + 1.0)
    step = 1.0
    trial = guess
    pending = np.ones(level.shape, dtype=bool)
    while np.any(pending):
        passed = np.zeros(level.shape, dtype=bool)
        tail = np.ones_like(level)
        passed[pending], tail[pending] = _judge(trial[pending], n0, level[pending], delta)
        failed = pending & ~passed
        good = np.where(pending & passed, np.minimum(good, trial), good)
        bad_tail = np.where(failed & (trial > bad), tail, bad_tail)
        bad = np.where(failed, np.maximum(bad, trial), bad)
        pending = good - bad > 1
        bracketed = (bad > 0) & (good <= n0)
        downwards = np.maximum(good - step, bad + 1)
        upwards = np.minimum(bad + step, good - 1)
        outward = np.where(good <= n0, downwards, upwards)
        trial = np.where(bracketed, np.floor((bad + good) / 2), outward)
        step *= 4
    # the bound reported for a rank is itself a level which that rank meets, whatever the tail's rounding says
    doubtful = (good > 1) & ((bad_tail <= delta * (1 + _NEAR_BOUND)) | (level > 1 - _FEW_DIGITS))
    below = good[doubtful] - 1
    good[doubtful] -= beta_upper_quantile(n0 - below + 1, below, delta) <= level[doubtful]
    orders = np.where(alphas >= 1, 1.0, np.where(alphas <= 0, n0 + 1.0, good))
    return orders.astype(np.int64)


def violation_tail(orders, n0, alpha):
    """Return v(order) for float orders."""
    # P(Bin(n, alpha) <= n - k), written with alpha and not 1 - alpha: exact for tiny levels too
    return betaincc(n0 - orders + 1.0, orders, alpha)


def meets_level(orders, n0, alpha, delta):
    """Whether v(order) <= delta, with near ties settled exactly (see the notes of np_order)."""
    return _judge(orders, n0, alpha, delta)[0]


def _judge(orders, n0, alpha, delta):
    """Return what `meets_level` says, and the tail that it compared."""
    tail = violation_tail(orders, n0, alpha)
    passed = np.asarray(tail <= delta)
    near = np.abs(tail - delta) <= _NEAR_TIE * delta
    if n0 > EXACT_N or not np.any(near):
        return passed[()], tail
    allowed = Fraction(repr(float(delta)))
    orders, alpha = np.broadcast_to(orders, passed.shape), np.broadcast_to(alpha, passed.shape)
    for where in zip(*np.nonzero(near), strict=True) if passed.ndim else [()]:
        level = Fraction(repr(float(alpha[where])))
        if level.denominator == 2 or level.denominator ** int(n0) <= _EXACT_DENOMINATOR:
            passed[where] = _exact_tail(int(orders[where]), int(n0), level) <= allowed
    return passed[()], tail


def _exact_tail(k, n, level):
    a, total = level.numerator, level.denominator
    b = total - a
    tail = sum(math.comb(n, j) * a**j * b ** (n - j) for j in range(n - k + 1))
    return Fraction(tail, total**n)


# beyond this a quotient of two floats may be off by one; it is then taken from numbers of more digits
_MANY = 1e6


@tells_names
def violation_rate(order: int, n0: int, alpha: float) -> Any:
    r"""Compute v(k), the probability that a threshold at the k-th order statistic has type I error above alpha.

    .. math:: v(k) = \sum_{j=k}^{n} \binom{n}{j} (1 - \alpha)^j \alpha^{n - j}

    It is exact when the scores are continuous and an upper bound otherwise (Proposition 1).

    Parameters
    ----------
    order : int or array of int
        Rank k of the threshold among the left-out class 0 scores, 1 to `n0` (1 = the smallest score).
    n0 : int
        Number of left-out class 0 scores, at least 1.
    alpha : float
        Bound on the type I error, in (0, 1).

    Returns
    -------
    float or ndarray
        Violation rate in [0, 1], shaped like `order`.

    Raises
    ------
    InvalidInputError
        If `order` is not between 1 and `n0`, or `alpha` not in (0, 1).

    See Also
    --------
    np_order : the smallest rank whose violation rate is at most delta.

    References
    ----------
    Equation 1 and Proposition 1 of [tong2018]_.

    Examples
    --------
    >>> round(violation_rate(59, 59, 0.05), 6)
    0.048495
    """
    n0 = check_count(n0, "n0")
    alpha = check_level(alpha, "alpha")
    orders = _check_orders(order, n0)
    return _like(order, violation_tail(orders, n0, alpha))


@tells_names
def np_order(n0: int, alpha: float, delta: float) -> int:
    r"""Find the smallest rank k* whose violation rate is at most delta: the rank of an NP threshold.

    .. math:: k^* = \min\{k : v(k) \le \delta\}

    Parameters
    ----------
    n0 : int
        Number of left-out class 0 scores, at least 1.
    alpha : float
        Bound on the type I error, in (0, 1).
    delta : float
        Bound on the probability, in (0, 1), that the type I error is above `alpha`.

    Returns
    -------
    int
        Rank between 1 and `n0`.

    Raises
    ------
    TooFewSamplesError
        If even the largest score breaks the bound too often, that is (1 - alpha)^n0 > delta.
    InvalidInputError
        If an argument is out of its range.

    See Also
    --------
    min_class0_size : the smallest n0 for which a rank exists.

    Notes
    -----
    `alpha` and `delta` are read as the decimals they print as, so that v(k) = delta counts as
    met: (1 - 0.1)^3 is 0.729, although its floating-point value is a little more. Where such an equality
    is possible, the comparison is made in rational arithmetic (n0 up to 1000). The search takes a handful of
    binomial tails for any n0.

    References
    ----------
    Equation 2 and RankThreshold in Algorithm 1 of [tong2018]_.

    Examples
    --------
    >>> np_order(59, 0.05, 0.05)
    59
    >>> np_order(3, 0.1, 0.729)
    3
    """
    n0 = check_count(n0, "n0")
    alpha = check_level(alpha, "alpha")
    delta = check_level(delta, "delta")
    return order_or_error(n0, alpha, delta)


def lower_rank_chance(order, n0, alpha, delta):
    """Return the probability with which the rank below k* must be drawn for a violation rate of `delta` exactly."""
    if order == 1:
        return 0.0
    rate, below = violation_tail(np.array([order, order - 1.0]), n0, alpha)
    return float(np.clip((delta - rate) / (below - rate), 0.0, 1.0))


def order_or_error(n0, alpha, delta, *, way_out=""):
    """Return `np_order` of checked arguments; `way_out` is the last sentence of the message if there is no rank."""
    order = int(search_orders(n0, np.array([alpha]), delta)[0])
    if order > n0:
        raise TooFewSamplesError(f"{too_few_message(n0, alpha, delta)} {way_out}".rstrip())
    return order


@tells_names
def min_class0_size(alpha: float, delta: float) -> int:
    r"""Find the smallest number of left-out class 0 scores for which a threshold exists, before you collect rows.

    It is the smallest n with :math:`(1 - \alpha)^n \le \delta`.

    Parameters
    ----------
    alpha, delta : float
        Bound on the type I error, and bound on the probability that the type I error is above `alpha`; both in (0, 1).

    Returns
    -------
    int
        Smallest sample size, at least 1.

    Raises
    ------
    InvalidInputError
        If a level is not in (0, 1), or more than 2^53 scores are needed.

    Notes
    -----
    These are *left-out* rows: with ``split_ratio=0.5`` twice as many class 0 rows are needed in all.

    References
    ----------
    Discussion of [tong2018]_, where two of the three examples have their numbers swapped.

    Examples
    --------
    >>> min_class0_size(0.05, 0.05), min_class0_size(0.1, 0.05), min_class0_size(0.05, 0.1)
    (59, 29, 45)
    """
    alpha = check_level(alpha, "alpha")
    delta = check_level(delta, "delta")
    size = smallest_size(alpha, delta)
    if size > LARGEST_COUNT:
        raise InvalidInputError(
            f"alpha={alpha:g} with delta={delta:g} needs about {size:.3g} left-out class 0 scores, and at most "
            f"{LARGEST_COUNT} can be counted exactly in floats. Use a larger alpha or delta."
        )
    return size


def smallest_size(alpha, delta):
    """Return `min_class0_size` of checked levels, beyond 2^53 as a number that is about right."""
    # the quotient of two logarithms may be a whole number that rounding has moved, hence the step back
    quotient = math.log(delta) / math.log1p(-alpha)
    if quotient > _MANY:
        with localcontext(Context(prec=50 - math.floor(math.log10(alpha)))):
            quotient = Decimal(repr(delta)).ln() / (1 - Decimal(repr(alpha))).ln()
    size = max(1, math.ceil(quotient))
    if 1 < size <= EXACT_N and meets_level(size - 1, size - 1, alpha, delta):
        size -= 1
    return size


def tail_mean(a, b, delta):
    """Return E(B | B > its upper delta quantile) for B with the law Beta(a, b)."""
    return a / (a + b) * betaincc(a + 1.0, b, beta_upper_quantile(a, b, delta)) / delta


@tells_names
def type1_upper(order: int, n0: int, delta: float) -> Any:
    r"""Compute the 1 - delta upper bound on the type I error of the rule at the k-th order statistic.

    The bound is the alpha with v(k; alpha) = delta: the 1 - delta quantile of Beta(n - k + 1, k).

    Parameters
    ----------
    order : int or array of int
        Rank of the threshold among `n0` left-out class 0 scores.
    n0 : int
        Number of left-out class 0 scores.
    delta : float
        Bound on the probability, in (0, 1), that the type I error is above the returned bound.

    Returns
    -------
    float or ndarray
        Bound in (0, 1), shaped like `order`; it falls as the rank rises.

    Raises
    ------
    InvalidInputError
        If `order` is not between 1 and `n0`, or `delta` not in (0, 1).

    References
    ----------
    Equation 3 of [tong2018]_.

    Examples
    --------
    >>> round(type1_upper(59, 59, 0.05), 6)
    0.049508
    """
    n0 = check_count(n0, "n0")
    delta = check_level(delta, "delta")
    orders = _check_orders(order, n0)
    return _like(order, beta_upper_quantile(n0 - orders + 1.0, orders, delta))


def least_alpha(n0, delta):
    """Return the smallest alpha that `n0` left-out scores support at `delta`: the threshold is the largest of them."""
    return -math.expm1(math.log(delta) / n0)


def least_delta(n0, alpha):
    """Return the smallest delta that `n0` left-out scores support at `alpha`."""
    return math.exp(n0 * math.log1p(-alpha))


def too_few_message(n0, alpha, delta, *, rows="left-out class 0 scores", names=("n0", "alpha", "delta"), least=None):
    """Return the message that names the smallest n0, alpha and delta that would work, by the names of the caller.

    `least` is the smallest alpha and the smallest delta where the number of left-out scores is not fixed.
    """
    count, level, chance = names
    with_these = least_alpha(n0, delta), least_delta(n0, alpha)
    smallest = with_these if least is None else least
    least_of_alpha, least_of_delta = map(round_up, smallest)
    # where the levels decide how many are left out, it is another number than n0 that meets them
    is_other, ways = not np.allclose(smallest, with_these, atol=0.0), []
    if float(least_of_alpha) < 1:
        count_of_alpha = f" with {math.log(delta) / math.log1p(-smallest[0]):.0f} left out" if is_other else ""
        ways.append(f"{level} >= {least_of_alpha}{count_of_alpha}")
    # a larger delta is refused
    if float(least_of_delta) <= LARGEST_DELTA:
        count_of_delta = f" with {math.log(smallest[1]) / math.log1p(-alpha):.0f} left out" if is_other else ""
        ways.append(f"{chance} >= {least_of_delta}{count_of_delta}")
    other = f" (or {', or '.join(ways)})" if ways else ""
    size = smallest_size(alpha, delta)
    return (
        f"{count}={n0} {rows} cannot meet {level}={alpha:g} with {chance}={delta:g}; "
        f"at least {size if size <= LARGEST_COUNT else f'{size:.3g}'} are needed{other}."
    )


def round_up(value, digits=3):
    """Return `value` as text with `digits` significant digits, rounded up so that it still suffices."""
    # (1 - alpha)^n of many rows is 0 as a float, and below what may be given as a level
    value = max(value, SMALLEST_LEVEL)
    scale = 10.0 ** (digits - 1 - math.floor(math.log10(value)))
    return f"{math.ceil(value * scale) / scale:.{digits}g}"


def _check_orders(order, n0):
    return check_counts(order, "order", minimum=1, maximum=n0, limit="n0").astype(np.float64)


def _like(given, values):
    return float(values) if np.ndim(given) == 0 else values


@dataclass(frozen=True, repr=False)
class Bounds(ShortRepr):
    """A lower and an upper bound, floats or arrays of one shape."""

    lower: float | np.ndarray
    upper: float | np.ndarray


@tells_names
def type2_bounds(n_missed: int, n1: int, delta: float) -> Bounds:
    r"""Bound the type II error of a fixed rule from counts, by one-sided 1 - delta bounds.

    Given the training data and the left-out class 0 scores, the number of left-out class 1 scores
    at or below the threshold is binomial with the conditional type II error as its probability, so
    both bounds are Clopper-Pearson's. Each fails with probability at most delta.

    Parameters
    ----------
    n_missed : int or array of int
        Number of left-out class 1 scores at or below the threshold, 0 to `n1`.
    n1 : int
        Number of left-out class 1 scores, at least 1.
    delta : float
        Bound on the probability, in (0, 1), that each of the two bounds does not hold.

    Returns
    -------
    Bounds
        ``lower`` and ``upper``, in [0, 1], shaped like `n_missed`.

    Raises
    ------
    InvalidInputError
        If `n_missed` is not between 0 and `n1`, or `delta` not in (0, 1).

    References
    ----------
    Equations S9 and S10 of [tong2018]_.

    Examples
    --------
    >>> bounds = type2_bounds(10, 20, 0.05)
    >>> round(bounds.lower, 3), round(bounds.upper, 3)
    (0.302, 0.698)
    """
    n1 = check_count(n1, "n1")
    delta = check_level(delta, "delta")
    return _shaped_bounds(n_missed, n1, delta, "n_missed", "n1")


@tells_names
def clopper_pearson(count: int, n: int, *, level: float = 0.95) -> Bounds:
    """Compute the two-sided Clopper-Pearson interval of a binomial probability.

    Parameters
    ----------
    count : int
        Number of successes, 0 to `n`.
    n : int
        Number of trials, at least 1.
    level : float
        Coverage, in (0, 1).

    Returns
    -------
    Bounds
        ``lower`` and ``upper``; each is exceeded with probability at most (1 - level) / 2.

    Raises
    ------
    InvalidInputError
        If `count` is not between 0 and `n`, or `level` not in (0, 1).

    Examples
    --------
    >>> interval = clopper_pearson(3, 100)
    >>> round(interval.lower, 4), round(interval.upper, 4)
    (0.0062, 0.0852)
    """
    level = check_level(level, "level")
    n = check_count(n, "n")
    return _shaped_bounds(count, n, (1 - level) / 2, "count", "n")


def _shaped_bounds(count, n, delta, name, name_n):
    counts = check_counts(count, name, minimum=0, maximum=n, limit=name_n)
    lower, upper = _clopper_pearson_sides(counts.astype(np.float64), n, delta)
    return Bounds(_like(count, lower), _like(count, upper))


def type2_curve(n_missed, n1, delta):
    """Return `Bounds` for an array of counts in ascending order; equal counts are solved once."""
    counts, where = np.unique(n_missed, return_inverse=True)
    lower, upper = _clopper_pearson_sides(counts.astype(np.float64), n1, delta)
    return Bounds(lower[where], upper[where])


def _clopper_pearson_sides(missed, n1, delta):
    lower = np.zeros_like(missed)
    upper = np.ones_like(missed)
    some, not_all = missed > 0, missed < n1
    lower[some] = beta_quantile(missed[some], n1 - missed[some] + 1.0, delta)
    upper[not_all] = beta_upper_quantile(missed[not_all] + 1.0, n1 - missed[not_all], delta)
    return lower, upper


def holm_adjusted(p_values):
    """Return p-values adjusted by Holm's procedure: each the smallest level at which its hypothesis is rejected.

    Parameters
    ----------
    p_values : ndarray, shape (m,)
        One for each hypothesis.

    Returns
    -------
    ndarray, shape (m,)

    References
    ----------
    [holm1979]_.

    Examples
    --------
    >>> holm_adjusted(np.array([0.03, 0.01, 0.04])).round(6)
    array([0.06, 0.03, 0.06])
    """
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty(order.size)
    steps = np.arange(order.size, 0, -1) * p_values[order]
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted


def calibration_groups(probabilities, y, n_groups=10):
    """Compare probabilities with the shares of class 1 in groups of rows of equal size.

    Parameters
    ----------
    probabilities : ndarray, shape (n,)
        Estimates of the probability of class 1.
    y : ndarray, shape (n,)
        0 or 1.
    n_groups : int
        Number of groups; no more than rows.

    Returns
    -------
    groups : dict of ndarray, shape (k,)
        Of each group, in rising order: the mean ``estimate``, the ``share`` of class 1, and its Clopper-Pearson
        interval of 95 %, from ``lower`` to ``upper``.

    Examples
    --------
    >>> groups = calibration_groups(np.array([0.1, 0.2, 0.8, 0.9]), np.array([0, 0, 1, 1]), n_groups=2)
    >>> groups["share"].tolist()
    [0.0, 1.0]
    """
    parts = np.array_split(np.argsort(probabilities, kind="stable"), min(n_groups, len(y)))
    bounds = [clopper_pearson(int(y[rows].sum()), rows.size) for rows in parts]
    return {
        "estimate": np.array([probabilities[rows].mean() for rows in parts]),
        "share": np.array([y[rows].mean() for rows in parts]),
        "lower": np.array([bound.lower for bound in bounds]),
        "upper": np.array([bound.upper for bound in bounds]),
    }
