"""Tests of many hypotheses: the exact sign test and Holm's step-down procedure.

References
----------
.. [holm1979] Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of
   Statistics 6(2), 65-70.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betainc


def sign_test(n_for, n_against):
    """Return P(Bin(n_for + n_against, 1/2) >= n_for), the exact one-sided p-value of a sign test.

    Parameters
    ----------
    n_for, n_against : ndarray of int
        Numbers of rows that speak for and against the claim.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> sign_test(np.array([5, 0]), np.array([0, 3]))
    array([0.03125, 1.     ])
    """
    return np.where(n_for > 0, betainc(np.maximum(n_for, 1), n_against + 1.0, 0.5), 1.0)


def holm(p_values, level):
    """Return which hypotheses Holm's step-down procedure rejects.

    Parameters
    ----------
    p_values : ndarray, shape (m,)
        One for each hypothesis.
    level : float
        Bound on the probability of any false rejection.

    Returns
    -------
    ndarray of bool, shape (m,)

    References
    ----------
    [holm1979]_.

    Examples
    --------
    >>> holm(np.array([0.03, 0.01, 0.04]), 0.05)
    array([False,  True, False])
    """
    return holm_adjusted(p_values) <= level


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
