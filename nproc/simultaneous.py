r"""Bounds on a distribution function that hold at all points at once, exact for any sample size.

A bound of the NP-ROC band holds at one alpha fixed beforehand. The bounds here hold for all ranks at once: with
:math:`U_{(1)} \le \dots \le U_{(n)}` the order statistics of n uniform variables,

.. math:: P\bigl( a_j \le U_{(j)} \le b_j \text{ for all } j \bigr) = 1 - \delta,

where :math:`a_j` and :math:`b_j` are quantiles of the law of :math:`U_{(j)}`, Beta(j, n + 1 - j), at one and the same
local level. This inverts the statistic :math:`M_n` of [berk1979]_, the smallest p-value of a single order statistic, of
which [moscovich2016]_ have the exact theory. The local level is found from the probability itself, see
`nproc.locallevel`.

References
----------
.. [berk1979] Berk, R. H. and Jones, D. H. (1979). Goodness-of-fit test statistics that dominate the Kolmogorov
   statistics. Zeitschrift fuer Wahrscheinlichkeitstheorie und verwandte Gebiete 47, 47-59.
.. [moscovich2016] Moscovich, A., Nadler, B. and Spiegelman, C. (2016). On the exact Berk-Jones statistics and their
   p-value calculation. Electronic Journal of Statistics 10(2), 2329-2354.
.. [massart1990] Massart, P. (1990). The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality. Annals of
   Probability 18(3), 1269-1283.
"""

from __future__ import annotations

import math

import numpy as np

from nproc.checks import as_array, check_choice, check_count, check_counts, check_level, check_levels
from nproc.errors import InvalidInputError
from nproc.locallevel import COST, MOST_VALUES, local_bounds, local_level

METHODS = ("berk_jones", "dkw")
MOST_BOUNDS = 10**8


def simultaneous_type1_upper(n0, delta=0.05, *, method="berk_jones"):
    r"""Return bounds on the type I errors of all thresholds at order statistics that hold at once.

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
        raise InvalidInputError(f"method='dkw' needs delta of at most 1/2, got {delta}; take 'berk_jones'.")
    return np.minimum(1.0, 1 - np.arange(1, n0 + 1) / n0 + math.sqrt(math.log(1 / delta) / (2 * n0)))


def share_of_each_class(delta):
    """Return the chance given to each of two independent classes: both hold with (1 - share)^2 = 1 - delta."""
    return -math.expm1(0.5 * math.log1p(-delta))


def simultaneous_order(n0, alpha=0.05, delta=0.05, *, method="berk_jones"):
    """Return the smallest rank whose simultaneous type I bound is at most alpha.

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


def simultaneous_cdf_bounds(counts, n, delta=0.05, *, method="berk_jones"):
    r"""Return bounds on a distribution function at any number of points that hold at once.

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
    "local_bounds",
    "local_level",
    "simultaneous_cdf_bounds",
    "simultaneous_order",
    "simultaneous_type1_upper",
]
