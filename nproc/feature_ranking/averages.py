"""An interval for the mean of error rates over splits that share rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import check_count, check_level, check_levels, tells_names
from nproc.orderstat import Bounds

# tilts, in units of the one that is best for a mean of 1/2
TILTS = np.array([1.0, 2.0, 4.0, 8.0, 64.0])
SHARES = np.array([0.5, 0.25, 0.125, 0.0625, 0.0625])
HALVINGS = 60


@tells_names
def averaged_error_bounds(mean: ArrayLike, n: int, *, level: float = 0.95) -> Bounds:
    r"""Return an interval for the mean of the error rates of several classifiers, each counted on n left-out rows.

    The splits may share rows: a row that is left out of one split may train the classifier of another. The interval
    holds at every sample size, however the splits overlap.

    Parameters
    ----------
    mean : float or array-like
        Mean over the splits of the share of errors among n left-out rows, in [0, 1].
    n : int
        Left-out rows that are counted in each split, the same number in all.
    level : float
        Probability with which the interval holds, in (0, 1). Each end takes half of the rest.

    Returns
    -------
    Bounds
        ``lower`` and ``upper``, of the shape of `mean`.

    Raises
    ------
    InvalidInputError
        If an argument is outside its range.

    See Also
    --------
    clopper_pearson : The exact interval for one classifier.
    rank_features : A ranking whose scores have this interval.

    Notes
    -----
    *What is proved.* In split j let :math:`R_j` be the error rate of the classifier, a function of the rows that made
    it, and let :math:`\hat R_j` be the share of errors among n other rows that are independent of these and of each
    other. Write :math:`\bar R` and :math:`\hat{\bar R}` for the means over the splits. Fix
    :math:`\lambda > 0` and let

    .. math:: E(\lambda, r, m) = \exp(-\lambda n m - n \log(1 - r (1 - e^{-\lambda}))).

    Given the rows that made classifier j, :math:`n \hat R_j` is binomial and
    :math:`E(\lambda, R_j, \hat R_j)` has mean 1. The exponent is linear in m and convex in r, and the exponential
    function is convex and increasing. So by Jensen's inequality, twice,
    :math:`E(\lambda, \bar R, \hat{\bar R}) \le` the mean over j of :math:`E(\lambda, R_j, \hat R_j)`, which has
    expectation 1 whatever the dependence between the splits. The same holds for a weighted mean of E over
    several values of :math:`\lambda` that are fixed beforehand. By Markov's inequality this is at least
    :math:`1 / \delta` with probability at most :math:`\delta`. As E rises with r, the largest r where it is less is an
    upper bound on :math:`\bar R` with probability at least :math:`1 - \delta`, with :math:`\delta = (1 - level) / 2`.
    The lower bound is one minus the upper bound on :math:`1 - \bar R`. The first step is how [hoeffding1963]_ treats
    sums of dependent terms (section 5).

    If the n rows are some of each class, the errors are not binomial but a sum of two binomial counts. Its logarithmic
    moment generating function is at most that of the binomial count with the same mean (Jensen once more), so that the
    proof stands.

    Five values of :math:`\lambda` have the weights 1/2, 1/4, 1/8, 1/16 and 1/16: 1, 2, 4, 8 and 64 times
    :math:`\sqrt{8 \log(1 / \delta) / n}`. At a level of 0.95 the interval is about one and a half
    times as wide as that of Clopper and Pearson, which is valid for one split alone.

    References
    ----------
    [hoeffding1963]_.

    Examples
    --------
    >>> from nproc.feature_ranking import averaged_error_bounds
    >>> bounds = averaged_error_bounds(0.3, 100)
    >>> print(f"{bounds.lower:.3f} {bounds.upper:.3f}")
    0.177 0.444
    """
    mean = check_levels(mean, "mean", closed=True)
    n = check_count(n, "n")
    delta = (1 - check_level(level, "level")) / 2
    return Bounds(1.0 - _upper(1.0 - mean, n, delta), _upper(mean, n, delta))


def _upper(mean, n, delta):
    """Return the upper bound for each mean, on the safe side of the last halving."""
    reached = np.log(1 / delta)
    tilts = TILTS * np.sqrt(8 * reached / n)
    least = np.exp(-tilts)

    def evidence(rate):
        rate = rate[..., None]
        powers = -n * (tilts * mean[..., None] + np.log((1 - rate) + rate * least))
        top = powers.max(axis=-1)
        return top + np.log(np.sum(SHARES * np.exp(powers - top[..., None]), axis=-1))

    low, high = mean.copy(), np.ones_like(mean)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        above = evidence(middle) >= reached
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return high[()]
