"""Bounds on the law of the type I error of a majority vote; the proof is in the notes of `vote_bound`.

R is the type I error of the vote of M splits, m = floor(M / 2) + 1 of whose votes make class 1. B has the Beta law of
the error of one split, whose threshold has rank k = `order` among n = `n0` left-out class 0 scores.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaincc, betainccinv


def set_aside(n_splits):
    """Return, for each number b < m of splits put aside, the factor (M - b) / (m - b) and b + 1."""
    b = np.arange(n_splits // 2 + 1)
    return (n_splits - b) / (n_splits // 2 + 1 - b), b + 1.0


def chance_by_counting(type1, n_splits, n0, order):
    """Return the bound of step 2 on P(R > type1); it may be above 1."""
    factors, more_than = set_aside(n_splits)
    return float(np.min(n_splits * betaincc(n0 - order + 1.0, order, type1 / factors) / more_than))


def chance_by_convexity(mean_error, n0, order):
    """Return the bound of step 3 on P(mean of the errors > mean_error)."""
    a, mean = n0 - order + 1.0, (n0 + 1.0 - order) / (n0 + 1.0)
    if mean_error <= mean:
        return 1.0

    def excess(t):
        # E(B; B > t) - y P(B > t): negative where the mean above t is below y
        return mean * betaincc(a + 1.0, order, t) - mean_error * betaincc(a, order, t)

    return float(betaincc(a, order, brentq(excess, 0.0, mean_error, xtol=1e-14)))


def chance_above(type1, n_splits, n0, order):
    """Return the best bound on P(R > type1)."""
    mean_error = type1 * (n_splits // 2 + 1) / n_splits
    return min(1.0, chance_by_counting(type1, n_splits, n0, order), chance_by_convexity(mean_error, n0, order))


def upper_at(p, n_splits, n0, order):
    """Return the least x for which P(R > x) <= p is proved."""
    a = n0 - order + 1.0
    factors, more_than = set_aside(n_splits)
    counted = np.min(factors * betainccinv(a, order, p * more_than / n_splits))
    mean = (n0 + 1.0 - order) / (n0 + 1.0)
    tail = mean * betaincc(a + 1.0, order, betainccinv(a, order, p)) / p
    return float(min(1.0, counted, n_splits / (n_splits // 2 + 1) * tail))
