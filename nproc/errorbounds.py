"""Clopper-Pearson bounds: exact statements about an error rate from a count of errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betainccinv, betaincinv

from nproc.checks import check_count, check_counts, check_level
from nproc.reprs import ShortRepr


@dataclass(frozen=True, repr=False)
class Bounds(ShortRepr):
    """A lower and an upper bound, floats or arrays of one shape."""

    lower: float | np.ndarray
    upper: float | np.ndarray


def type2_bounds(n_missed, n1, delta):
    r"""Return one-sided 1 - delta bounds on the conditional type II error of a fixed rule.

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
        Chance, in (0, 1), with which each bound may be broken.

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


def clopper_pearson(count, n, *, level=0.95):
    """Return the two-sided Clopper-Pearson interval for a binomial probability.

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
    lower[some] = betaincinv(missed[some], n1 - missed[some] + 1.0, delta)
    upper[not_all] = betainccinv(missed[not_all] + 1.0, n1 - missed[not_all], delta)
    return lower, upper


def _like(given, values):
    return float(values) if np.ndim(given) == 0 else values
